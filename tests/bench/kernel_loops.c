/*
 * kernel_loops.c - the yardstick of the cpu test's kernels: the same work, as
 * one writes it down without further thought.  Prints nanoseconds per
 * operation, the best of many rounds.
 *
 * usage: kernel_loops int|div|fp|sort
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  ROUNDS = 300,
  STEPS = 1 << 18,
  SIDE = 64,
  NUMBERS = 1 << 13,
};

static double now_ns(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* What a round leaves; as a volatile, so that it is computed. */
static volatile uint64_t result;

static double do_int(void)
{
  uint64_t x = result + 1;

  for (int i = 0; i < STEPS; i++) {
    x = x * UINT64_C(0x5851f42d4c957f2d) + UINT64_C(0x14057b7ef767814f);
    x ^= x >> 31;
  }
  result = x;
  return STEPS;
}

static double do_div(void)
{
  const uint64_t first = (UINT64_C(1) << 40) + 1;
  uint64_t n = 0;

  for (uint64_t x = first; x < first + 1024; x += 2) {
    for (uint64_t d = 3; d <= 1023; d += 2) {
      n++;
      if (x % d == 0)
        break;
    }
  }
  result = n;
  return (double)n;
}

static double do_fp(void)
{
  static double a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

  a[1][1] = (double)(result & 1);
  for (int i = 0; i < SIDE; i++) {
    for (int k = 0; k < SIDE; k++) {
      for (int j = 0; j < SIDE; j++)
        c[i][j] += a[i][k] * b[k][j];
    }
  }
  result = (uint64_t)c[1][1];
  return (double)SIDE * SIDE * SIDE;
}

static int by_size(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

  return (x > y) - (x < y);
}

static double do_sort(void)
{
  static uint32_t from[NUMBERS], to[NUMBERS];

  if (from[0] == 0) {
    for (int i = 0; i < NUMBERS; i++)
      from[i] = (uint32_t)rand() + 1; /* NOLINT: any order will do */
  }
  memcpy(to, from, sizeof(to));
  qsort(to, NUMBERS, sizeof(to[0]), by_size);
  result = to[NUMBERS / 2];
  return NUMBERS;
}

static const struct {
  const char *name;
  double (*round)(void); /* its operations */
} loops[] = {
  { "int", do_int },
  { "div", do_div },
  { "fp", do_fp },
  { "sort", do_sort },
};

int main(int argc, char **argv)
{
  for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
    double best = 1e18;

    if (argc != 2 || strcmp(argv[1], loops[i].name) != 0)
      continue;
    for (int n = 0; n < ROUNDS; n++) {
      const double begin = now_ns(), operations = loops[i].round();
      const double one = (now_ns() - begin) / operations;

      best = one < best ? one : best;
    }
    printf("%.4f\n", best);
    return 0;
  }
  (void)fputs("usage: kernel_loops int|div|fp|sort\n", stderr);
  return 2;
}
