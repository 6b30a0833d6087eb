/*
 * test_memory.c - the memory test goes over every word of its block.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "stats/rand/stream.h"
#include "tests/memory/classic.h"
#include "tests/unit/tap.h"

enum {
  MAX = 256
};

static uint64_t words[MAX + 1];

/* Counts the words with this value. */
static uint64_t with_value(uint64_t value)
{
  uint64_t n = 0;

  for (int i = 0; i <= MAX; i++)
    n += words[i] == value;
  return n;
}

static void test_sequential(void)
{
  bool all = true;

  for (uint64_t n = 1; n <= MAX; n *= 2) {
    const struct memory_block b = { .words = words, .n = n, .value = n };

    memset(words, 0, sizeof(words));
    memory_kernels[MEMORY_WRITE][MEMORY_SEQ](&b);
    all = all && with_value(n) == n && words[n] == 0;
  }
  OK(all, "every word is stored, none behind the block");
}

/* Sixteen rounds miss a given word once in ten million times. */
static void test_random(void)
{
  static struct rand_stream s;
  static const struct rand_params params;
  const struct memory_block b = {
    .words = words, .n = MAX, .value = 7, .rand = &s
  };

  rand_stream_init(&s, &params, 1, RNG_WORKLOAD, 0, 1);
  memset(words, 0, sizeof(words));
  for (int i = 0; i < 16; i++)
    memory_kernels[MEMORY_WRITE][MEMORY_RND](&b);
  OK(with_value(7) == MAX && words[MAX] == 0, "random places are everywhere");
}

static void test_buffer(void)
{
  struct memory_buffer b = { 0 };
  struct err err = { 0 };
  int rc = memory_buffer_map(&b, 1, false, &err);

  OK(rc == 0 && b.mapped >= 4096 && b.words[b.mapped / 8 - 1] == 0,
     "memory of whole pages");
  memory_buffer_unmap(&b);
  b = (struct memory_buffer){ 0 };
  rc = memory_buffer_map(&b, 1, true, &err);
  OK(rc == 0 ? b.mapped >= 65536 : strstr(err.text, "huge pages") != NULL,
     "of whole huge pages, or it says that there are none");
  memory_buffer_unmap(&b);
}

int main(void)
{
  test_sequential();
  test_random();
  test_buffer();
  return TAP_EXIT();
}
