/*
 * measure.c - see measure.h.
 *
 * The thread of a state writes its cell, others read it.  Numbers are atomic; a
 * sum is that of some moment.
 */
#include "lua/engine/measure.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "stats/tally.h"
#include "stats/value_hist.h"

enum {
  STARS = 40,
  MAX_ROWS = 40,
};

struct measure {
  struct measure *next;
  const void *owner;         /* only compared: can be gone */
  _Atomic double value;      /* of counters */
  struct value_hist *values; /* owned; of histograms */
};

void measures_init(struct measures *m)
{
  (void)pthread_mutex_init(&m->lock, NULL);
}

static void measure_free_cells(struct measure_name *name)
{
  while (name->first) {
    struct measure *gone = name->first;

    name->first = gone->next;
    free(gone->values);
    free(gone);
  }
}

void measures_done(struct measures *m)
{
  for (size_t i = 0; i < MEASURE_NAMES; i++) {
    measure_free_cells(&m->counter[i]);
    measure_free_cells(&m->histogram[i]);
  }
  (void)pthread_mutex_destroy(&m->lock);
}

/* Finds or adds the name, under the lock.  NULL: errno. */
static struct measure_name *find_name(struct measure_name *names, size_t *n,
                                      const char *name, const char *unit)
{
  size_t i = 0;

  while (i < *n && strcmp(names[i].name, name) != 0)
    i++;
  if (i == MEASURE_NAMES) {
    errno = ENOSPC;
    return NULL;
  }
  if (i == *n) {
    (void)snprintf(names[i].name, MEASURE_NAME_BYTES, "%s", name);
    (void)snprintf(names[i].unit, MEASURE_NAME_BYTES, "%s", unit);
    (*n)++;
  }
  return &names[i];
}

/* Finds or adds the cell of this owner, under the lock. */
static struct measure *find_cell(struct measure_name *name, const void *owner,
                                 bool values)
{
  struct measure *cell = name->first;

  while (cell && cell->owner != owner)
    cell = cell->next;
  if (cell)
    return cell;
  cell = calloc(1, sizeof(*cell));
  if (!cell)
    return NULL;
  if (values) {
    cell->values = calloc(1, sizeof(*cell->values));
    if (!cell->values) {
      free(cell);
      return NULL;
    }
  }
  cell->owner = owner;
  cell->next = name->first;
  name->first = cell;
  return cell;
}

struct measure *measure_open(struct measures *m, const void *owner,
                             const char *name, const char *unit)
{
  struct measure_name *found;
  struct measure *cell = NULL;

  (void)pthread_mutex_lock(&m->lock);
  found = unit ? find_name(m->histogram, &m->n_histograms, name, unit)
               : find_name(m->counter, &m->n_counters, name, "");
  if (found)
    cell = find_cell(found, owner, unit != NULL);
  (void)pthread_mutex_unlock(&m->lock);
  return cell;
}

void measure_add(struct measure *counter, double n)
{
  _Atomic double *to = &counter->value;

  atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

double measure_value(const struct measure *counter)
{
  return atomic_load_explicit(&counter->value, memory_order_relaxed);
}

static double measure_sum_of_cells(const struct measure_name *name)
{
  double sum = 0;

  for (const struct measure *c = name->first; c; c = c->next)
    sum += measure_value(c);
  return sum;
}

double measure_total(struct measures *m, const char *name)
{
  double sum = 0;

  (void)pthread_mutex_lock(&m->lock);
  for (size_t i = 0; i < m->n_counters; i++) {
    if (strcmp(m->counter[i].name, name) == 0)
      sum = measure_sum_of_cells(&m->counter[i]);
  }
  (void)pthread_mutex_unlock(&m->lock);
  return sum;
}

void measure_record(struct measure *histogram, double value)
{
  value_hist_record(histogram->values, value);
}

struct row {
  double value;
  uint64_t count;
};

/* At most MAX_ROWS rows, without empty ones. */
static size_t measure_make_rows(const struct value_hist *h,
                                struct row rows[MAX_ROWS])
{
  size_t first = 0, last = VALUE_BUCKETS - 1, per_row, n = 0;

  while (first < last && atomic_load(&h->count[first]) == 0)
    first++;
  while (last > first && atomic_load(&h->count[last]) == 0)
    last--;
  per_row = (last - first) / MAX_ROWS + 1;
  for (size_t at = first; at <= last; at += per_row) {
    uint64_t count = 0;

    for (size_t i = at; i < at + per_row && i <= last; i++)
      count += atomic_load(&h->count[i]);
    if (count > 0)
      rows[n++] = (struct row){ value_middle(at + per_row / 2), count };
  }
  return n;
}

void measure_print(const struct measure *histogram)
{
  static const char stars[] = "****************************************";
  struct row rows[MAX_ROWS];
  const size_t n = measure_make_rows(histogram->values, rows);
  struct strbuf b = { 0 };
  uint64_t max = 0;

  for (size_t i = 0; i < n; i++)
    if (rows[i].count > max)
      max = rows[i].count;
  if (n > 0)
    strbuf_adds(&b, "       value  ------------- distribution ------------- "
                    "count\n");
  for (size_t i = 0; i < n; i++)
    strbuf_addf(&b, "%12.3f |%-*.*s %llu\n", rows[i].value, STARS,
                (int)floor((double)rows[i].count / (double)max * STARS + 0.5),
                stars, (unsigned long long)rows[i].count);
  (void)fwrite(strbuf_str(&b), 1, b.len, stdout);
  strbuf_done(&b);
}

void measures_tally(struct measures *m, struct tally *to)
{
  (void)pthread_mutex_lock(&m->lock);
  for (size_t i = 0; i < m->n_counters; i++) {
    const struct measure_name *name = &m->counter[i];

    tally_count(to, name->name, measure_sum_of_cells(name));
  }
  for (size_t i = 0; i < m->n_histograms; i++) {
    const struct measure_name *name = &m->histogram[i];
    struct value_sum *sum = tally_values(to, name->name, name->unit);

    for (const struct measure *c = name->first; c && sum; c = c->next)
      value_sum_add(sum, c->values);
  }
  (void)pthread_mutex_unlock(&m->lock);
}
