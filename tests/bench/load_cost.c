/*
 * load_cost.c - what it costs to make one row, in each form: CPU time.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "../unit/rand_usual.h"
#include "base/compiler.h"
#include "load/rows.h"

enum {
  ROWS = 2000000,
  BATCH = 500
};

static double now_ns(void)
{
  struct timespec t;

  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(const char *name, enum rows_form form, enum rand_type type)
{
  static char buffer[BATCH * ROWS_MAX];
  const struct rand_params params = rand_usual(type);
  struct rows rows;
  uint64_t bytes = 0;
  double ns;

  rows_init(&rows, &params, 42, 1, ROWS);
  ns = now_ns();
  for (uint64_t id = 1; id <= ROWS;) {
    size_t len = 0;

    for (int i = 0; i < BATCH; i++)
      len += rows_put(&rows, form, id++, buffer + len);
    OPAQUE(len);
    bytes += len;
  }
  ns = now_ns() - ns;
  printf("%-8s %6.1f ns per row, %6.0f MB/s\n", name, ns / ROWS,
         (double)bytes / ns * 1e3);
}

int main(void)
{
  measure("plain", ROWS_PLAIN, RAND_UNIFORM);
  measure("binary", ROWS_BINARY, RAND_UNIFORM);
  measure("sql", ROWS_SQL, RAND_UNIFORM);
  measure("special", ROWS_PLAIN, RAND_SPECIAL);
  measure("gaussian", ROWS_PLAIN, RAND_GAUSSIAN);
  measure("pareto", ROWS_PLAIN, RAND_PARETO);
  measure("zipfian", ROWS_PLAIN, RAND_ZIPFIAN);
  return 0;
}
