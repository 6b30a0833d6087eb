/*
 * test_fileio_owned.c - which files fileio may remove or overwrite: its own.
 */
#include <stdio.h>
#include <unistd.h>

#include "tests/fileio/validate.h"
#include "tests/unit/tap.h"

enum {
  BLOCK = 16384,
  BLOCKS = 4,
  BYTES = BLOCKS * BLOCK,
};

static unsigned char data[BYTES];

/* A file with these bytes, of which `bytes` are claimed. */
static bool owned(size_t len, uint64_t bytes, uint64_t block)
{
  FILE *f = tmpfile();
  bool yes;

  MUST(f && fwrite(data, 1, len, f) == len && fflush(f) == 0);
  yes = owned_by_fileio(fileno(f), bytes, block);
  (void)fclose(f);
  return yes;
}

/* Blocks of zeros, except for those from `first` to before `end`, which have
 * the text of somebody. */
static bool owned_with_text(unsigned first, unsigned end)
{
  memset(data, 0, sizeof(data));
  memset(data + first * BLOCK, 'x', (size_t)(end - first) * BLOCK);
  return owned(sizeof(data), sizeof(data), BLOCK);
}

static void zeros(void)
{
  OK(owned_with_text(0, 0), "a file of zeros");
  OK(owned_with_text(3, 4), "a block of four is something else");
  OK(!owned_with_text(2, 4), "half of a file is something else");
  OK(!owned_with_text(1, 4), "most of a file is something else");
  OK(!owned_with_text(0, 1), "the first block is something else");
  OK(!owned_with_text(0, 4), "all of it");
  memset(data, 0, sizeof(data));
  OK(owned(0, 0, BLOCK), "an empty file");
  OK(!owned(BLOCK, sizeof(data), BLOCK), "a file that ends too early");
  OK(!owned_by_fileio(-1, sizeof(data), BLOCK), "a file that cannot be read");
}

static void checksums(void)
{
  struct validate v;
  uint64_t random = 1;

  validate_init(&v, BLOCK, sizeof(data));
  validate_fill(&v, &random, data, sizeof(data), 0, 0);
  OK(owned(sizeof(data), sizeof(data), BLOCK), "blocks of --validate");
  OK(owned(sizeof(data), sizeof(data), 2 * BLOCK), "of another size");
  data[1] ^= 1;
  OK(owned(sizeof(data), sizeof(data), BLOCK),
     "the first one is damaged, but others have their marks");
  for (unsigned i = 0; i < BLOCKS; i++)
    data[i * BLOCK + 1] ^= i > 0;
  OK(!owned(sizeof(data), sizeof(data), BLOCK), "all are damaged");
}

static void stamps(void)
{
  const struct stamp s = { .run = 1, .generation = 1, .file = 0 };
  stamp_fill(&s, data, sizeof(data));
  OK(owned(sizeof(data), sizeof(data), BLOCK), "blocks of --file-crash-log");
  data[BLOCK] ^= 1;
  OK(owned(sizeof(data), sizeof(data), BLOCK), "a block is damaged");
  memset(data + BLOCK, 'x', (BLOCKS - 1) * (size_t)BLOCK);
  OK(owned(sizeof(data), sizeof(data), BLOCK),
     "one stamp is proof: runs of sysbench may have written the rest");
  memset(data, 'x', sizeof(data));
  OK(!owned(sizeof(data), sizeof(data), BLOCK), "without any it is foreign");
}

int main(void)
{
  zeros();
  checksums();
  stamps();
  return TAP_EXIT();
}
