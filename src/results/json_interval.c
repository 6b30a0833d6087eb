/*
 * json_interval.c - the report of a period as a JSON object.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/fmt.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "report/form.h"
#include "report/marks.h"
#include "results/figures.h"
#include "results/hdr_log.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "results/shared.h"
#include "stats/report.h"
#include "stats/value_hist.h"

/* ---- latencies ---- */

static json_t *json_percentiles(const struct latency *l,
                                const struct report_setup *setup)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < figures_percentile_count(setup); i++) {
    const double pct = figures_percentile(setup, i);
    uint64_t ns = l->count > 0 ? hist_percentile(l->hist, pct) : 0;
    char key[FMT_DOUBLE_SIZE];

    if (ns < l->min_ns)
      ns = l->min_ns;
    if (ns > l->max_ns)
      ns = l->max_ns;
    if (!json_object_get(o.j, fmt_shortest(key, pct)))
      jobj_int(&o, key, ns);
  }
  return jobj_take(&o);
}

static json_t *json_encoded(const struct hist_sum *h)
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
  if (l->hist)
    jobj_real(&o, "stddev", hist_stddev(l->hist));
  jobj_int(&o, "max", l->max_ns);
  if (l->hist)
    jobj_add(&o, "percentiles", json_percentiles(l, setup));
  if (l->hist && !l->brief)
    jobj_add(&o, "hdr_histogram", json_encoded(l->hist));
  return jobj_take(&o);
}

json_t *json_class_latency(const struct class_report *c,
                           const struct report_setup *setup, bool brief)
{
  const struct latency l = { c->count,  c->sum_ns, c->min_ns,
                             c->max_ns, c->hist,   brief };

  return json_latency(&l, setup);
}

/* ---- classes, and members of a mix ---- */

static json_t *json_class(const struct class_report *c, const struct report *r,
                          const struct report_setup *setup, bool brief)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "name", c->name);
  jobj_int(&o, "count", c->count);
  jobj_real(&o, "count_per_s", report_rate(r, c->count));
  jobj_int(&o, "errors", c->errors);
  jobj_int(&o, "rows", c->rows);
  jobj_int(&o, "bytes", c->bytes);
  jobj_add(&o, "latency_ns", json_class_latency(c, setup, brief));
  return jobj_take(&o);
}

json_t *json_classes(const struct report *r, const struct report_setup *setup,
                     bool brief)
{
  struct jobj list = jobj_list();

  for (unsigned i = 0; i < r->classes.n; i++)
    jobj_push(&list, json_class(&r->classes.of[i], r, setup, brief));
  return jobj_take(&list);
}

/* `planned` [opt]: share on the command line. */
static json_t *json_member(const struct class_report *c, const struct report *r,
                           const struct report_setup *setup,
                           const struct report_member *planned, bool brief)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "name", c->name);
  jobj_int(&o, "events", c->count);
  jobj_real(&o, "events_per_s", report_rate(r, c->count));
  jobj_real(&o, "share_ratio",
            r->events > 0 ? (double)c->count / (double)r->events : 0.0);
  jobj_int(&o, "errors", c->errors);
  jobj_int(&o, "reconnects", c->reconnects);
  if (planned && planned->share > 0.0)
    jobj_real(&o, "planned_ratio", planned->share);
  if (planned && planned->clients > 0)
    jobj_int(&o, "clients", planned->clients);
  if (planned && planned->rate > 0.0)
    jobj_real(&o, "planned_per_s", planned->rate);
  jobj_add(&o, "latency_ns", json_class_latency(c, setup, brief));
  return jobj_take(&o);
}

json_t *json_members(const struct report *r, const struct report_setup *setup,
                     bool brief)
{
  const bool whole = r->kind != REPORT_INTERVAL;
  struct jobj list = jobj_list();

  for (unsigned i = 0; i < r->members.n; i++)
    jobj_push(
      &list,
      json_member(&r->members.of[i], r, setup,
                  whole && i < setup->n_members ? &setup->members[i] : NULL,
                  brief));
  return jobj_take(&list);
}

/* ---- a test's own counts ---- */

static json_t *json_counters(const struct tally_report *t)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < t->n_counts; i++)
    jobj_named(&o, t->count[i].name, jobj_number(t->count[i].sum));
  return jobj_take(&o);
}

