#include "stats/tally.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stats/value_hist.h"

/* `base`: when the periods began. */
struct count_track {
  char *name; /* owned */
  double now, base[2];
};

struct values_track {
  char *name, *unit; /* owned */
  struct value_sum *now, *base[2], *diff;
};

struct error_track {
  struct error_count now;
  uint64_t base[2];
};

enum {
  INTERVAL,
  TOTAL
};

struct tally {
  size_t n_counts, n_values, n_errors; /* arrays have room for as many */
  struct count_track *count;           /* owned, like all below */
  struct values_track *values;
  struct error_track *error;

  struct named_count *count_out;
  struct named_values *values_out;
  struct error_count *error_out;
};

int tally_new(struct tally **ret, struct err *err)
{
  struct tally *t = calloc(1, sizeof(*t));

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate statistics");
  *ret = t;
  return 0;
}

static void tally_values_done(struct values_track *v)
{
  free(v->name);
  free(v->unit);
  free(v->now);
  free(v->base[INTERVAL]);
  free(v->base[TOTAL]);
  free(v->diff);
}

void tally_free(struct tally *t)
{
  if (!t)
    return;
  for (size_t i = 0; i < t->n_counts; i++)
    free(t->count[i].name);
  for (size_t i = 0; i < t->n_values; i++)
    tally_values_done(&t->values[i]);
  free(t->count);
  free(t->values);
  free(t->error);
  free(t->count_out);
  free(t->values_out);
  free(t->error_out);
  free(t);
}

void tally_clear(struct tally *t)
{
  for (size_t i = 0; i < t->n_counts; i++)
    t->count[i].now = 0;
  for (size_t i = 0; i < t->n_values; i++)
    memset(t->values[i].now, 0, sizeof(struct value_sum));
  for (size_t i = 0; i < t->n_errors; i++)
    t->error[i].now.count = 0;
}

/* Room for one more in *array; false: no memory. */
static bool tally_grow(void *array, size_t n, size_t size)
{
  void *old, *more;

  memcpy(&old, array, sizeof(old));
  more = reallocarray(old, n + 1, size);
  if (!more)
    return false;
  memcpy(array, &more, sizeof(more));
  memset((char *)more + n * size, 0, size);
  /* cppcheck-suppress memleak ; *array has it */
  return true;
}

void tally_count(struct tally *t, const char *name, double n)
{
  struct count_track *c;
  size_t i = 0;

  while (i < t->n_counts && strcmp(t->count[i].name, name) != 0)
    i++;
  if (i == t->n_counts) {
    if (!tally_grow(&t->count, i, sizeof(*t->count)) ||
        !tally_grow(&t->count_out, i, sizeof(*t->count_out)))
      return;
    t->count[i].name = mem_strdup(name);
    if (!t->count[i].name)
      return;
    t->n_counts++;
  }
  c = &t->count[i];
  c->now += n;
}

static bool tally_values_init(struct values_track *v, const char *name,
                              const char *unit)
{
  v->name = mem_strdup(name);
  v->unit = mem_strdup(unit);
  v->now = calloc(1, sizeof(*v->now));
  v->base[INTERVAL] = calloc(1, sizeof(*v->now));
  v->base[TOTAL] = calloc(1, sizeof(*v->now));
  v->diff = calloc(1, sizeof(*v->now));
  if (v->name && v->unit && v->now && v->base[INTERVAL] && v->base[TOTAL] &&
      v->diff)
    return true;
  tally_values_done(v);
  return false;
}

struct value_sum *tally_values(struct tally *t, const char *name,
                               const char *unit)
{
  size_t i = 0;

  while (i < t->n_values && strcmp(t->values[i].name, name) != 0)
    i++;
  if (i == t->n_values) {
    if (!tally_grow(&t->values, i, sizeof(*t->values)) ||
        !tally_grow(&t->values_out, i, sizeof(*t->values_out)) ||
        !tally_values_init(&t->values[i], name, unit))
      return NULL;
    t->n_values++;
  }
  return t->values[i].now;
}

static bool tally_is_same_error(const struct error_count *a,
                                const struct error_count *b)
{
  return strcmp(a->source, b->source) == 0 && strcmp(a->code, b->code) == 0 &&
         strcmp(a->state, b->state) == 0;
}

void tally_error(struct tally *t, const struct error_count *e)
{
  size_t i = 0;

  while (i < t->n_errors && !tally_is_same_error(&t->error[i].now, e))
    i++;
  if (i == t->n_errors) {
    if (!tally_grow(&t->error, i, sizeof(*t->error)) ||
        !tally_grow(&t->error_out, i, sizeof(*t->error_out)))
      return;
    t->error[i].now = *e;
    t->error[i].now.count = 0;
    t->n_errors++;
  }
  t->error[i].now.count += e->count;
}

static void tally_begin(struct tally *t, int period)
{
  for (size_t i = 0; i < t->n_counts; i++)
    t->count[i].base[period] = t->count[i].now;
  for (size_t i = 0; i < t->n_values; i++)
    memcpy(t->values[i].base[period], t->values[i].now,
           sizeof(struct value_sum));
  for (size_t i = 0; i < t->n_errors; i++)
    t->error[i].base[period] = t->error[i].now.count;
}

static void tally_fill(struct tally *t, int period, struct tally_report *ret)
{
  size_t errors = 0;

  for (size_t i = 0; i < t->n_counts; i++) {
    const struct count_track *c = &t->count[i];

    t->count_out[i] = (struct named_count){ c->name, c->now - c->base[period] };
  }
  for (size_t i = 0; i < t->n_values; i++) {
    const struct values_track *v = &t->values[i];

    value_sum_sub(v->diff, v->now, v->base[period]);
    t->values_out[i] = (struct named_values){ v->name, v->unit, v->diff };
  }
  for (size_t i = 0; i < t->n_errors; i++) {
    const struct error_track *e = &t->error[i];

    if (e->now.count == e->base[period])
      continue;
    t->error_out[errors] = e->now;
    t->error_out[errors++].count = e->now.count - e->base[period];
  }
  *ret = (struct tally_report){ t->n_counts,  t->n_values,   errors,
                                t->count_out, t->values_out, t->error_out };
}

void tally_restart(struct tally *t)
{
  tally_begin(t, INTERVAL);
  tally_begin(t, TOTAL);
}

void tally_interval(struct tally *t, struct tally_report *ret)
{
  tally_fill(t, INTERVAL, ret);
  tally_begin(t, INTERVAL);
}

void tally_total(struct tally *t, struct tally_report *ret)
{
  tally_fill(t, TOTAL, ret);
}
