/*
 * test_fileio_validate.c - blocks with checksums: their layout byte by byte,
 * what a damaged one looks like, and sizes that do not divide.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "tests/fileio/layout.h"
#include "tests/fileio/options.h"
#include "tests/fileio/validate.h"
#include "tests/unit/tap.h"

static void test_crc(void)
{
  const char text[] = "123456789";

  OK(validate_crc(text, 9) == 0xCBF43926, "the known check value");
}

/* The trailer, read without the code under test. */
static void test_trailer(void)
{
  enum {
    BLOCK = 64
  };
  unsigned char buf[3 * BLOCK];
  uint64_t random = 1;
  struct validate v;
  uint32_t crc;
  int64_t offset;

  validate_init(&v, BLOCK, 1 << 20);
  validate_fill(&v, &random, buf, sizeof(buf), 3, 4096);
  for (unsigned i = 0; i < 3; i++) {
    memcpy(&crc, buf + i * BLOCK + BLOCK - 12, sizeof(crc));
    memcpy(&offset, buf + i * BLOCK + BLOCK - 8, sizeof(offset));
    OK(crc == validate_crc(buf + i * BLOCK, BLOCK - 12), "checksum");
    OK(offset == 4096 + i * BLOCK, "offset");
  }
  OK(memcmp(buf, buf + BLOCK, BLOCK - 12) != 0, "blocks differ");
}

/* Every single damaged bit of a block is found, if it has a trailer. */
static void test_damage(uint64_t length)
{
  unsigned char buf[100];
  uint64_t random = 7, missed = 0;
  struct validate v;
  struct err err;

  validate_init(&v, 50, 1000 + length);
  validate_fill(&v, &random, buf, length, 3, 1000);
  OK(validate_check(&v, buf, length, 3, 1000, "f", &err) == 0,
     "whole data pass");
  OK(length < 16 || validate_check(&v, buf, length, 3, 1050, "f", &err) < 0,
     "data of another place do not");
  for (unsigned bit = 0; bit < length * 8; bit++) {
    buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
    missed += validate_check(&v, buf, length, 3, 1000, "f", &err) == 0;
    buf[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  if (length % 50 == 0 || length % 50 >= 16)
    OK(missed == 0, "every damaged bit is found");
  else
    OK(missed == length % 50 * 8, "a short rest is not checked");
}

static void test_message(void)
{
  unsigned char buf[64];
  uint64_t random = 7;
  struct validate v;
  struct err err;

  validate_init(&v, 32, 1 << 20);
  validate_fill(&v, &random, buf, 64, 3, 128);
  buf[40] ^= 1;
  OK(validate_check(&v, buf, 64, 3, 128, "test_file.5", &err) < 0, "damaged");
  OK(strstr(err.text, "'test_file.5' at offset 160") != NULL,
     "file and offset of the block");
  OK(strstr(err.text, "--file-block-size") != NULL, "what may be wrong");
}

/* Whole blocks are in a wrong place. */
static void test_mark(void)
{
  unsigned char buf[64];
  uint64_t random = 7;
  uint32_t generation = 0;
  struct validate v;
  struct err err;

  validate_init(&v, 64, 1 << 20);
  v.generation = 77;
  validate_fill(&v, &random, buf, 64, 5, 0);
  OK(validate_check(&v, buf, 64, 5, 0, "f", &err) == 0, "the right file");
  OK(validate_check(&v, buf, 64, 6, 0, "f", &err) < 0 &&
       strstr(err.text, "file number 5"),
     "another file");
  v.generation = 78;
  OK(validate_check(&v, buf, 64, 5, 0, "f", &err) < 0 &&
       strstr(err.text, "another prepare"),
     "another generation");
  OK(validate_look(buf + 64 - VALIDATE_TAIL, &generation) == VALIDATE_MARK &&
       generation == 77,
     "the generation can be read");

  /* An older version would have written this. */
  memset(buf + 64 - VALIDATE_TAIL, 'x', 16);
  const uint32_t crc = validate_crc(buf, 52);
  memcpy(buf + 52, &crc, sizeof(crc));
  OK(validate_check(&v, buf, 64, 9, 0, "f", &err) == 0,
     "a block without a mark belongs to any file");
  OK(validate_look(buf + 64 - VALIDATE_TAIL, &generation) == VALIDATE_UNMARKED,
     "that can be told");
  memset(buf, 0, sizeof(buf));
  OK(validate_look(buf + 64 - VALIDATE_TAIL, &generation) == VALIDATE_NONE,
     "from a file without checksums");
  OK(validate_new_generation(1, 2) != validate_new_generation(1, 3) &&
       validate_new_generation(1, 2) != validate_new_generation(2, 2) &&
       validate_new_generation(1, 0) == validate_new_generation(1, 0),
     "generations differ by both numbers");
}

/* prepare fills whole blocks: the last one has its trailer where the used part
 * of the file ends. */
static void test_last_block(void)
{
  unsigned char buf[64], zero[64] = { 0 };
  uint64_t random = 7;
  struct validate v;
  struct err err;

  validate_init(&v, 32, 52);
  validate_fill(&v, &random, buf, 64, 3, 0);
  OK(validate_check(&v, buf, 52, 3, 0, "f", &err) == 0,
     "a request that ends with the file passes");
  OK(memcmp(buf + 52, zero, 12) == 0, "beyond are zero bytes");
}

static void test_layout(void)
{
  static const struct {
    uint64_t num;
    const char *block;
    uint64_t total, merged;
    int mode;
    uint64_t file_bytes, request, per_file;
  } good[] = {
    { 3, "16384", 409600, 0, FILE_MODE_RNDRD, 136533, 16384, 9 },
    { 3, "4096", 100000, 0, FILE_MODE_SEQWR, 33333, 4096, 9 },
    { 3, "4096", 100000, 4, FILE_MODE_SEQWR, 33333, 16384, 3 },
    { 3, "4096", 100000, 4, FILE_MODE_RNDWR, 33333, 4096, 9 },
    { 3, "4096", 100000, 4, -1, 33333, 4096, 9 },
    { 1, "4096", 1, 0, FILE_MODE_SEQRD, 1, 4096, 1 },
  };
  static const struct {
    uint64_t num;
    const char *block;
    uint64_t total, merged;
    bool validate;
    const char *why;
  } bad[] = {
    { 3, "4096", 2, 0, false, "--file-total-size: '2'" },
    { 1, "15", 100, 0, true, "--file-block-size: '15'" },
    { 1, "3G", UINT64_C(1) << 40, 0, false, "--file-block-size" },
    { 1, "1M", UINT64_C(1) << 40, 2048, false, "--file-merged-requests" },
    { 1, "1M", UINT64_C(1) << 40, INT64_MAX, false, "--file-merged-requests" },
    { 1, "4K@1,8K@1", 1 << 20, 0, true, "one size with --validate" },
    { 1, "4K@1,8K@1", 1 << 20, 0, false, "one size in this" },
  };
  struct layout l = { 0 };
  struct err err;

  for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
    const struct fileio_cfg cfg = { .num = good[i].num,
                                    .block_size = good[i].block,
                                    .total_size = good[i].total,
                                    .merged = good[i].merged };

    OK(layout_init(&l, &cfg, 0, good[i].mode, false, &err) == 0 &&
         l.file_bytes == good[i].file_bytes && l.request == good[i].request &&
         l.per_file == good[i].per_file &&
         l.places == good[i].per_file * good[i].num,
       "sizes that do not divide");
  }
  for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
    const struct fileio_cfg cfg = { .num = bad[i].num,
                                    .block_size = bad[i].block,
                                    .total_size = bad[i].total,
                                    .merged = bad[i].merged };

    err.text[0] = '\0';
    OK(layout_init(&l, &cfg, 0, FILE_MODE_SEQRD, bad[i].validate, &err) < 0 &&
         strstr(err.text, bad[i].why),
       bad[i].why);
  }
}

