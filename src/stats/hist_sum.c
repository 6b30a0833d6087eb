#include "stats/hist_sum.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

static_assert(HIST_HALF % HIST_BLOCK == 0 && 2 * HIST_BLOCKS <= UINT16_MAX,
              "blocks have numbers of 16 bits");

struct hist_sum *hist_sum_new(void)
{
  return mem_pages(sizeof(struct hist_sum));
}

void hist_sum_free(struct hist_sum *s)
{
  mem_pages_free(s, sizeof(*s));
}

/* Of the block that begins with bucket `first`. */
static uint16_t *hist_sum_number_of(struct hist_sum *sum, unsigned first)
{
  uint8_t *r = &sum->at[first / HIST_HALF];

  if (*r == 0) {
    memset(sum->row[sum->rows], 0, sizeof(sum->row[0]));
    *r = (uint8_t)++sum->rows;
  }
  return &sum->row[*r - 1][first % HIST_HALF / HIST_BLOCK];
}

static void hist_sum_get(const struct hist_sum *sum, unsigned first,
                         uint64_t ret[HIST_BLOCK])
{
  const unsigned block = hist_sum_block(sum, first);

  for (unsigned i = 0; i < HIST_BLOCK; i++)
    ret[i] = hist_sum_in(sum, block, i);
}

static void hist_sum_set(struct hist_sum *sum, unsigned first,
                         const uint64_t count[HIST_BLOCK])
{
  uint16_t *number = hist_sum_number_of(sum, first);
  bool is_short = *number <= HIST_BLOCKS;

  for (unsigned i = 0; i < HIST_BLOCK; i++)
    is_short = is_short && count[i] <= UINT16_MAX;
  if (is_short) {
    if (*number == 0)
      *number = (uint16_t)++sum->n_short;
    for (unsigned i = 0; i < HIST_BLOCK; i++)
      sum->short_block[*number - 1][i] = (uint16_t)count[i];
    return;
  }
  if (*number <= HIST_BLOCKS) /* only once per block, so there is room */
    *number = (uint16_t)(HIST_BLOCKS + ++sum->n_long);
  memcpy(sum->long_block[*number - HIST_BLOCKS - 1], count,
         sizeof(sum->long_block[0]));
}

static void hist_sum_add_block(struct hist_sum *sum, unsigned first,
                               const uint64_t more[HIST_BLOCK])
{
  uint64_t count[HIST_BLOCK];

  hist_sum_get(sum, first, count);
  for (unsigned i = 0; i < HIST_BLOCK; i++)
    count[i] += more[i];
  hist_sum_set(sum, first, count);
}

/* First bucket of the first used block with or after `from`; HIST_BUCKETS:
 * none. */
static unsigned hist_sum_next_block(const struct hist_sum *sum, unsigned from)
{
  unsigned r = from / HIST_HALF, i = from % HIST_HALF / HIST_BLOCK;

  for (; r < HIST_ROWS; r++, i = 0) {
    const uint16_t *row;

    if (sum->at[r] == 0)
      continue;
    row = sum->row[sum->at[r] - 1];
    while (i < HIST_ROW && row[i] == 0)
      i++;
    if (i < HIST_ROW)
      return r * HIST_HALF + i * HIST_BLOCK;
  }
  return HIST_BUCKETS;
}

void hist_sum_put(struct hist_sum *sum, unsigned index, uint64_t n)
{
  uint64_t more[HIST_BLOCK] = { 0 };

  more[index % HIST_BLOCK] = n;
  hist_sum_add_block(sum, index - index % HIST_BLOCK, more);
  sum->total += n;
}

void hist_sum_add(struct hist_sum *sum, const struct hist *h)
{
  uint64_t groups = atomic_load_explicit(&h->groups, memory_order_relaxed);

  for (; groups; groups &= groups - 1) {
    const unsigned first = (unsigned)__builtin_ctzll(groups) * HIST_HALF;

    for (unsigned b = first; b < first + HIST_HALF; b += HIST_BLOCK) {
      uint64_t count[HIST_BLOCK], all = 0;

      for (unsigned i = 0; i < HIST_BLOCK; i++) {
        count[i] = hist_count_at(h, b + i);
        all += count[i];
      }
      if (all > 0)
        hist_sum_add_block(sum, b, count);
      sum->total += all;
    }
  }
}

void hist_sum_clear(struct hist_sum *sum)
{
  memset(sum->at, 0, sizeof(sum->at));
  sum->n_short = 0;
  sum->n_long = 0;
  sum->rows = 0;
  sum->total = 0;
}

