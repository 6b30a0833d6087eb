/*
 * test_memory_streams.c - loops over memory do what they should, with every
 * width that this processor has, and their bytes are counted as documented.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/figure.h"
#include "tests/memory/bandwidth.h"
#include "tests/memory/streams.h"
#include "tests/unit/tap.h"

enum {
  WORDS = 384 * 17,
};

static double memory[WORDS + 16] __attribute__((aligned(64)));

static bool verifies(const struct streams *of, enum stream s, size_t n)
{
  const struct stream_block b = { memory, n, 23 };
  bool right;

  for (size_t i = n; i < WORDS + 16; i++)
    memory[i] = -1;
  right = stream_verify(of, s, &b);
  for (size_t i = n; i < WORDS + 16; i++)
    right = right && memory[i] == -1;
  return right;
}

static void test_loops(const struct streams *of)
{
  char what[80];
  bool all = true;

  for (int s = 0; s < STREAMS; s++) {
    if (!of->run[s])
      continue;
    for (size_t n = 384; n <= WORDS; n += 384)
      all = all && verifies(of, (enum stream)s, n);
  }
  (void)snprintf(what, sizeof(what),
                 "%s: every word, and none behind the block", of->name);
  OK(all, what);
}

/* A loop that does nothing must be detected. */
static uint64_t idle(const struct stream_block *b)
{
  (void)b;
  return 0;
}

/* A loop that misses a single word must be detected, too. */
static uint64_t forgetful(const struct stream_block *b)
{
  const double kept = b->words[b->n - 1];

  streams_baseline()->run[STREAM_WRITE](b);
  b->words[b->n - 1] = kept;
  return 0;
}

static void test_verify(void)
{
  struct streams wrong = *streams_baseline();
  bool all = true;

  for (int s = 0; s < STREAMS; s++) {
    wrong.run[s] = idle;
    all = all && !verifies(&wrong, (enum stream)s, 384);
  }
  wrong.run[STREAM_WRITE] = forgetful;
  OK(all, "a loop that does nothing is wrong");
  OK(!verifies(&wrong, STREAM_WRITE, 384), "so is one that misses a word");
}

/* The model of a block's content agrees with the loops. */
static void test_content(void)
{
  static const enum stream order[] = { STREAM_WRITE, STREAM_SCALE, STREAM_READ,
                                       STREAM_COPY,  STREAM_SCALE, STREAM_READ,
                                       STREAM_WRITE, STREAM_READ };
  struct stream_block b = { memory, 384 * 9, 5 };
  const struct streams *of = streams_best();
  struct stream_content c = { 0, 0 };
  bool is = true, sums = true;

  for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
    uint64_t sum;

    b.value = (double)i + 5;
    sum = of->run[order[i]](&b);
    c = stream_content_after(c, order[i], b.value);
    is = is && stream_content_is(c, &b);
    sums = sums &&
           (order[i] != STREAM_READ || sum == stream_content_sum(c, b.n));
  }
  OK(is && sums, "what a block holds after each loop, and its sum");
  memory[1000] += 1;
  OK(!stream_content_is(c, &b) &&
       of->run[STREAM_READ](&b) != stream_content_sum(c, b.n),
     "a wrong word is seen by both");
}

static void test_bytes(void)
{
  const size_t n = 384; /* 3072 bytes */

  OK(stream_counted_bytes(STREAM_READ, n) == 3072 &&
       stream_counted_bytes(STREAM_WRITE, n) == 3072 &&
       stream_counted_bytes(STREAM_COPY, n) == 3072 &&
       stream_counted_bytes(STREAM_SCALE_NT, n) == 3072,
     "counted: each loop goes over the block once");
  OK(stream_owned_bytes(STREAM_READ, n) == 3072 &&
       stream_owned_bytes(STREAM_WRITE, n) == 6144 &&
       stream_owned_bytes(STREAM_COPY, n) == 3072 + 1536 &&
       stream_owned_bytes(STREAM_SCALE, n) == 3072 + 1024,
     "with owned: plain stores read their lines first");
  OK(stream_owned_bytes(STREAM_WRITE_NT, n) == 3072 &&
       stream_owned_bytes(STREAM_COPY_NT, n) == 3072 &&
       stream_owned_bytes(STREAM_SCALE_NT, n) == 3072,
     "stores past the caches do not");
}

static void test_sizes(void)
{
  bool all = true;

  for (uint64_t bytes = 3072; bytes < 300000; bytes += 1000) {
    const size_t n = stream_words_in(bytes);

    all = all && n > 0 && n % 384 == 0 && n * 8 <= bytes &&
          n / 2 * 8 % 4096 != 0 && n / 3 * 8 % 4096 != 0;
  }
  OK(all, "parts of a block are at different places of their pages");
  OK(stream_words_in(3071) == 0, "too few bytes are no block");
}

static void test_summary(void)
{
  double x[] = { 5, 1, 3, 2, 4 }, scratch[5];

  figure_sort(x, 5);
  OK(figure_quantile(x, 5, 0.5) == 3 && figure_quantile(x, 5, 0.25) == 2 &&
       figure_quantile(x, 5, 0.125) == 1.5 && figure_quantile(x, 5, 1) == 5,
     "quantiles");
  OK(figure_mad(x, 5, scratch) == 1, "the median distance from the median");
}

static void test_few_rounds(void)
{
  static struct bandwidth b;
  struct bandwidth_figures few, enough;

  for (int i = 0; i < BANDWIDTH_ROUNDS_MIN; i++)
    b.of[STREAM_READ].bytes_per_s[i] = 1000.0 * (i + 1);
  atomic_store(&b.of[STREAM_READ].n, BANDWIDTH_ROUNDS_MIN - 1);
  bandwidth_figures(&b, STREAM_READ, &few);
  atomic_store(&b.of[STREAM_READ].n, BANDWIDTH_ROUNDS_MIN);
  bandwidth_figures(&b, STREAM_READ, &enough);
  OK(few.rounds == 0 && few.median == 0, "a loop of two rounds has no figure");
  OK(enough.rounds == 3 && enough.median == 2000, "a loop of three has one");
}

int main(void)
{
  for (size_t i = 0; streams_at(i); i++)
    test_loops(streams_at(i));
  test_verify();
  test_content();
  test_bytes();
  test_sizes();
  test_summary();
  test_few_rounds();
  return TAP_EXIT();
}
