/*
 * store_loop.c - a loop of 8-byte stores over a block: the yardstick of the
 * memory test.  Prints MiB/s, of all threads together.
 *
 * usage: store_loop BYTES SECONDS THREADS global|local
 *
 * All threads write to one block, or each to one of its own.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  MAX_THREADS = 64,
  PAGE = 4096,
};

struct loop {
  size_t bytes;
  double seconds;
  uint64_t *block;
  pthread_barrier_t *start;
  double mib_per_s; /* written by the thread */
};

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

static void *run(void *arg)
{
  struct loop *l = arg;
  /* The clock is read after about a megabyte. */
  const size_t batch = 1 + (1u << 20) / l->bytes;
  uint64_t rounds = 0;
  double start, end;

  (void)pthread_barrier_wait(l->start);
  start = now_s();
  do {
    for (size_t i = 0; i < batch; i++)
      store(l->block, l->bytes / 8, rounds++);
    end = now_s();
  } while (end - start < l->seconds);
  l->mib_per_s = (double)rounds * (double)l->bytes / 1048576.0 / (end - start);
  return NULL;
}

static uint64_t *new_block(size_t bytes)
{
  uint64_t *block = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);

  if (!block)
    exit(1);
  store(block, bytes / 8, 0); /* the pages are there */
  return block;
}

/* Returns the sum of the threads' rates. */
static double measure(size_t bytes, double seconds, unsigned threads,
                      bool global)
{
  struct loop loop[MAX_THREADS];
  pthread_t thread[MAX_THREADS];
  pthread_barrier_t start;
  uint64_t *shared = global ? new_block(bytes) : NULL;
  double sum = 0;

  if (pthread_barrier_init(&start, NULL, threads) != 0)
    exit(1);
  for (unsigned i = 0; i < threads; i++) {
    loop[i] = (struct loop){ .bytes = bytes,
                             .seconds = seconds,
                             .block = global ? shared : new_block(bytes),
                             .start = &start };
    if (pthread_create(&thread[i], NULL, run, &loop[i]) != 0)
      exit(1);
  }
  for (unsigned i = 0; i < threads; i++) {
    (void)pthread_join(thread[i], NULL);
    sum += loop[i].mib_per_s;
    if (!global)
      free(loop[i].block);
  }
  (void)pthread_barrier_destroy(&start);
  free(shared);
  return sum;
}

int main(int argc, char **argv)
{
  const bool complete = argc == 5;
  const size_t bytes = complete ? strtoul(argv[1], NULL, 10) : 0;
  const double seconds = complete ? atof(argv[2]) : 0;
  const unsigned long threads = complete ? strtoul(argv[3], NULL, 10) : 0;
  const bool global = complete && strcmp(argv[4], "global") == 0;

  if (bytes < 8 || bytes % 8 != 0 || seconds <= 0 || threads < 1 ||
      threads > MAX_THREADS || (!global && strcmp(argv[4], "local") != 0)) {
    (void)fputs("usage: store_loop BYTES SECONDS THREADS global|local\n",
                stderr);
    return 1;
  }
  (void)printf("%.1f\n", measure(bytes, seconds, (unsigned)threads, global));
  return 0;
}