void hist_sum_copy(struct hist_sum *to, const struct hist_sum *from)
{
  memcpy(to->at, from->at, sizeof(to->at));
  memcpy(to->row, from->row, from->rows * sizeof(from->row[0]));
  memcpy(to->short_block, from->short_block,
         from->n_short * sizeof(from->short_block[0]));
  memcpy(to->long_block, from->long_block,
         from->n_long * sizeof(from->long_block[0]));
  to->n_short = from->n_short;
  to->n_long = from->n_long;
  to->rows = from->rows;
  to->total = from->total;
}

void hist_sum_merge(struct hist_sum *to, const struct hist_sum *from)
{
  for (unsigned b = hist_sum_next_block(from, 0); b < HIST_BUCKETS;
       b = hist_sum_next_block(from, b + HIST_BLOCK)) {
    uint64_t more[HIST_BLOCK];

    hist_sum_get(from, b, more);
    hist_sum_add_block(to, b, more);
  }
  to->total += from->total;
}

void hist_sum_sub(struct hist_sum *out, const struct hist_sum *now,
                  const struct hist_sum *before)
{
  if (out != now && out != before)
    hist_sum_clear(out);
  for (unsigned b = hist_sum_next_block(now, 0); b < HIST_BUCKETS;
       b = hist_sum_next_block(now, b + HIST_BLOCK)) {
    uint64_t count[HIST_BLOCK], less[HIST_BLOCK];

    hist_sum_get(now, b, count);
    hist_sum_get(before, b, less);
    if (hist_sum_block(out, b) == 0 && memcmp(count, less, sizeof(count)) == 0)
      continue;
    for (unsigned i = 0; i < HIST_BLOCK; i++)
      count[i] -= less[i];
    hist_sum_set(out, b, count);
  }
  out->total = now->total - before->total;
}

unsigned hist_sum_next(const struct hist_sum *sum, unsigned from)
{
  for (unsigned b = hist_sum_next_block(sum, from); b < HIST_BUCKETS;
       b = hist_sum_next_block(sum, b + HIST_BLOCK)) {
    for (unsigned i = b > from ? b : from; i < b + HIST_BLOCK; i++) {
      if (hist_sum_at(sum, i) > 0)
        return i;
    }
  }
  return HIST_BUCKETS;
}

uint64_t hist_rank(uint64_t total, double pct)
{
  const double rank = floor((double)total * pct / 100.0 + 0.5);
  const uint64_t need = rank < 1.0 ? 1 : (uint64_t)rank;

  return need < total ? need : total;
}

bool hist_is_beyond(uint64_t total, double pct)
{
  return pct < 100.0 && (double)total * (1.0 - pct / 100.0) < 1.0 - 1e-9;
}

uint64_t hist_percentile(const struct hist_sum *sum, double pct)
{
  const uint64_t need = hist_rank(sum->total, pct);
  uint64_t seen = 0;
  unsigned last = 0;

  for (unsigned i = hist_sum_next(sum, 0); i < HIST_BUCKETS && seen < need;
       i = hist_sum_next(sum, i + 1)) {
    seen += hist_sum_at(sum, i);
    last = i;
  }
  return hist_middle(last);
}

static double hist_sum_moment(const struct hist_sum *sum, double from,
                              bool squared)
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
  return sum->total == 0
           ? 0.0
           : hist_sum_moment(sum, 0.0, false) / (double)sum->total;
}

double hist_stddev(const struct hist_sum *sum)
{
  if (sum->total == 0)
    return 0.0;
  return sqrt(hist_sum_moment(sum, hist_mean(sum), true) / (double)sum->total);
}

/* Most of its pages are never touched. */
struct slow_hist {
  pthread_mutex_t lock; /* protects `sum` */
  struct hist_sum sum;
};

struct slow_hist *hist_slow_new(void)
{
  struct slow_hist *h = mem_pages(sizeof(*h));

  if (h)
    (void)pthread_mutex_init(&h->lock, NULL);
  return h;
}

void hist_slow_free(struct slow_hist *h)
{
  if (h)
    (void)pthread_mutex_destroy(&h->lock);
  mem_pages_free(h, sizeof(*h));
}

void slow_record(struct slow_hist *h, uint64_t ns)
{
  (void)pthread_mutex_lock(&h->lock);
  hist_sum_put(&h->sum, hist_index(ns), 1);
  (void)pthread_mutex_unlock(&h->lock);
}

void hist_slow_add(struct hist_sum *sum, struct slow_hist *h)
{
  (void)pthread_mutex_lock(&h->lock);
  if (h->sum.total > 0)
    hist_sum_merge(sum, &h->sum);
  (void)pthread_mutex_unlock(&h->lock);
}
