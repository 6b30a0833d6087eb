/*
 * test_fileio_verdict.c - what verify of fileio knows: blocks and their stamps,
 * what a log says about them, and the judgement of each case.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "tests/fileio/files.h"
#include "tests/fileio/sync_log.h"
#include "tests/fileio/verify.h"
#include "tests/unit/tap.h"

enum {
  BLOCK = 2048,
  HALF = BLOCK / 2,
  FILE_NUMBER = 3,
  OFFSET = 5 * BLOCK,
  RUN = 77,
};

static void fill(void *to, uint64_t run, uint64_t generation, uint32_t file,
                 uint64_t offset)
{
  const struct stamp s = { .run = run,
                           .generation = generation,
                           .offset = offset,
                           .file = file,
                           .writer = 1 };

  stamp_fill(&s, to, BLOCK);
}

static enum verdict judge(const void *data, uint64_t got, int why,
                          uint64_t acked, uint64_t begun)
{
  const struct sync_log_block log = { .acked = acked, .begun = begun };
  struct found_block b = { .offset = OFFSET,
                           .bytes = BLOCK,
                           .file = FILE_NUMBER };

  verdict_look(&b, RUN, data, got, why);
  return verdict_judge(&b, &log);
}

/* A block of two halves: each is of a run and a generation, or zeros. */
struct half {
  uint64_t run, generation;
  bool elsewhere;
};

static const struct {
  const char *what;
  struct half first, second;
  uint64_t acked, begun;
  enum verdict want;
} halves[] = {
  { "the write", { RUN, 5 }, { RUN, 5 }, 5, 5, VERDICT_GOOD },
  { "a later write", { RUN, 9 }, { RUN, 9 }, 5, 9, VERDICT_GOOD },
  { "an older write", { RUN, 4 }, { RUN, 4 }, 5, 5, VERDICT_STALE },
  { "another run", { 1, 9 }, { 1, 9 }, 5, 5, VERDICT_STALE },
  { "nothing acknowledged", { 1, 9 }, { RUN, 2 }, 0, 5, VERDICT_FREE },
  { "zeros", { 0 }, { 0 }, 5, 5, VERDICT_LOST },
  { "zeros, free", { 0 }, { 0 }, 0, 0, VERDICT_FREE },
  { "half older", { RUN, 5 }, { RUN, 4 }, 5, 5, VERDICT_TORN },
  { "half older, later write", { RUN, 9 }, { RUN, 4 }, 5, 9, VERDICT_TORN },
  { "half later", { RUN, 9 }, { RUN, 5 }, 5, 9, VERDICT_UNFINISHED },
  { "two later", { RUN, 9 }, { RUN, 7 }, 5, 9, VERDICT_UNFINISHED },
  { "half zeros", { RUN, 5 }, { 0 }, 5, 9, VERDICT_TORN },
  { "half another run", { RUN, 5 }, { 1, 5 }, 5, 9, VERDICT_TORN },
  { "elsewhere",
    { RUN, 9, true },
    { RUN, 9, true },
    5,
    5,
    VERDICT_MISDIRECTED },
  { "half elsewhere", { RUN, 5 }, { RUN, 9, true }, 5, 5, VERDICT_MISDIRECTED },
  { "elsewhere, free", { 0 }, { RUN, 9, true }, 0, 0, VERDICT_MISDIRECTED },
};

static void fill_half(unsigned char *to, uint64_t at, const struct half *half)
{
  unsigned char whole[BLOCK] = { 0 };

  if (half->run > 0)
    fill(whole, half->run, half->generation, FILE_NUMBER,
         half->elsewhere ? OFFSET + BLOCK : OFFSET);
  memcpy(to + at, whole + at, HALF);
}

static void test_halves(void)
{
  unsigned char data[BLOCK];

  for (size_t i = 0; i < ARRAY_SIZE(halves); i++) {
    fill_half(data, 0, &halves[i].first);
    fill_half(data, HALF, &halves[i].second);
    OK(judge(data, BLOCK, 0, halves[i].acked, halves[i].begun) ==
         halves[i].want,
       halves[i].what);
  }
}

