/*
 * merge_document.c - the document of several runs: as that of a run of several
 * processes, with what each run has in `merged`.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "tools/merge_runs.h"
#include "tools/merge_values.h"

/* From this share on, a warning says that runs were not at the same time. */
static const double merge_apart_max = 0.02;

static double merge_span_s(const struct merge *m)
{
  return m->end_s - m->start_s;
}

static json_t *merge_copy(const json_t *json, const char *path)
{
  const json_t *value = result_at(json, path);

  return value ? json_deep_copy(value) : json_null();
}

static struct merge_parts merge_all(const struct merge *m, const char *path)
{
  struct merge_parts parts = { .n = 0 };

  for (size_t i = 0; i < m->n; i++)
    merge_parts_add(&parts, m->of[i].r->json, path);
  return parts;
}

/* Add the values at `key` of all runs as one; `empty` if no run has any. */
static void merge_put(const struct merge *m, struct jobj *o, const char *key,
                      json_t *empty, struct err *err)
{
  const struct merge_parts parts = merge_all(m, key);

  if (parts.n == 0) {
    jobj_add(o, key, empty);
    return;
  }
  json_decref(empty);
  jobj_add(o, key,
           merge_values(&parts, merge_span_s(m),
                        result_number_at(o->j, "totals.events"), err));
}

/* What all runs ran with.  Totals are those of all runs; an option whose values
 * differ is only in the runs. */
static json_t *merge_options(const struct merge *m)
{
  const json_t *options = json_object_get(m->of[0].r->json, "options");
  struct jobj o = jobj_new();
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)options, name, option)
  {
    struct merge_parts values = { .n = 0 };
    json_t *copy = json_deep_copy(option), *total = NULL;
    bool same = true;

    for (size_t i = 0; i < m->n; i++) {
      const json_t *other = json_object_get(
        json_object_get(m->of[i].r->json, "options"), name);

      merge_parts_add(&values, other, "value");
      same = same && json_equal(json_object_get(option, "value"),
                                json_object_get(other, "value"));
    }
    if (values.n > 0 && merge_is_total(name))
      total = merge_values(&values, 0, 0, NULL);
    if (total && json_object_set_new(copy, "value", total) < 0)
      o.failed = true;
    if (total || same)
      jobj_add(&o, name, copy);
    else
      json_decref(copy);
  }
  return jobj_take(&o);
}

/* The options of a run that another one has with another value. */
static json_t *merge_own_options(const struct merge *m, size_t run)
{
  const json_t *options = json_object_get(m->of[run].r->json, "options");
  struct jobj o = jobj_new();
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)options, name, option)
  {
    const json_t *value = json_object_get(option, "value");
    bool same = true;

    for (size_t i = 0; i < m->n; i++) {
      const json_t *other = json_object_get(
        json_object_get(m->of[i].r->json, "options"), name);
      const json_t *its = json_object_get(other, "value");

      same = same && (value == its || (value && its && json_equal(value, its)));
    }
    if (!same && value)
      jobj_add(&o, name, json_deep_copy(value));
  }
  return jobj_take(&o);
}

/* A run that ended otherwise than the others; else the first one. */
static const json_t *merge_worst(const struct merge *m)
{
  for (size_t i = 0; i < m->n; i++) {
    const json_t *run = json_object_get(m->of[i].r->json, "run");

    if (json_integer_value(json_object_get(run, "exit_status")) != 0)
      return run;
  }
  return json_object_get(m->of[0].r->json, "run");
}

static void merge_run_counts(const struct merge *m, struct jobj *o)
{
  static const char *const keys[] = { "threads", "clients", "idle_clients" };

  for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
    json_int_t sum = 0;

    for (size_t i = 0; i < m->n; i++) {
      const json_t *run = json_object_get(m->of[i].r->json, "run");

      sum += json_integer_value(json_object_get(run, keys[k]));
    }
    if (sum > 0)
      jobj_signed(o, keys[k], sum);
  }
}