static json_t *json_values(const struct named_values *v,
                           const struct report_setup *setup)
{
  const struct value_sum *sum = v->values;
  struct jobj o = jobj_new();

  jobj_text(&o, "unit", v->unit);
  jobj_int(&o, "count", sum->n);
  jobj_real(&o, "min", sum->min);
  jobj_real(&o, "max", sum->max);
  jobj_real(&o, "mean", value_mean(sum));
  for (size_t i = 0; i < figures_percentile_count(setup); i++) {
    const double pct = figures_percentile(setup, i);
    char number[FMT_DOUBLE_SIZE], key[FMT_DOUBLE_SIZE + 1];

    (void)snprintf(key, sizeof(key), "p%s", fmt_shortest(number, pct));
    jobj_real(&o, key, value_percentile(sum, pct));
  }
  return jobj_take(&o);
}

static json_t *json_histograms(const struct tally_report *t,
                               const struct report_setup *setup)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < t->n_values; i++)
    jobj_named(&o, t->values[i].name, json_values(&t->values[i], setup));
  return jobj_take(&o);
}

json_t *json_error_counts(const struct error_count *of, size_t n,
                          bool with_text)
{
  struct jobj list = jobj_list();

  for (size_t i = 0; i < n; i++) {
    const struct error_count *e = &of[i];
    struct jobj o = jobj_new();

    jobj_text(&o, "source", e->source);
    jobj_text(&o, "code", e->code);
    jobj_text(&o, "state", e->state);
    jobj_int(&o, "count", e->count);
    if (with_text)
      jobj_text(&o, "text", e->text);
    jobj_push(&list, jobj_take(&o));
  }
  return jobj_take(&list);
}

static void json_add_tally(struct jobj *o, const struct tally_report *t,
                           const struct report_setup *setup)
{
  if (t->n_counts > 0)
    jobj_add(o, "counters", json_counters(t));
  if (t->n_values > 0)
    jobj_add(o, "histograms", json_histograms(t, setup));
  if (t->n_errors > 0)
    jobj_add(o, "errors_by_code",
             json_error_counts(t->error, t->n_errors, false));
}

/* ---- a test's own figures ---- */

enum {
  JSON_NESTED = 4 /* nested groups */
};

struct json_nesting {
  struct jobj *at[JSON_NESTED + 1]; /* at[0]: the report */
  struct jobj group[JSON_NESTED];
  const char *name[JSON_NESTED];
  unsigned n;
};

static void json_group_begin(void *ctx, const char *name)
{
  struct json_nesting *n = ctx;

  assert(n->n < JSON_NESTED);
  n->name[n->n] = name;
  n->group[n->n] = jobj_new();
  n->at[n->n + 1] = &n->group[n->n];
  n->n++;
}

static void json_group_end(void *ctx)
{
  struct json_nesting *n = ctx;

  n->n--;
  jobj_add(n->at[n->n], n->name[n->n], jobj_take(&n->group[n->n]));
}

static void json_group_count(void *ctx, const char *name, uint64_t value)
{
  struct json_nesting *n = ctx;

  jobj_int(n->at[n->n], name, value);
}

static void json_group_real(void *ctx, const char *name, double value)
{
  struct json_nesting *n = ctx;

  jobj_real(n->at[n->n], name, value);
}

static void json_add_own(struct jobj *o, const struct report *r,
                         const struct report_setup *setup)
{
  struct json_nesting n = { .at = { o } };
  const struct figures to = { &n, json_group_begin, json_group_end,
                              json_group_count, json_group_real };

  if (r->form->figures)
    r->form->figures(&to, setup, r);
}

/* ---- a report ---- */

void json_add_figure(struct jobj *o, const char *key, const struct figure *f,
                     double value)
{
  if (f->of.type == FIGURE_BOOL)
    jobj_bool(o, key, value > 0);
  else if (figure_is_whole(f))
    jobj_int(o, key, (uint64_t)value);
  else
    jobj_real(o, key, value);
}

static json_t *json_system(const struct system_use *u)
{
  struct jobj o = jobj_new();

  FOR_EACH_FIGURE(f)
  {
    const double value = f->source == FIGURE_OF_MACHINE
                           ? figure_value(f, NULL, NULL, u)
                           : NAN;
    struct jobj in = { NULL, false };

    if (isnan(value))
      continue;
    if (!json_object_get(o.j, f->group))
      jobj_add(&o, f->group, json_object());
    in.j = json_object_get(o.j, f->group);
    json_add_figure(&in, f->key, f, value);
    o.failed = o.failed || in.failed;
  }
  return jobj_take(&o);
}