static void test_direct(void)
{
  struct layout l = { .blocks = { .n = 2, .size = { 4096, 8192 } },
                      .file_bytes = 8192 };
  struct err err;

  OK(layout_check_direct(&l, 512, &err) == 0, "multiples are accepted");
  l.blocks.size[1] = 4097;
  OK(layout_check_direct(&l, 512, &err) < 0 && strstr(err.text, "512"),
     "an odd block is refused, naming the size");
  l.blocks.size[1] = 4096;
  l.file_bytes = 8193;
  OK(layout_check_direct(&l, 512, &err) < 0 && strstr(err.text, "8193"),
     "an odd file is refused");
}

static void test_size_text(void)
{
  static const struct {
    uint64_t bytes;
    const char *text;
  } expected[] = {
    { 0, "0" },
    { 1000, "1000" },
    { 16384, "16Ki" },
    { 333333, "325.52Ki" },
    { 1000000, "976.56Ki" },
    { UINT64_C(2) << 30, "2Gi" },
    { UINT64_C(5000) << 40, "5000Ti" },
  };
  char buf[32];

  for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
    OK_STR(layout_size_text(expected[i].bytes, buf, sizeof(buf)),
           expected[i].text, "a size for people");
}

static void test_flags(void)
{
  static const char *const words[] = { "direct", "sync" };
  const struct fileio_cfg cfg = { .extra_flags = { 2, words } };

  OK_STR(fileio_flags_text(fileio_flags(&cfg)), "sync directio", "flags");
  OK_STR(fileio_flags_text(0), "(none)", "no flags");
  OK_STR(fileio_flags_text(7), "sync dsync directio", "all flags");
}

int main(void)
{
  test_crc();
  test_trailer();
  test_damage(100);
  test_damage(66);
  test_damage(65);
  test_damage(50);
  test_damage(10);
  test_message();
  test_mark();
  test_last_block();
  test_layout();
  test_direct();
  test_size_text();
  test_flags();
  return TAP_EXIT();
}
