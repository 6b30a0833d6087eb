/*
 * json_latency.c - latencies as a JSON object.
 */
#include <math.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "results/hdr_encode.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/report.h"

static const double usual[] = { 50, 75, 90, 95, 99, 99.9, 99.99 };

static void add_percentile(struct jobj *o, const struct latency *l, double pct)
{
  char key[FMT_DOUBLE_SIZE];
  uint64_t ns;

  (void)fmt_shortest(key, pct);
  if (!o->j || json_object_get(o->j, key))
    return;
  ns = l->count > 0 ? hist_percentile(l->hist, pct) : 0;
  if (ns < l->min_ns)
    ns = l->min_ns;
  if (ns > l->max_ns)
    ns = l->max_ns;
  jobj_int(o, key, ns);
}

size_t json_percentile_count(const struct report_setup *setup)
{
  return ARRAY_SIZE(usual) + (setup->percentile > 0.0) + setup->n_percentiles;
}

double json_percentile(const struct report_setup *setup, size_t i)
{
  if (i < ARRAY_SIZE(usual))
    return usual[i];
  i -= ARRAY_SIZE(usual);
  return i < setup->n_percentiles ? setup->percentiles[i] : setup->percentile;
}

static json_t *percentiles(const struct latency *l,
                           const struct report_setup *setup)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < json_percentile_count(setup); i++)
    add_percentile(&o, l, json_percentile(setup, i));
  return jobj_take(&o);
}

static json_t *encoded(const struct hist_sum *h)
{
  struct strbuf text = { 0 };
  json_t *j = NULL;

  if (hdr_encode_text(&text, h) == 0)
    j = json_string_nocheck(strbuf_str(&text));
  strbuf_done(&text);
  return j;
}

json_t *json_latency(const struct latency *l, const struct report_setup *setup)
{
  struct jobj o = jobj_new();

  jobj_int(&o, "count", l->count);
  jobj_int(&o, "min", l->min_ns);
  jobj_real(&o, "mean",
            l->count > 0 ? (double)l->sum_ns / (double)l->count : 0.0);
  if (l->hist) {
    jobj_real(&o, "stddev", hist_stddev(l->hist));
    jobj_int(&o, "max", l->max_ns);
    jobj_add(&o, "percentiles", percentiles(l, setup));
    if (!l->brief)
      jobj_add(&o, "hdr_histogram", encoded(l->hist));
  } else {
    jobj_int(&o, "max", l->max_ns);
  }
  return jobj_take(&o);
}
