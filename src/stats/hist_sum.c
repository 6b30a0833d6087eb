/*
 * hist_sum.c - the plain counts of a histogram.
 */
#include "stats/hist_sum.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

static_assert(HIST_BUCKETS % HIST_BLOCK == 0 && HIST_BLOCKS < UINT16_MAX,
              "blocks have numbers of 16 bits");

struct hist_sum *hist_sum_new(void)
{
  return mem_pages(sizeof(struct hist_sum));
}

void hist_sum_free(struct hist_sum *s)
{
  mem_pages_free(s, sizeof(*s));
}

/* The block `number` of the range, empty if it was not used. */
static uint64_t *block_of(struct hist_sum *sum, unsigned number)
{
  uint8_t *r = &sum->at[number / HIST_ROW];
  uint16_t *b;

  if (*r == 0) {
    memset(sum->row[sum->rows], 0, sizeof(sum->row[0]));
    *r = (uint8_t)++sum->rows;
  }
  b = &sum->row[*r - 1][number % HIST_ROW];
  if (*b == 0) {
    memset(sum->block[sum->blocks], 0, sizeof(sum->block[0]));
    *b = (uint16_t)++sum->blocks;
  }
  return sum->block[*b - 1];
}

/* The first block in use, `from` or behind it; HIST_BLOCKS if there is none. */
static unsigned next_block(const struct hist_sum *sum, unsigned from)
{
  unsigned r = from / HIST_ROW, i = from % HIST_ROW;

  for (; r < HIST_ROWS; r++, i = 0) {
    const uint16_t *row;

    if (sum->at[r] == 0)
      continue;
    row = sum->row[sum->at[r] - 1];
    while (i < HIST_ROW && row[i] == 0)
      i++;
    if (i < HIST_ROW)
      return r * HIST_ROW + i;
  }
  return HIST_BLOCKS;
}

void hist_sum_put(struct hist_sum *sum, unsigned index, uint64_t n)
{
  block_of(sum, index / HIST_BLOCK)[index % HIST_BLOCK] += n;
  sum->total += n;
}

void hist_sum_add(struct hist_sum *sum, const struct hist *h)
{
  uint64_t groups = atomic_load_explicit(&h->groups, memory_order_relaxed);

  for (; groups; groups &= groups - 1) {
    const unsigned first = (unsigned)__builtin_ctzll(groups) * HIST_HALF;

    for (unsigned i = first; i < first + HIST_HALF; i++) {
      const uint64_t n = hist_count_at(h, i);

      if (n > 0)
        hist_sum_put(sum, i, n);
    }
  }
}

void hist_sum_clear(struct hist_sum *sum)
{
  memset(sum->at, 0, sizeof(sum->at));
  sum->blocks = 0;
  sum->rows = 0;
  sum->total = 0;
}

void hist_sum_copy(struct hist_sum *to, const struct hist_sum *from)
{
  memcpy(to->at, from->at, sizeof(to->at));
  memcpy(to->row, from->row, from->rows * sizeof(from->row[0]));
  memcpy(to->block, from->block, from->blocks * sizeof(from->block[0]));
  to->blocks = from->blocks;
  to->rows = from->rows;
  to->total = from->total;
}

void hist_sum_merge(struct hist_sum *to, const struct hist_sum *from)
{
  for (unsigned b = next_block(from, 0); b < HIST_BLOCKS;
       b = next_block(from, b + 1)) {
    const uint64_t *more = hist_sum_block(from, b);
    uint64_t *count = block_of(to, b);

    for (unsigned i = 0; i < HIST_BLOCK; i++)
      count[i] += more[i];
  }
  to->total += from->total;
}

void hist_sum_sub(struct hist_sum *out, const struct hist_sum *now,
                  const struct hist_sum *before)
{
  static const uint64_t none[HIST_BLOCK];

  if (out != now && out != before)
    hist_sum_clear(out);
  for (unsigned b = next_block(now, 0); b < HIST_BLOCKS;
       b = next_block(now, b + 1)) {
    const uint64_t *count = hist_sum_block(now, b);
    const uint64_t *less = hist_sum_block(before, b);
    uint64_t *difference;

    if (!less)
      less = none;
    if (!hist_sum_block(out, b) && memcmp(count, less, sizeof(none)) == 0)
      continue;
    difference = block_of(out, b);
    for (unsigned i = 0; i < HIST_BLOCK; i++)
      difference[i] = count[i] - less[i];
  }
  out->total = now->total - before->total;
}

unsigned hist_sum_next(const struct hist_sum *sum, unsigned from)
{
  unsigned i = from % HIST_BLOCK;

  for (unsigned b = next_block(sum, from / HIST_BLOCK); b < HIST_BLOCKS;
       b = next_block(sum, b + 1)) {
    const uint64_t *count = hist_sum_block(sum, b);

    if (b != from / HIST_BLOCK)
      i = 0;
    for (; i < HIST_BLOCK; i++) {
      if (count[i] > 0)
        return b * HIST_BLOCK + i;
    }
  }
  return HIST_BUCKETS;
}

uint64_t hist_percentile(const struct hist_sum *sum, double pct)
{
  double rank = floor((double)sum->total * pct / 100.0 + 0.5);
  uint64_t need = rank < 1.0 ? 1 : (uint64_t)rank;
  uint64_t seen = 0;
  unsigned last = 0;

  if (need > sum->total)
    need = sum->total;
  for (unsigned i = hist_sum_next(sum, 0); i < HIST_BUCKETS && seen < need;
       i = hist_sum_next(sum, i + 1)) {
    seen += hist_sum_at(sum, i);
    last = i;
  }
  return hist_middle(last);
}

/* The sum over all values of their distance from `from`, or of its square. */
static double moment(const struct hist_sum *sum, double from, bool squared)
{
  double total = 0.0;

  for (unsigned i = hist_sum_next(sum, 0); i < HIST_BUCKETS;
       i = hist_sum_next(sum, i + 1)) {
    const double off = (double)hist_middle(i) - from;

    total += (double)hist_sum_at(sum, i) * (squared ? off * off : off);
  }
  return total;
}

double hist_mean(const struct hist_sum *sum)
{
  return sum->total == 0 ? 0.0 : moment(sum, 0.0, false) / (double)sum->total;
}

double hist_stddev(const struct hist_sum *sum)
{
  if (sum->total == 0)
    return 0.0;
  return sqrt(moment(sum, hist_mean(sum), true) / (double)sum->total);
}
