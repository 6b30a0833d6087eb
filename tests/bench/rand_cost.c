/*
 * rand_cost.c - what a draw costs, in nanoseconds: the median of some rounds,
 * taken in turns so that a disturbance does not hit one kind only.
 *
 * Build with `make tests/bench/rand_cost`; without arguments it prints all,
 * with the number of a line only that one, as callgrind wants it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/rand_usual.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "rand/stream.h"
#include "rand/text.h"

enum {
  ROUNDS = 15,
  DRAWS = 200000,
};

struct bench {
  struct rand_stream stream;
  struct rand_params params;
  uint64_t sink;
};

static const char sbtest_c[] =
  "###########-###########-###########-###########-###########-"
  "###########-###########-###########-###########-###########";
static const char letters[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
                              "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"
                              "@@@@";

/* One measured loop: DRAWS times EXPR, with `s` the stream and `i` the turn. */
#define LOOP(name, expr)                   \
  static void name(struct bench *b)        \
  {                                        \
    struct rand_stream *s = &b->stream;    \
    uint64_t sum = 0;                      \
                                           \
    for (uint64_t i = 0; i < DRAWS; i++) { \
      sum += (uint64_t)(expr);             \
      OPAQUE(s);                           \
    }                                      \
    b->sink += sum;                        \
  }

static uint64_t seed_row(uint64_t row)
{
  struct rng rng;

  rng_seed2(&rng, 42, RNG_ROWS, 1, row);
  return rng_next(&rng);
}

static uint64_t fill(struct rand_stream *s, const char *format, size_t len)
{
  char out[sizeof(sbtest_c)];

  text_fill(&s->rng, format, len, out);
  return (uint64_t)out[0];
}

static uint64_t varstring(struct rand_stream *s)
{
  char out[100];

  return text_varstring(&s->rng, out, 50, 100);
}

LOOP(raw, rng_next(&s->rng))
LOOP(uniform, dist_uniform(&s->rng, 1, 1000000))
LOOP(gaussian, dist_gaussian(s->params, &s->rng, 1, 1000000))
LOOP(special, dist_special(s->params, &s->rng, 1, 1000000))
LOOP(pareto, dist_pareto(s->params, &s->rng, 1, 1000000))
LOOP(zipfian, dist_zipfian(s->params, &s->rng, &s->zipf, 1, 1000000))
LOOP(exponential, rng_exponential(&s->rng) * 1e6)
LOOP(row, seed_row(i))
LOOP(unique, uniq_next(&s->uniq))
LOOP(unique_range, uniq_in_range(&s->uniq, 1, 1000000))
LOOP(template_c, fill(s, sbtest_c, sizeof(sbtest_c) - 1))
LOOP(template_letters, fill(s, letters, sizeof(letters) - 1))
LOOP(varstrings, varstring(s))

static const struct {
  const char *name;
  void (*run)(struct bench *b);
} kinds[] = {
  { "64 bits", raw },
  { "uniform", uniform },
  { "gaussian", gaussian },
  { "special", special },
  { "pareto", pareto },
  { "zipfian", zipfian },
  { "exponential", exponential },
  { "seed a row's stream", row },
  { "unique", unique },
  { "unique in a range", unique_range },
  { "template, 110 digits of 119", template_c },
  { "template, 100 letters", template_letters },
  { "varstring(50, 100)", varstrings },
};

static int by_value(const void *x, const void *y)
{
  const double a = *(const double *)x, b = *(const double *)y;

  return (a > b) - (a < b);
}

static void measure_all(struct bench *b)
{
  static double ns[ARRAY_SIZE(kinds)][ROUNDS];

  for (int round = 0; round < ROUNDS; round++) {
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
      const uint64_t start = clock_now_ns();

      kinds[k].run(b);
      ns[k][round] = (double)(clock_now_ns() - start) / DRAWS;
    }
  }
  for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
    qsort(ns[k], ROUNDS, sizeof(ns[k][0]), by_value);
    printf("%2zu %-28s %7.1f ns\n", k, kinds[k].name, ns[k][ROUNDS / 2]);
  }
}

int main(int argc, char **argv)
{
  static struct bench b;

  b.params = rand_usual(RAND_UNIFORM);
  rand_stream_init(&b.stream, &b.params, 42, RNG_WORKLOAD, 0, 1);
  if (argc > 1 && (size_t)atoi(argv[1]) < ARRAY_SIZE(kinds))
    kinds[atoi(argv[1])].run(&b);
  else
    measure_all(&b);
  return b.sink == 1;
}