static json_t *merge_run(const struct merge *m)
{
  static const char *const ends[] = { "end_reason", "exit_status", "signal",
                                      "error" };
  const json_t *base = json_object_get(m->of[m->first].r->json, "run");
  const json_t *worst = merge_worst(m);
  const char *began[] = { "test", "start_time", "start_monotonic_ns",
                          "measured_start_monotonic_ns" };
  struct jobj o = jobj_new();
  double last_s = m->start_s;

  for (size_t i = 0; i < ARRAY_SIZE(began); i++)
    jobj_add(&o, began[i], merge_copy(base, began[i]));
  jobj_int(&o, "end_monotonic_ns",
           (uint64_t)(result_number_at(base, "measured_start_monotonic_ns") +
                      merge_span_s(m) * 1e9));
  merge_run_counts(m, &o);
  for (size_t i = 0; i < m->n; i++)
    last_s = fmax(last_s, m->of[i].start_s);
  jobj_int(&o, "start_skew_ns", (uint64_t)((last_s - m->start_s) * 1e9));
  for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
    if (json_object_get(worst, ends[i]))
      jobj_add(&o, ends[i], merge_copy(worst, ends[i]));
  }
  return jobj_take(&o);
}

/* The number of workers of a run, whose figures `threads` has. */
static double merge_workers(const struct result *r)
{
  const double clients = result_number_at(r->json, "run.clients");

  return clients > 0 ? clients : r->threads;
}

static json_t *merge_each_thread(const struct merge *m)
{
  json_t *all = json_array();
  json_int_t before = 0;

  for (size_t i = 0; all && i < m->n; i++) {
    const json_t *each = result_at(m->of[i].r->json, "threads.each");

    for (size_t k = 0; all && k < json_array_size(each); k++) {
      json_t *one = json_deep_copy(json_array_get(each, k));
      const json_t *number = json_object_get(one, "thread");
      const json_int_t thread = before + json_integer_value(number);

      if (!one ||
          json_object_set_new(one, "thread", json_integer(thread)) < 0 ||
          !jobj_array_add(all, json_incref(one))) {
        json_decref(all);
        all = NULL;
      }
      json_decref(one);
    }
    before += (json_int_t)merge_workers(m->of[i].r);
  }
  return all;
}

static json_t *merge_threads(const struct merge *m)
{
  struct merge_moments events = { 0 }, time_s = { 0 };
  struct jobj o = jobj_new();

  for (size_t i = 0; i < m->n; i++) {
    const struct result *r = m->of[i].r;
    const json_t *t = json_object_get(r->json, "threads");
    const double n = merge_workers(r);

    merge_moments_add(&events, n, result_number_at(t, "events_mean"),
                      result_number_at(t, "events_stddev"));
    merge_moments_add(&time_s, n, result_number_at(t, "execution_time_mean_s"),
                      result_number_at(t, "execution_time_stddev_s"));
  }
  jobj_real(&o, "events_mean", events.mean);
  jobj_real(&o, "events_stddev", merge_moments_stddev(&events));
  jobj_real(&o, "execution_time_mean_s", time_s.mean);
  jobj_real(&o, "execution_time_stddev_s", merge_moments_stddev(&time_s));
  jobj_add(&o, "each", merge_each_thread(m));
  return jobj_take(&o);
}

/* The sum of a figure of the clients; NAN: a run does not have it. */
static double merge_client_sum(const struct merge *m, const char *key)
{
  double sum = 0;

  for (size_t i = 0; i < m->n; i++)
    sum += result_number_at(json_object_get(m->of[i].r->json, "client"), key);
  return sum;
}

static bool merge_first_on_host(const struct merge *m, size_t run)
{
  const char *host = result_text_at(m->of[run].r->json, "environment.host");

  for (size_t i = 0; host && i < run; i++) {
    const char *other = result_text_at(m->of[i].r->json, "environment.host");

    if (other && strcmp(host, other) == 0)
      return false;
  }
  return true;
}

