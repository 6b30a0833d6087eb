/*
 * measure.c - counters and histograms that scripts name.
 *
 * A cell is written by the thread of its state and read by others: its numbers
 * are atomic, and a sum that is read while it grows is as of some moment.
 * Histograms are log-linear: 512 buckets for every power of two.
 */
#include "lua/measure.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "lua/script_internal.h"
#include "lua/state.h"

enum {
  LOW_EXP = -30, /* values from 2^-30 (just below 1e-9) */
  HIGH_EXP = 40, /* up to 2^40 (just above 1e12) */
  SUB_BITS = 9,
  BUCKETS = (HIGH_EXP - LOW_EXP) << SUB_BITS,
  STARS = 40,
  MOST_ROWS = 40, /* that are printed */
};

struct spread {
  _Atomic uint64_t n;
  _Atomic double sum, min, max;
  _Atomic uint64_t count[BUCKETS]; /* pages without values cost no memory */
};

struct measure {
  struct measure *next;      /* of the same name */
  const struct state *state; /* compared only, when it may be gone */
  _Atomic double value;      /* of counters */
  struct spread *spread;     /* owned; of histograms */
};

void measures_init(struct measures *m)
{
  (void)pthread_mutex_init(&m->lock, NULL);
}

static void free_cells(struct measure_name *name)
{
  while (name->first) {
    struct measure *gone = name->first;

    name->first = gone->next;
    free(gone->spread);
    free(gone);
  }
}

void measures_done(struct measures *m)
{
  for (size_t i = 0; i < MEASURE_NAMES; i++) {
    free_cells(&m->counter[i]);
    free_cells(&m->histogram[i]);
  }
  (void)pthread_mutex_destroy(&m->lock);
}

/* Under the lock: the name, new or not; NULL: there are too many. */
static struct measure_name *find_name(struct measure_name *names, size_t *n,
                                      const char *name, const char *unit)
{
  size_t i = 0;

  while (i < *n && strcmp(names[i].name, name) != 0)
    i++;
  if (i == MEASURE_NAMES)
    return NULL;
  if (i == *n) {
    (void)snprintf(names[i].name, MEASURE_NAME_BYTES, "%s", name);
    (void)snprintf(names[i].unit, MEASURE_NAME_BYTES, "%s", unit);
    (*n)++;
  }
  return &names[i];
}

/* Under the lock: the cell of this state, new or not. */
static struct measure *find_cell(struct measure_name *name,
                                 const struct state *s, bool spread)
{
  struct measure *cell = name->first;

  while (cell && cell->state != s)
    cell = cell->next;
  if (cell)
    return cell;
  cell = calloc(1, sizeof(*cell));
  if (!cell)
    return NULL;
  if (spread) {
    cell->spread = calloc(1, sizeof(*cell->spread));
    if (!cell->spread) {
      free(cell);
      return NULL;
    }
  }
  cell->state = s;
  cell->next = name->first;
  name->first = cell;
  return cell;
}

static struct measure *open_cell(const char *name, const char *unit)
{
  const struct state *s = state_current();
  struct measures *m;
  struct measure_name *found;
  struct measure *cell = NULL;

  if (!s)
    return NULL;
  m = &s->script->measures;
  (void)pthread_mutex_lock(&m->lock);
  found = unit ? find_name(m->histogram, &m->n_histograms, name, unit)
               : find_name(m->counter, &m->n_counters, name, "");
  if (found)
    cell = find_cell(found, s, unit != NULL);
  (void)pthread_mutex_unlock(&m->lock);
  return cell;
}

/* ---- counters ---- */

void *bench_counter_open(const char *name)
{
  return open_cell(name, NULL);
}