/* Every damaged bit is noticed, unless a write was going on. */
static void test_bits(void)
{
  unsigned char data[BLOCK];
  unsigned missed = 0, wrong = 0;

  fill(data, RUN, 5, FILE_NUMBER, OFFSET);
  for (unsigned bit = 0; bit < 8 * BLOCK; bit++) {
    data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    missed += !verdict_is_bad(judge(data, BLOCK, 0, 5, 5));
    wrong += judge(data, BLOCK, 0, 5, 9) != VERDICT_UNFINISHED &&
             judge(data, BLOCK, 0, 5, 9) != VERDICT_DAMAGED;
    data[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
  OK(missed == 0, "each bit counts");
  OK(wrong == 0, "a write that was going on may have left this");
}

static void test_missing(void)
{
  unsigned char data[BLOCK];

  fill(data, RUN, 5, FILE_NUMBER, OFFSET);
  OK(judge(data, 0, 0, 5, 9) == VERDICT_LOST, "no file");
  OK(judge(data, 600, 0, 5, 9) == VERDICT_LOST, "a short file");
  OK(judge(data, 0, 5, 5, 9) == VERDICT_LOST, "an error of the disk");
  OK(judge(data, 0, 0, 0, 9) == VERDICT_FREE, "nothing acknowledged");
  memset(data, 'x', BLOCK);
  OK(judge(data, BLOCK, 0, 5, 9) == VERDICT_DAMAGED, "unknown data");
}

static void test_words(void)
{
  const struct folder folder = { .path = "" };
  struct found_block b = { .offset = OFFSET,
                           .bytes = BLOCK,
                           .file = FILE_NUMBER };
  struct strbuf out = { 0 };
  unsigned char data[BLOCK];

  fill_half(data, 0, &(struct half){ RUN, 5 });
  fill_half(data, HALF, &(struct half){ RUN, 9, true });
  memset(data + BLOCK - 512, 0, 512);
  verdict_look(&b, RUN, data, BLOCK, 0);
  verdict_describe(&b, &folder, &out);
  OK_STR(strbuf_str(&out),
         "bytes 0 to 1023 generation 5 of thread 1, "
         "bytes 1024 to 1535 generation 9 of thread 1 for test_file.3, "
         "offset 12288, bytes 1536 to 2047 zeros",
         "the pieces of a block");
  strbuf_done(&out);
}

/* Sizes at which parts begin and end; each part can be looked at. */
static void test_parts(void)
{
  static const struct {
    uint64_t bytes, parts, last;
  } size[] = { { 63, 0, 0 },     { 64, 1, 64 },     { 511, 1, 511 },
               { 512, 1, 512 },  { 1000, 1, 1000 }, { 1024, 2, 512 },
               { 1025, 2, 513 }, { 5000, 9, 904 } };
  unsigned char data[5000];

  for (size_t i = 0; i < ARRAY_SIZE(size); i++) {
    const struct stamp s = { .run = 1, .generation = 2, .offset = 4096 };
    struct stamp got = { 0 };
    uint64_t sum = 0, good = 0;

    stamp_fill(&s, data, size[i].bytes);
    for (uint64_t p = 0; p < size[i].parts; p++) {
      const uint64_t n = stamp_part_bytes(size[i].bytes, p);

      good += stamp_look(data + sum, n, &got) == STAMP_GOOD &&
              got.offset == 4096 + sum;
      sum += n;
    }
    OK(stamp_parts(size[i].bytes) == size[i].parts && good == size[i].parts &&
         (size[i].parts == 0 ||
          stamp_part_bytes(size[i].bytes, size[i].parts - 1) == size[i].last),
       "parts of a block");
    OK(sum == (size[i].parts > 0 ? size[i].bytes : 0), "they cover it");
  }
}

static void add(struct sync_log *log, enum sync_log_kind kind, uint64_t block,
                uint32_t n, uint64_t generation)
{
  struct err err;

  MUST(sync_log_add(log,
                    (struct sync_log_record){ .kind = kind,
                                              .writer = 4,
                                              .n = n,
                                              .generation = generation,
                                              .block = block },
                    &err) == 0);
}

/* Two files of four blocks; the log goes past a piece of its file. */
static void test_log(void)
{
  const struct sync_log_header header = {
    .run = RUN, .files = 2, .file_bytes = 4 * BLOCK - 1, .block = BLOCK
  };
  struct sync_log_origin origin = { .generation = 4 };
  char path[] = "/tmp/test_fileio_verdictXXXXXX";
  struct sync_log_summary sum;
  struct sync_log_reader r;
  struct sync_log_block *block = NULL;
  struct sync_log *log = NULL;
  const int fd = mkstemp(path);
  struct err err;
  uint64_t before;

  MUST(fd >= 0 && close(fd) == 0);
  MUST(sync_log_new(&log, path, &header, &err) == 0);
  add(log, SYNC_LOG_BEGUN, 0, 1, 1);
  add(log, SYNC_LOG_WRITTEN, 0, 1, 1);
  add(log, SYNC_LOG_BEGUN, 1, 2, 3);
  before = sync_log_count(log);
  add(log, SYNC_LOG_WRITTEN, 1, 2,
      3); /* completed while file 0 is synchronised */
  add(log, SYNC_LOG_WRITTEN, 4, 1, 7);
  add(log, SYNC_LOG_SYNCED, 0, 0, before);
  for (unsigned i = 0; i < 300000; i++)
    add(log, SYNC_LOG_BEGUN, 3, 1, 8);
  add(log, SYNC_LOG_DURABLE, 7, 1, 9);
  MUST(sync_log_reader_open(&r, path, &err) == 0); /* as after a kill */
  MUST(sync_log_reader_collect(&r, &block, &sum, &err) == 0);
  OK(block[0].acked == 1, "written before the fsync began");
  OK(block[1].acked == 0 && block[2].acked == 0, "not while it goes on");
  OK(block[1].begun == 3 && block[2].begun == 4, "two blocks of a write");
  OK(block[4].acked == 0, "of another file");
  OK(block[3].begun == 8 && block[3].acked == 0, "many records");
  OK(block[7].acked == 9, "durable by itself");
  OK(!sum.ended && sum.syncs == 1 && sum.acked == 2, "the sums");
  sync_log_reader_close(&r);
  free(block);

  add(log, SYNC_LOG_SYNC_FAILED, 1, 0, sync_log_count(log));
  add(log, SYNC_LOG_SYNCED, 1, 0, sync_log_count(log));
  add(log, SYNC_LOG_SYNCED, 0, 0, sync_log_count(log));
  add(log, SYNC_LOG_END, 0, 0, 0);
  sync_log_free(log);
  MUST(sync_log_reader_open(&r, path, &err) == 0);
  MUST(sync_log_reader_collect(&r, &block, &sum, &err) == 0);
  OK(block[1].acked == 3 && block[2].acked == 4, "a later fsync");
  OK(block[4].acked == 0, "none that comes after a failed one");
  OK(sum.ended && sum.syncs == 2 && sum.acked == 4, "the sums");
  OK(sync_log_reader_find_origins(&r, &origin, 1, &err) == 0 &&
       origin.writer == 4,
     "who wrote the second block");
  sync_log_reader_close(&r);
  free(block);
  (void)unlink(path);
}

/* Writes the beginning of a log that was sent, as much as has arrived. */
static void sent_log(const char *path, bool with_gap, bool with_end)
{
  const struct sync_log_header header = { .run = RUN,
                                          .files = 1,
                                          .file_bytes = 2 * BLOCK,
                                          .block = BLOCK,
                                          .where = SYNC_LOG_SENT };
  const struct sync_log_record none = { .kind = 0 };
  struct sync_log *log = NULL;
  struct err err;
  FILE *f;

  MUST(sync_log_new(&log, path, &header, &err) == 0);
  add(log, SYNC_LOG_BEGUN, 0, 1, 1);
  add(log, SYNC_LOG_WRITTEN, 0, 1, 1);
  add(log, SYNC_LOG_SYNCED, 0, 0, sync_log_count(log));
  add(log, SYNC_LOG_BEGUN, 0, 1, 2);
  add(log, SYNC_LOG_BEGUN, 1, 1, 3);
  if (with_end)
    add(log, SYNC_LOG_END, 0, 0, 0);
  sync_log_free(log);
  if (!with_gap)
    return;
  f = fopen(path, "r+e");
  MUST(f &&
       fseek(f, SYNC_LOG_HEADER_BYTES + 3 * (long)sizeof(none), SEEK_SET) ==
         0 &&
       fwrite(&none, sizeof(none), 1, f) == 1 && fclose(f) == 0);
}

/* What may have begun, if records are missing?  Nobody knows, unless the log
 * has a later write. */
static void test_sent(void)
{
  const struct {
    bool gap, end, open;
  } row[] = {
    { false, true, false },
    { false, false, true },
    { true, true, true },
  };
  char path[] = "/tmp/test_fileio_verdictXXXXXX";
  const int fd = mkstemp(path);

  MUST(fd >= 0 && close(fd) == 0);
  for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
    struct sync_log_block *block = NULL;
    struct sync_log_summary sum;
    struct sync_log_reader r;
    struct err err;

    sent_log(path, row[i].gap, row[i].end);
    MUST(sync_log_reader_open(&r, path, &err) == 0);
    MUST(sync_log_reader_collect(&r, &block, &sum, &err) == 0);
    OK(sum.open == row[i].open && sum.gaps == row[i].gap, "is it complete?");
    OK(block[0].acked == 1 &&
         block[0].begun == (row[i].gap ? SYNC_LOG_NOBODY_KNOWS : 2),
       "a checksum that is wrong may be that of a later write, in the log or "
       "not");
    sync_log_reader_close(&r);
    free(block);
  }
  (void)unlink(path);
}

int main(void)
{
  test_sent();
  test_parts();
  test_halves();
  test_bits();
  test_missing();
  test_words();
  test_log();
  return TAP_EXIT();
}
