/*
 * memory_loops.c - plain loops over memory, as one writes them by hand, and a
 * plain chase: the yardsticks of --memory-test=bandwidth and latency.
 *
 * usage: memory_loops BYTES SECONDS read|write|copy|scale-add|write-nt|...
 *        memory_loops BYTES SECONDS chase huge|small
 *
 * Prints MiB/s, the best pass of those that fit into the time, counted as the
 * bytes that are read and written; or nanoseconds per access, the lower
 * quartile of the samples.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
  SAMPLES_MAX = 4096,
  HUGE = 2 << 20,
  LINE = 64,
};

static double now_s(void)
{
  struct timespec ts;

  (void)clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

static void *memory(size_t bytes, int huge)
{
  char *p = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (p == MAP_FAILED)
    exit(1);
  p += HUGE - (uintptr_t)p % HUGE;
  (void)madvise(p, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  memset(p, 1, bytes);
  return p;
}

static void hide(void *p)
{
  __asm__ volatile("" : : "r"(p) : "memory");
}

static void loop_read(double *a, size_t n)
{
  const uint64_t *p = (const uint64_t *)a;
  uint64_t sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += p[i];
  __asm__ volatile("" : : "r"(sum));
}

static void loop_write(double *a, size_t n)
{
  for (size_t i = 0; i < n; i++)
    a[i] = 1.5;
}

static void loop_copy(double *a, size_t n)
{
  const double *b = a + n / 2;

  /* The compiler may call memcpy(): that is what people write. */
  for (size_t i = 0; i < n / 2; i++)
    a[i] = b[i];
}

static void loop_scale_add(double *restrict a, size_t n)
{
  const double *restrict b = a + n / 3, *restrict c = a + n / 3 * 2;

  for (size_t i = 0; i < n / 3; i++)
    a[i] = b[i] + 3.0 * c[i];
}

#if defined(__x86_64__)
static void loop_write_nt(double *a, size_t n)
{
  for (size_t i = 0; i < n; i += 2)
    _mm_stream_pd(a + i, _mm_set1_pd(1.5));
  _mm_sfence();
}

static void loop_copy_nt(double *a, size_t n)
{
  const double *b = a + n / 2;

  for (size_t i = 0; i < n / 2; i += 2)
    _mm_stream_pd(a + i, _mm_loadu_pd(b + i));
  _mm_sfence();
}

static void loop_scale_add_nt(double *a, size_t n)
{
  const double *b = a + n / 3, *c = a + n / 3 * 2;

  for (size_t i = 0; i < n / 3; i += 2)
    _mm_stream_pd(a + i,
                  _mm_add_pd(_mm_loadu_pd(b + i),
                             _mm_mul_pd(_mm_set1_pd(3), _mm_loadu_pd(c + i))));
  _mm_sfence();
}
#endif

static const struct {
  const char *name;
  void (*run)(double *a, size_t n);
} loops[] = {
  { "read", loop_read },
  { "write", loop_write },
  { "copy", loop_copy },
  { "scale-add", loop_scale_add },
#if defined(__x86_64__)
  { "write-nt", loop_write_nt },
  { "copy-nt", loop_copy_nt },
  { "scale-add-nt", loop_scale_add_nt },
#endif
};

static int measure(const char *name, size_t bytes, double seconds)
{
  /* Parts of a block at different places of their pages. */
  const size_t n = (bytes / 3072 / 8 * 8 + 1 - 8) * 384;
  double *a = memory(bytes, 1), end = now_s() + seconds;
  double rates[SAMPLES_MAX];
  size_t passes = 0;

  for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
    if (strcmp(loops[i].name, name) != 0)
      continue;
    while (passes < SAMPLES_MAX && (passes < 3 || now_s() < end)) {
      const double begin = now_s();

      loops[i].run(a, n);
      hide(a);
      rates[passes++] = (double)n * 8 / 1048576 / (now_s() - begin);
    }
    qsort(rates, passes, sizeof(*rates), ascending);
    printf("%.1f\n", rates[passes - 1]);
    return 0;
  }
  fprintf(stderr, "no loop '%s'\n", name);
  return 1;
}

/* An array of indexes, shuffled to one cycle, becomes a list of lines. */
static void **make_cycle(char *p, size_t lines)
{
  size_t *order = malloc(lines * sizeof(*order));
  uint64_t x = 88172645463325252U;

  if (!order)
    exit(1);
  for (size_t i = 0; i < lines; i++)
    order[i] = i;
  for (size_t i = lines - 1; i > 0; i--) {
    size_t k, t = order[i];

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    k = x % (i + 1);
    order[i] = order[k];
    order[k] = t;
  }
  for (size_t i = 0; i < lines; i++)
    *(void **)(void *)(p + order[i] * LINE) = p + order[(i + 1) % lines] * LINE;
  free(order);
  return (void **)(void *)p;
}

static int chase(size_t bytes, double seconds, int huge)
{
  void **at = make_cycle(memory(bytes, huge), bytes / LINE);
  double ns[SAMPLES_MAX], end = now_s() + seconds;
  size_t n = 0, steps = 1000;

  for (size_t i = 0; i < bytes / LINE; i++)
    at = *at;
  while (n < SAMPLES_MAX && (n < 3 || now_s() < end)) {
    struct rusage before, after;
    const double begin = (getrusage(RUSAGE_THREAD, &before), now_s());

    for (size_t i = 0; i < steps; i++) {
      at = *at;
      hide(at);
    }
    ns[n] = (now_s() - begin) / (double)steps * 1e9;
    (void)getrusage(RUSAGE_THREAD, &after);
    steps = (size_t)(100e3 / ns[n]) + 1; /* about 0.1 ms */
    n += before.ru_nivcsw == after.ru_nivcsw && ns[n] > 0;
  }
  qsort(ns, n, sizeof(*ns), ascending);
  printf("%.3f\n", ns[n / 4]);
  return 0;
}

int main(int argc, char **argv)
{
  cpu_set_t first;

  if (argc < 4)
    return 1;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  (void)sched_setaffinity(0, sizeof(first), &first);
  if (strcmp(argv[3], "chase") == 0)
    return chase(strtoull(argv[1], NULL, 10), atof(argv[2]),
                 argc < 5 || strcmp(argv[4], "huge") == 0);
  return measure(argv[3], strtoull(argv[1], NULL, 10), atof(argv[2]));
}