static void add_double(_Atomic double *to, double n)
{
  atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

void bench_counter_add(void *counter, double n)
{
  const struct state *s = state_current();

  if (s && s->measured)
    add_double(&((struct measure *)counter)->value, n);
}

double bench_counter_get(void *counter)
{
  return atomic_load_explicit(&((struct measure *)counter)->value,
                              memory_order_relaxed);
}

double measures_counter(struct measures *m, size_t index)
{
  double sum = 0;

  (void)pthread_mutex_lock(&m->lock);
  if (index < m->n_counters)
    for (struct measure *c = m->counter[index].first; c; c = c->next)
      sum += bench_counter_get(c);
  (void)pthread_mutex_unlock(&m->lock);
  return sum;
}

/* ---- histograms ---- */

/* 2^e * (1 + sub / 512) is the lower end of bucket (e - LOW_EXP) * 512 + sub;
 * both are the upper bits of an IEEE double. */
static size_t bucket_of(double value)
{
  uint64_t bits;
  int64_t index;

  if (!(value > 0))
    return 0;
  memcpy(&bits, &value, sizeof(bits));
  index = (int64_t)(bits >> (52 - SUB_BITS)) -
          ((int64_t)(1023 + LOW_EXP) << SUB_BITS);
  if (index < 0)
    return 0;
  return index < BUCKETS ? (size_t)index : BUCKETS - 1;
}

/* The middle of a bucket. */
static double bucket_value(size_t index)
{
  const double sub = (double)(index & ((1u << SUB_BITS) - 1)) + 0.5;

  return ldexp(1.0 + sub / (1 << SUB_BITS), (int)(index >> SUB_BITS) + LOW_EXP);
}

void *bench_histogram_open(const char *name, const char *unit)
{
  return open_cell(name, unit);
}

void bench_histogram_update(void *histogram, double value)
{
  const struct state *s = state_current();
  struct spread *h = ((struct measure *)histogram)->spread;
  const uint64_t n = atomic_load_explicit(&h->n, memory_order_relaxed);
  _Atomic uint64_t *bucket;

  if (!s || !s->measured || isnan(value))
    return;
  bucket = &h->count[bucket_of(value)];
  atomic_store_explicit(bucket,
                        atomic_load_explicit(bucket, memory_order_relaxed) + 1,
                        memory_order_relaxed);
  if (n == 0 || value < atomic_load_explicit(&h->min, memory_order_relaxed))
    atomic_store_explicit(&h->min, value, memory_order_relaxed);
  if (n == 0 || value > atomic_load_explicit(&h->max, memory_order_relaxed))
    atomic_store_explicit(&h->max, value, memory_order_relaxed);
  add_double(&h->sum, value);
  atomic_store_explicit(&h->n, n + 1, memory_order_relaxed);
}

/* A row of the printed form: neighbouring buckets put together. */
struct row {
  double value;
  uint64_t count;
};

/* The buckets in at most MOST_ROWS rows, those without values left out. */
static size_t make_rows(const struct spread *h, struct row rows[MOST_ROWS])
{
  size_t first = 0, last = BUCKETS - 1, per_row, n = 0;

  while (first < last && atomic_load(&h->count[first]) == 0)
    first++;
  while (last > first && atomic_load(&h->count[last]) == 0)
    last--;
  per_row = (last - first) / MOST_ROWS + 1;
  for (size_t at = first; at <= last; at += per_row) {
    uint64_t count = 0;

    for (size_t i = at; i < at + per_row && i <= last; i++)
      count += atomic_load(&h->count[i]);
    if (count > 0)
      rows[n++] = (struct row){ bucket_value(at + per_row / 2), count };
  }
  return n;
}

void bench_histogram_print(void *histogram)
{
  static const char stars[] = "****************************************";
  struct row rows[MOST_ROWS];
  const size_t n = make_rows(((struct measure *)histogram)->spread, rows);
  struct strbuf b = { 0 };
  uint64_t most = 0;

  for (size_t i = 0; i < n; i++)
    if (rows[i].count > most)
      most = rows[i].count;
  if (n > 0)
    strbuf_adds(&b, "       value  ------------- distribution ------------- "
                    "count\n");
  for (size_t i = 0; i < n; i++)
    strbuf_addf(&b, "%12.3f |%-*.*s %llu\n", rows[i].value, STARS,
                (int)floor((double)rows[i].count / (double)most * STARS + 0.5),
                stars, (unsigned long long)rows[i].count);
  (void)fwrite(strbuf_str(&b), 1, b.len, stdout);
  strbuf_done(&b);
}

static void add_spread(uint64_t *sum, struct measure_stats *st, double *total,
                       const struct spread *h)
{
  const uint64_t n = atomic_load(&h->n);
  const double min = atomic_load(&h->min), max = atomic_load(&h->max);

  if (n == 0)
    return;
  if (st->count == 0 || min < st->min)
    st->min = min;
  if (st->count == 0 || max > st->max)
    st->max = max;
  st->count += n;
  *total += atomic_load(&h->sum);
  for (size_t i = 0; i < BUCKETS; i++)
    sum[i] += atomic_load_explicit(&h->count[i], memory_order_relaxed);
}

static double percentile(const uint64_t *sum, const struct measure_stats *st,
                         double pct)
{
  const double rank = fmax(1, floor((double)st->count * pct / 100 + 0.5));
  uint64_t seen = 0;

  for (size_t i = 0; i < BUCKETS; i++) {
    seen += sum[i];
    if ((double)seen >= rank)
      return fmin(fmax(bucket_value(i), st->min), st->max);
  }
  return st->max;
}

int measures_histogram(struct measures *m, size_t index,
                       struct measure_stats *ret, struct err *err)
{
  uint64_t *sum = calloc(BUCKETS, sizeof(*sum));
  struct measure_stats st = { 0 };
  double total = 0;

  if (!sum)
    return err_set(err, -ENOMEM, "not enough memory for a histogram");
  (void)pthread_mutex_lock(&m->lock);
  if (index < m->n_histograms)
    for (struct measure *c = m->histogram[index].first; c; c = c->next)
      add_spread(sum, &st, &total, c->spread);
  (void)pthread_mutex_unlock(&m->lock);
  if (st.count > 0) {
    st.mean = total / (double)st.count;
    st.p50 = percentile(sum, &st, 50);
    st.p90 = percentile(sum, &st, 90);
    st.p95 = percentile(sum, &st, 95);
    st.p99 = percentile(sum, &st, 99);
    st.p999 = percentile(sum, &st, 99.9);
  }
  free(sum);
  *ret = st;
  return 0;
}