static json_t *merge_client(const struct merge *m, double events)
{
  static const char *const times[] = { "user_s", "system_s", "cpus_used" };
  static const char *const counts[] = { "voluntary_context_switches",
                                        "involuntary_context_switches",
                                        "max_resident_bytes" };
  const double cpu_s = merge_client_sum(m, "user_s") +
                       merge_client_sum(m, "system_s");
  struct jobj o = jobj_new();
  double cpus = 0;

  for (size_t i = 0; i < ARRAY_SIZE(times); i++)
    jobj_real(&o, times[i], merge_client_sum(m, times[i]));
  for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
    jobj_int(&o, counts[i], (uint64_t)merge_client_sum(m, counts[i]));
  for (size_t i = 0; i < m->n; i++) {
    if (merge_first_on_host(m, i))
      cpus += result_number_at(m->of[i].r->json, "client.cpus_allowed");
  }
  jobj_real(&o, "cpus_allowed", cpus);
  jobj_real(&o, "cpu_per_event_ns", cpu_s * 1e9 / events);
  jobj_real(&o, "run_queue_delay_s", merge_client_sum(m, "run_queue_delay_s"));
  return jobj_take(&o);
}

/* Facts that are the same in all runs.  Of the others nobody knows whether
 * they are sums. */
static json_t *merge_equal_facts(const struct merge *m, const char *of)
{
  const json_t *facts = json_object_get(m->of[0].r->json, of);
  struct jobj o = jobj_new();
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)facts, key, value)
  {
    size_t same = 1;

    while (same < m->n &&
           json_equal(value, json_object_get(
                               json_object_get(m->of[same].r->json, of), key)))
      same++;
    if (same == m->n)
      jobj_add(&o, key, json_deep_copy(value));
  }
  return jobj_take(&o);
}

static void merge_warn(struct jobj *of, json_t *list, const char *code,
                       const char *text)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "code", code);
  jobj_text(&o, "text", text);
  if (!jobj_array_add(list, jobj_take(&o)))
    of->failed = true;
}

/* Those of each run, and what the merge could not do. */
static void merge_warnings(const struct merge *m, struct jobj *of,
                           const char *no_intervals)
{
  const double span_s = merge_span_s(m);
  json_t *list = json_array();
  struct strbuf b = { 0 };

  if (m->common_s < (1 - merge_apart_max) * span_s) {
    strbuf_addf(&b,
                "the runs ran together for %.3f of %.3f s, and rates are over "
                "all of it: they are too low by up to %.0f %%",
                m->common_s, span_s, 100 * (1 - m->common_s / span_s));
    merge_warn(of, list, "runs_apart", strbuf_str(&b));
  }
  if (no_intervals) {
    strbuf_clear(&b);
    strbuf_addf(&b, "the document has no intervals: %s", no_intervals);
    merge_warn(of, list, "no_intervals", strbuf_str(&b));
  }
  for (size_t i = 0; i < m->n; i++) {
    const json_t *own = json_object_get(m->of[i].r->json, "warnings");

    for (size_t k = 0; k < json_array_size(own); k++) {
      const char *code = result_text_at(json_array_get(own, k), "code");
      const char *text = result_text_at(json_array_get(own, k), "text");

      strbuf_clear(&b);
      strbuf_addf(&b, "%s: %s", m->of[i].r->path, text ? text : "");
      merge_warn(of, list, code ? code : "", strbuf_str(&b));
    }
  }
  of->failed |= b.failed;
  strbuf_done(&b);
  jobj_add(of, "warnings", list);
}

static json_t *merge_part(const struct merge *m, size_t run)
{
  static const char *const copied[] = { "run", "environment", "database",
                                        "client" };
  const struct merge_run *p = &m->of[run];
  struct jobj o = jobj_new();

  jobj_text(&o, "file", p->r->path);
  jobj_real(&o, "start_offset_s", p->start_s - m->start_s);
  jobj_real(&o, "period_s", p->r->period_s);
  jobj_int(&o, "events", (uint64_t)p->r->events);
  jobj_real(&o, "events_per_s", p->r->events_per_s);
  jobj_add(&o, "latency_ns", merge_copy(p->r->json, "totals.latency_ns"));
  jobj_add(&o, "options", merge_own_options(m, run));
  for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
    jobj_add(&o, copied[i], merge_copy(p->r->json, copied[i]));
  return jobj_take(&o);
}

