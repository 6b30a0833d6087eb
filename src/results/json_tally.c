/*
 * json_tally.c - what a test counts by itself in a period: counters, histograms
 * and errors by code.
 */
#include <stdio.h>

#include "base/fmt.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/report.h"
#include "stats/value_hist.h"

static json_t *counters(const struct tally_report *t)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < t->n_counts; i++)
    jobj_named(&o, t->count[i].name, jobj_number(t->count[i].sum));
  return jobj_take(&o);
}

static json_t *values_part(const struct named_values *v,
                           const struct report_setup *setup)
{
  const struct value_sum *sum = v->values;
  struct jobj o = jobj_new();

  jobj_text(&o, "unit", v->unit);
  jobj_int(&o, "count", sum->n);
  jobj_real(&o, "min", sum->min);
  jobj_real(&o, "max", sum->max);
  jobj_real(&o, "mean", value_mean(sum));
  for (size_t i = 0; i < json_percentile_count(setup); i++) {
    const double pct = json_percentile(setup, i);
    char number[FMT_DOUBLE_SIZE], key[FMT_DOUBLE_SIZE + 1];

    (void)snprintf(key, sizeof(key), "p%s", fmt_shortest(number, pct));
    jobj_real(&o, key, value_percentile(sum, pct));
  }
  return jobj_take(&o);
}

static json_t *histograms(const struct tally_report *t,
                          const struct report_setup *setup)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < t->n_values; i++)
    jobj_named(&o, t->values[i].name, values_part(&t->values[i], setup));
  return jobj_take(&o);
}

json_t *json_error(const struct error_count *e, bool with_text)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "source", e->source);
  jobj_text(&o, "code", e->code);
  jobj_text(&o, "state", e->state);
  jobj_int(&o, "count", e->count);
  if (with_text)
    jobj_text(&o, "text", e->text);
  return jobj_take(&o);
}

static json_t *errors(const struct tally_report *t)
{
  json_t *array = json_array();

  for (size_t i = 0; array && i < t->n_errors; i++) {
    if (!jobj_array_add(array, json_error(&t->error[i], false))) {
      json_decref(array);
      array = NULL;
    }
  }
  return array;
}

void json_add_tally(struct jobj *o, const struct report *r,
                    const struct report_setup *setup)
{
  const struct tally_report *t = &r->tally;

  if (t->n_counts > 0)
    jobj_add(o, "counters", counters(t));
  if (t->n_values > 0)
    jobj_add(o, "histograms", histograms(t, setup));
  if (t->n_errors > 0)
    jobj_add(o, "errors_by_code", errors(t));
}