json_t *json_report(const struct report *r, const struct report_setup *setup,
                    const struct system_use *sys, bool brief)
{
  const struct latency l = { r->events, r->sum_ns, r->min_ns,
                             r->max_ns, r->hist,   false };
  const bool interval = r->kind == REPORT_INTERVAL;
  struct jobj o = jobj_new();

  FOR_EACH_FIGURE(f)
  {
    if (f->source == FIGURE_OWN) {
      json_add_own(&o, r, setup);
    } else if (f->source == FIGURE_LATENCIES) {
      jobj_add(&o, "latency_ns", json_latency(&l, setup));
    } else if (f->source == FIGURE_OF_REPORT && f->key) {
      const double value = figure_value(f, r, setup, NULL);

      if (!isnan(value))
        json_add_figure(&o, f->key, f, value);
    }
  }
  if (interval && r->classes.n > 0)
    jobj_add(&o, "classes", json_classes(r, setup, brief));
  if (interval && r->members.n > 0)
    jobj_add(&o, "members",
             json_members(r, setup, r->members.n > JSON_CLASSES_WHOLE));
  json_add_tally(&o, &r->tally, setup);
  if (sys)
    jobj_add(&o, "system", json_system(sys));
  return jobj_take(&o);
}

/* ---- the servers ---- */

void json_add_metrics(struct jobj *o, const struct server_reading *r)
{
  for (int f = 0; f < SERVER_METRICS; f++) {
    if (!r->has[f])
      continue;
    if (server_metrics_info[f].kind == SERVER_COUNT)
      jobj_int(o, server_metrics_info[f].name, (uint64_t)r->value[f]);
    else
      jobj_real(o, server_metrics_info[f].name, r->value[f]);
  }
}

json_t *json_waits(const struct server_waits *w, unsigned max)
{
  bool done[SERVER_WAITS] = { false };
  struct jobj list = jobj_list();

  for (unsigned n = 0; n < max && n < w->n; n++) {
    struct jobj o = jobj_new();
    unsigned most = w->n;

    for (unsigned i = 0; i < w->n; i++) {
      if (!done[i] &&
          (most == w->n || w->of[i].sessions > w->of[most].sessions))
        most = i;
    }
    done[most] = true;
    jobj_text(&o, "name", w->of[most].name);
    jobj_real(&o, "sessions", (double)w->of[most].sessions / (double)w->looks);
    jobj_push(&list, jobj_take(&o));
  }
  return jobj_take(&list);
}

static json_t *json_server_interval(struct monitor *m, unsigned server)
{
  struct server_interval i;
  struct jobj o = jobj_new();

  monitor_interval(m, server, &i);
  jobj_bool(&o, "known", i.known);
  if (i.known)
    jobj_real(&o, "period_s", jobj_seconds(i.period_ns));
  json_add_metrics(&o, i.known ? &i.did : &i.seen);
  if (i.known && i.waits.looks > 0)
    jobj_add(&o, "waits", json_waits(&i.waits, JSON_WAITS_SHOWN));
  return jobj_take(&o);
}

json_t *json_interval(const struct report *r, const struct report_setup *setup,
                      const struct results_shared *shared, bool brief)
{
  struct monitor *m = shared->monitor;
  struct jobj o = { json_report(r, setup, &shared->sys, brief), false };

  o.failed = !o.j;
  if (monitor_servers(m) > 0) {
    struct jobj list = jobj_list();

    for (unsigned i = 0; i < monitor_servers(m); i++)
      jobj_push(&list, json_server_interval(m, i));
    jobj_add(&o, "servers", jobj_take(&list));
  }
  if (shared->marks_from < shared->marks_to)
    jobj_add(&o, "marks",
             json_marks(shared->marks, shared->marks_from, shared->marks_to));
  return jobj_take(&o);
}

json_t *json_marks(const struct marks *m, unsigned from, unsigned to)
{
  struct jobj list = jobj_list();

  for (unsigned i = from; i < to; i++) {
    struct jobj o = jobj_new();

    jobj_real(&o, "at_s", mark_at_s(m, i));
    jobj_text(&o, "text", mark_text(m, i));
    jobj_push(&list, jobj_take(&o));
  }
  return jobj_take(&list);
}
