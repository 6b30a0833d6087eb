/*
 * store_loop.c - a loop of 8-byte stores over one block: the yardstick of the
 * memory test.  Prints MiB/s.
 *
 * usage: store_loop BYTES SECONDS
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* volatile: each store is made, by itself; else it would become a memset. */
static void store(volatile uint64_t *block, size_t n, uint64_t value)
{
  for (size_t i = 0; i < n; i++)
    block[i] = value;
}

int main(int argc, char **argv)
{
  const size_t bytes = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
  const double seconds = argc == 3 ? atof(argv[2]) : 0;
  /* The clock is read after about a megabyte. */
  const size_t batch = bytes ? 1 + (1u << 20) / bytes : 1;
  uint64_t *block, rounds = 0;
  double start, end;

  if (bytes < 8 || bytes % 8 != 0 || seconds <= 0) {
    (void)fputs("usage: store_loop BYTES SECONDS\n", stderr);
    return 1;
  }
  block = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
  if (!block)
    return 1;
  store(block, bytes / 8, 0); /* the pages are there */
  start = now_s();
  do {
    for (size_t i = 0; i < batch; i++)
      store(block, bytes / 8, rounds++);
    end = now_s();
  } while (end - start < seconds);
  (void)printf("%.1f\n",
               (double)rounds * (double)bytes / 1048576.0 / (end - start));
  free(block);
  return 0;
}