static json_t *merge_parts_list(const struct merge *m)
{
  struct jobj o = jobj_new();
  json_t *runs = json_array();

  for (size_t i = 0; i < m->n; i++) {
    if (!jobj_array_add(runs, merge_part(m, i)))
      o.failed = true;
  }
  jobj_real(&o, "common_s", m->common_s);
  jobj_add(&o, "runs", runs);
  return jobj_take(&o);
}

/* Events became due from the first start to the last end of a schedule. */
static void merge_offered(const struct merge *m, struct jobj *o)
{
  json_t *rate = json_object_get(o->j, "rate");
  double offered_s = 0;

  for (size_t i = 0; i < m->n; i++)
    offered_s = fmax(offered_s,
                     m->of[i].start_s - m->start_s +
                       result_number_at(m->of[i].r->json, "rate.offered_s"));
  if (!json_object_get(rate, "offered_s") || !(offered_s > 0))
    return;
  if (json_object_set_new(rate, "offered_s", jobj_number(offered_s)) < 0 ||
      json_object_set_new(
        json_object_get(o->j, "totals"), "offered_per_s",
        jobj_number(result_number_at(rate, "arrivals") / offered_s)) < 0)
    o->failed = true;
}

static void merge_totals(const struct merge *m, struct jobj *o, struct err *err)
{
  const double span_s = merge_span_s(m);
  json_t *totals;

  merge_put(m, o, "totals", json_null(), err);
  totals = json_object_get(o->j, "totals");
  if (json_object_set_new(totals, "elapsed_s", jobj_number(span_s)) < 0 ||
      json_object_set_new(totals, "period_s", jobj_number(span_s)) < 0)
    o->failed = true;
  merge_put(m, o, "classes", json_array(), err);
  if (merge_all(m, "members").n > 0)
    merge_put(m, o, "members", json_array(), err);
  merge_put(m, o, "rate", json_null(), err);
  merge_offered(m, o);
}

json_t *merge_document(const struct merge *m, struct err *err)
{
  const json_t *first = m->of[0].r->json;
  struct jobj o = jobj_new();
  const char *no_intervals = NULL;
  json_t *slices = merge_slices(m);
  json_t *intervals = merge_intervals(m, &no_intervals, err), *done;
  double events;

  jobj_text(&o, "schema", RESULT_SCHEMA);
  jobj_add(&o, "tool", merge_copy(first, "tool"));
  jobj_add(&o, "environment", merge_copy(first, "environment"));
  jobj_add(&o, "database",
           json_is_object(json_object_get(first, "database"))
             ? merge_equal_facts(m, "database")
             : json_null());
  jobj_add(&o, "options", merge_options(m));
  jobj_add(&o, "run", merge_run(m));
  merge_totals(m, &o, err);
  events = result_number_at(o.j, "totals.events");
  jobj_add(&o, "merged", merge_parts_list(m));
  jobj_add(&o, "test", merge_equal_facts(m, "test"));
  merge_put(m, &o, "errors", json_array(), err);
  jobj_add(&o, "threads", merge_threads(m));
  jobj_add(&o, "client", merge_client(m, events));
  merge_put(m, &o, "event_log", json_null(), err);
  merge_warnings(m, &o, no_intervals);
  if (!json_is_null(slices))
    jobj_add(&o, "slices", json_incref(slices));
  json_decref(slices);
  jobj_add(&o, "intervals", intervals);
  jobj_add(&o, "checkpoints", json_array());
  done = jobj_take(&o);
  if (!done && !err->text[0])
    (void)err_set(err, -ENOMEM, "not enough memory for merging results");
  return done;
}
