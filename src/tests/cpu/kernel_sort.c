/*
 * kernel_sort.c - sort: sorts 8,192 numbers, 32 KiB. Quicksort around the
 * median of three, insertion sort for small parts: comparisons that are hard to
 * predict, and moves.
 */
#include <string.h>

#include "tests/cpu/kernel.h"

enum {
  NUMBERS = 1 << 13,
  FEW = 16,
};

struct numbers {
  uint32_t from[NUMBERS], to[NUMBERS];
};

static int kernel_sort_prepare(void *mem, struct err *err)
{
  struct numbers *n = mem;
  uint64_t state = 17;

  (void)err;
  for (unsigned i = 0; i < NUMBERS; i++)
    n->from[i] = (uint32_t)cpu_noise(&state);
  return 0;
}

static void kernel_sort_swap(uint32_t *a, uint32_t *b)
{
  const uint32_t x = *a;

  *a = *b;
  *b = x;
}

static void kernel_sort_insertion(uint32_t *p, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    const uint32_t x = p[i];
    size_t at = i;

    for (; at > 0 && p[at - 1] > x; at--)
      p[at] = p[at - 1];
    p[at] = x;
  }
}

static uint32_t kernel_sort_middle(uint32_t *p, size_t n)
{
  if (p[n / 2] < p[0])
    kernel_sort_swap(&p[n / 2], &p[0]);
  if (p[n - 1] < p[0])
    kernel_sort_swap(&p[n - 1], &p[0]);
  if (p[n - 1] < p[n / 2])
    kernel_sort_swap(&p[n - 1], &p[n / 2]);
  return p[n / 2];
}

/* Moves numbers up to the median to the front; returns how many. */
static size_t kernel_sort_divide(uint32_t *p, size_t n)
{
  const uint32_t pivot = kernel_sort_middle(p, n);
  size_t low = 0, high = n - 1;

  for (;;) {
    while (p[low] < pivot)
      low++;
    while (p[high] > pivot)
      high--;
    if (low >= high)
      return high + 1;
    kernel_sort_swap(&p[low++], &p[high--]);
  }
}

/* Calls sort the shorter part only, so they never nest deeply. */
static void sort(uint32_t *p, size_t n) /* NOLINT(misc-no-recursion) */
{
  while (n > FEW) {
    const size_t first = kernel_sort_divide(p, n);

    if (first <= n - first) {
      sort(p, first);
      p += first;
      n -= first;
    } else {
      sort(p + first, n - first);
      n = first;
    }
  }
  kernel_sort_insertion(p, n);
}

static uint64_t kernel_sort_run(void *mem)
{
  struct numbers *n = mem;
  uint64_t sum = 0;

  memcpy(n->to, n->from, sizeof(n->to));
  sort(n->to, NUMBERS);
  for (unsigned i = 0; i < NUMBERS; i++)
    sum = cpu_sum(sum, n->to[i]);
  return sum;
}

const struct cpu_kernel cpu_kernel_sort = {
  .name = "sort",
  .unit = "number",
  .operations = NUMBERS,
  .result = UINT64_C(0x8c2963f408870304),
  .bytes = sizeof(struct numbers),
  .prepare = kernel_sort_prepare,
  .portable = { .name = "portable", .run = kernel_sort_run },
};
