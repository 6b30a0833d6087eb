/*
 * page_data.c - what the page of a report draws, as JSON.
 */
#include "tools/page_data.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "monitor/metrics.h"
#include "results/json_parts.h"
#include "stats/hist_sum.h"
#include "tools/members.h"
#include "tools/page_heat.h"
#include "tools/result.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"
#include "tools/view.h"

enum {
  PATHS_MAX = 60, /* further figures of machine and servers have no chart */
  DEPTH_MAX = 6,
  DIGITS = 5,      /* of figures of the run */
  DIGITS_ROWS = 4, /* of machine and servers */
  PER_OCTAVE = 32, /* points of a distribution */
};

/* ---- JSON ---- */

/* Appends JSON; a text in it cannot end the script that it is in. */
static int append_safe(const char *text, size_t len, void *to)
{
  struct strbuf *out = to;

  for (size_t i = 0; i < len; i++) {
    if (text[i] == '<')
      strbuf_adds(out, "\\u003c");
    else
      strbuf_add(out, &text[i], 1);
  }
  return 0;
}

static void append_json(struct strbuf *out, const json_t *json)
{
  if (!json)
    strbuf_adds(out, "null");
  else if (json_dump_callback(json, append_safe, out,
                              JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
                                JSON_REAL_PRECISION(12)) < 0)
    out->failed = true;
}

static void append_text(struct strbuf *out, const char *text)
{
  json_t *json = json_string(text);

  if (!json)
    json = json_string_nocheck("?");
  append_json(out, json);
  json_decref(json);
}

/* ---- columns of numbers ---- */

/* A number with so many digits, in units of 10^scale. */
static void append_number(struct strbuf *out, double x, int digits, int scale)
{
  int e = x == 0 ? 0 : (int)floor(log10(fabs(x))) - digits + 1;
  int64_t m;

  if (!isfinite(x)) {
    strbuf_adds(out, "null");
    return;
  }
  m = e < -300 ? 0 : llround(x * pow(10, -e));
  for (; m != 0 && m % 10 == 0; m /= 10)
    e++;
  e -= scale;
  for (; e > 0 && e < 3 && m != 0; m *= 10)
    e--;
  strbuf_addf(out, "%lld", (long long)m);
  if (e != 0 && m != 0)
    strbuf_addf(out, "e%d", e);
}

/* {"s":-2,"y":[...]}: numbers are in units of 10^s, so that they are short. */
static void append_column(struct strbuf *out, const double *y, size_t n,
                          int digits)
{
  double sum = 0;
  size_t counted = 0;
  int scale = 0;

  for (size_t i = 0; i < n; i++) {
    if (!isfinite(y[i]) || y[i] == 0)
      continue;
    sum += log10(fabs(y[i]));
    counted++;
  }
  if (counted > 0)
    scale = (int)floor(sum / (double)counted) - digits + 1;
  strbuf_addf(out, "{\"s\":%d,\"y\":[", scale);
  for (size_t i = 0; i < n; i++) {
    strbuf_adds(out, i > 0 ? "," : "");
    append_number(out, y[i], digits, scale);
  }
  strbuf_adds(out, "]}");
}

/* ---- figures of intervals ---- */

/* A figure of intervals: a path, a percentile, or a kind of waits. */
struct figure_at {
  const char *path;
  const char *percentile; /* its key */
  const char *member;     /* [opt] the figure of this member of a mix */
  const char *wait;       /* [opt] at this server */
  size_t server;
  bool count; /* shown per second */
};

/* Unknown in an interval without a reading.  Of what is not in the list there
 * were none, unless the list is full. */
static double waits_at(const struct figure_at *f, const json_t *interval)
{
  const json_t *server = json_array_get(json_object_get(interval, "servers"),
                                        f->server);
  const json_t *list = json_object_get(server, "waits");

  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *one = json_array_get(list, k);
    const char *name = result_text_at(one, "name");

    if (name && strcmp(name, f->wait) == 0)
      return result_number_at(one, "sessions");
  }
  return list && json_array_size(list) < JSON_WAITS_SHOWN ? 0 : NAN;
}

static double value_at(const struct figure_at *f,
                       const struct result_interval *i)
{
  const json_t *of = f->member ? member_find(i->json, f->member) : i->json;

  if (f->wait)
    return waits_at(f, i->json);
  if (f->percentile)
    return f->member ? member_percentile(of, f->percentile)
                     : result_interval_percentile(i, f->percentile);
  return result_number_at(of, f->path) / (f->count ? i->period_s : 1);
}

/* The intervals without a last one that is so short that its figures scatter
 * too much. */
static size_t whole_intervals(const struct result *r)
{
  const size_t n = r->n_intervals;

  return n > 1 && r->intervals[n - 1].partial &&
             r->intervals[n - 1].period_s < r->intervals[n - 2].period_s / 2
           ? n - 1
           : n;
}

/* Adds "key": column; nothing if all numbers are 0 or missing. */
static void append_figure(struct strbuf *out, const struct result *r,
                          const char *key, const struct figure_at *f,
                          int digits)
{
  const size_t n = whole_intervals(r);
  double *y = calloc(n + 1, sizeof(*y));
  bool any = false;

  for (size_t i = 0; y && i < n; i++) {
    y[i] = value_at(f, &r->intervals[i]);
    any = any || (isfinite(y[i]) && y[i] != 0);
  }
  if (any) {
    if (out->text[out->len - 1] != '{')
      strbuf_adds(out, ",");
    append_text(out, key);
    strbuf_adds(out, ":");
    append_column(out, y, n, digits);
  }
  out->failed = out->failed || !y;
  free(y);
}

/* Paths of numbers, in the order in which they appear. */
struct paths {
  char *of[PATHS_MAX]; /* owned */
  size_t n;
  bool failed;
};

static void add_path(struct paths *p, const char *path)
{
  for (size_t i = 0; i < p->n; i++) {
    if (strcmp(p->of[i], path) == 0)
      return;
  }
  if (p->n == PATHS_MAX)
    return;
  p->of[p->n] = mem_strdup(path);
  p->failed = p->failed || !p->of[p->n];
  p->n += p->of[p->n] != NULL;
}

/* Names with dots in them cannot be looked up, and are left out. */
static void collect_paths(struct paths *p, const json_t *json, const char *path,
                          int depth)
{
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)json, key, value)
  {
    struct strbuf below = { 0 };

    strbuf_addf(&below, "%s.%s", path, key);
    if (strchr(key, '.') || !*key)
      ;
    else if (json_is_object(value) && depth < DEPTH_MAX)
      collect_paths(p, value, strbuf_str(&below), depth + 1);
    else if (json_is_number(value))
      add_path(p, strbuf_str(&below));
    p->failed = p->failed || below.failed;
    strbuf_done(&below);
  }
}

static bool ends_with(const char *text, const char *end)
{
  const size_t len = strlen(text), n = strlen(end);

  return len >= n && strcmp(text + len - n, end) == 0;
}

/* Does the figure count events of an interval, unlike a level or a rate? */
static bool is_count(const char *path)
{
  const char *name = strrchr(path, '.') + 1;

  for (int f = 0; strncmp(path, "servers.", 8) == 0; f++) {
    if (f == SERVER_METRICS)
      return false;
    if (strcmp(server_metrics_info[f].name, name) == 0)
      return server_metrics_info[f].kind == SERVER_COUNT;
  }
  return !ends_with(path, "_ratio") && !ends_with(path, "_per_s") &&
         !(strncmp(path, "system.memory.", 14) == 0 &&
           ends_with(path, "_bytes"));
}

/* A column for each further figure of the machine and of servers. */
static void append_rows(struct strbuf *out, const struct result *r)
{
  struct paths p = { .n = 0 };

  for (size_t n = 0; n < r->n_intervals; n++)
    collect_paths(&p, json_object_get(r->intervals[n].json, "system"), "system",
                  0);
  for (size_t n = 0; n < r->n_intervals; n++) {
    const json_t *list = json_object_get(r->intervals[n].json, "servers");

    for (size_t i = 0; i < json_array_size(list); i++) {
      struct strbuf path = { 0 };

      strbuf_addf(&path, "servers.%zu", i);
      collect_paths(&p, json_array_get(list, i), strbuf_str(&path), DEPTH_MAX);
      strbuf_done(&path);
    }
  }
  for (size_t i = 0; i < p.n; i++) {
    const struct figure_at f = { .path = p.of[i], .count = is_count(p.of[i]) };
    struct strbuf key = { 0 };

    strbuf_addf(&key, "%s%s", p.of[i], f.count ? "_per_s" : "");
    /* How far apart readings were is no figure of a server. */
    if (!ends_with(p.of[i], ".period_s"))
      append_figure(out, r, strbuf_str(&key), &f, DIGITS_ROWS);
    strbuf_done(&key);
    free(p.of[i]);
  }
  out->failed = out->failed || p.failed;
}

static void append_waits(struct strbuf *out, const struct result *r)
{
  const json_t *servers = json_object_get(r->json, "servers");

  for (size_t i = 0; i < json_array_size(servers); i++) {
    const json_t *waits = json_object_get(json_array_get(servers, i), "waits");

    for (size_t k = 0; k < json_array_size(waits); k++) {
      const char *name = result_text_at(json_array_get(waits, k), "name");
      struct strbuf key = { 0 };

      strbuf_addf(&key, "waits.%zu.%s", i, name ? name : "");
      if (name)
        append_figure(out, r, strbuf_str(&key),
                      &(struct figure_at){ .wait = name, .server = i },
                      DIGITS_ROWS);
      strbuf_done(&key);
    }
  }
}

static void append_members(struct strbuf *out, const struct result *r)
{
  const json_t *list = json_object_get(r->json, "members");

  for (size_t i = 0; i < json_array_size(list) && i < VIEW_RUNS_MAX; i++) {
    const char *name = result_text_at(json_array_get(list, i), "name");
    struct figure_at f = { .path = "events_per_s", .member = name };
    struct strbuf key = { 0 };

    if (!name)
      continue;
    strbuf_addf(&key, "members.events_per_s.%s", name);
    append_figure(out, r, strbuf_str(&key), &f, DIGITS);
    strbuf_clear(&key);
    strbuf_addf(&key, "members.p95.%s", name);
    f.percentile = "95";
    append_figure(out, r, strbuf_str(&key), &f, DIGITS);
    strbuf_done(&key);
  }
}

static void append_series(struct strbuf *out, const struct result *r)
{
  static const struct {
    const char *key;
    struct figure_at f;
  } of[] = {
    { "rate", { .path = "events_per_s" } },
    { "offered", { .path = "offered_per_s" } },
    { "queries", { .path = "queries.total_per_s" } },
    { "errors", { .path = "errors_per_s" } },
    { "reconnects", { .path = "reconnects", .count = true } },
    { "p50", { .percentile = "50" } },
    { "p95", { .percentile = "95" } },
    { "p99", { .percentile = "99" } },
    { "p999", { .percentile = "99.9" } },
    { "max", { .path = "latency_ns.max" } },
  };
  const size_t n = whole_intervals(r);
  double *t = calloc(n + 1, sizeof(*t));

  strbuf_adds(out, "\"t\":");
  for (size_t i = 0; t && i < n; i++)
    t[i] = r->intervals[i].end_s;
  append_column(out, t, t ? n : 0, 7);
  free(t);
  strbuf_adds(out, ",\"series\":{");
  for (size_t i = 0; i < ARRAY_SIZE(of); i++)
    append_figure(out, r, of[i].key, &of[i].f, DIGITS);
  append_members(out, r);
  append_waits(out, r);
  append_rows(out, r);
  strbuf_adds(out, "}");
}

/* ---- distributions ---- */

/* [[latency in ns, events], ...], ascending. */
static void append_histogram(struct strbuf *out, const char *key,
                             struct hist_sum *h)
{
  uint64_t count = 0;
  const char *comma = "";

  if (h && h->total > 0) {
    strbuf_addf(out, ",\"%s\":[", key);
    for (unsigned i = hist_sum_next(h, 0), next; i < HIST_BUCKETS; i = next) {
      const double value = fmax(1, (double)hist_middle(i));

      next = hist_sum_next(h, i + 1);
      count += hist_sum_at(h, i);
      if (next < HIST_BUCKETS &&
          floor(PER_OCTAVE * log2((double)hist_middle(next))) ==
            floor(PER_OCTAVE * log2(value)))
        continue;
      strbuf_addf(out, "%s[%.0f,%llu]", comma, value,
                  (unsigned long long)count);
      comma = ",";
      count = 0;
    }
    strbuf_adds(out, "]");
  }
  hist_sum_free(h);
}

/* ---- documents ---- */

/* Remove what is long and not drawn. */
static void strip(json_t *json)
{
  const char *key;
  json_t *value;
  size_t i;

  (void)json_object_del(json, "hdr_histogram");
  json_object_foreach(json, key, value)
    strip(value);
  json_array_foreach(json, i, value)
    strip(value);
}

static void append_document(struct strbuf *out, const json_t *json)
{
  static const char *const kept[] = { "run",      "totals",       "database",
                                      "rate",     "slo",          "outages",
                                      "marks",    "coincidences", "test",
                                      "warnings", "environment",  "client",
                                      "tool" };
  json_t *o = json_object(), *copy;

  for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
    const json_t *have = json_object_get(json, kept[i]);

    if (have && json_object_set_new(o, kept[i], json_deep_copy(have)) < 0)
      out->failed = true;
  }
  copy = json_deep_copy(result_at(json, "options.label.value"));
  if (copy && json_object_set_new(o, "label", copy) < 0)
    out->failed = true;
  copy = json_deep_copy(result_at(json, "options.clients.value"));
  if (copy && json_object_set_new(o, "clients", copy) < 0)
    out->failed = true;
  strip(o);
  append_json(out, o);
  json_decref(o);
}

/* The median and the range of a figure of repeats. */
static void append_spread(struct strbuf *out, const char *key,
                          const struct group *g,
                          double (*of)(const struct result *))
{
  double low = INFINITY, high = -INFINITY;

  for (size_t i = 0; i < g->n; i++) {
    low = fmin(low, of(g->runs[i]));
    high = fmax(high, of(g->runs[i]));
  }
  strbuf_addf(out, ",\"%s\":[", key);
  append_number(out, group_median(g, of), DIGITS, 0);
  strbuf_adds(out, ",");
  append_number(out, low, DIGITS, 0);
  strbuf_adds(out, ",");
  append_number(out, high, DIGITS, 0);
  strbuf_adds(out, "]");
}

static double rate_of(const struct result *r)
{
  return r->events_per_s;
}

static double p50_of(const struct result *r)
{
  return result_percentile(r, "50");
}

static double p95_of(const struct result *r)
{
  return result_percentile(r, "95");
}

static double p99_of(const struct result *r)
{
  return result_percentile(r, "99");
}

static double mean_of(const struct result *r)
{
  return r->mean_ns;
}

static void append_run(struct strbuf *out, const struct view *v, size_t i)
{
  const struct view_run *r = &v->runs[i];
  const bool drawn = i < VIEW_RUNS_MAX || v->has_parts;

  strbuf_adds(out, "{\"label\":");
  append_text(out, r->label);
  strbuf_adds(out, ",\"values\":");
  append_json(out, r->group->values);
  append_spread(out, "rate", r->group, rate_of);
  append_spread(out, "p50", r->group, p50_of);
  append_spread(out, "p95", r->group, p95_of);
  append_spread(out, "p99", r->group, p99_of);
  append_spread(out, "mean", r->group, mean_of);
  strbuf_addf(out, ",\"repeats\":%zu,\"failed\":%zu,\"doc\":", r->group->n,
              r->group->failed);
  append_document(out, r->run->json);
  if (drawn) {
    strbuf_adds(out, ",");
    append_series(out, r->run);
    append_histogram(out, "hist", result_histogram(r->run));
    append_histogram(out, "fsync", result_class_histogram(r->run, "fsync"));
    page_heat(r->run, whole_intervals(r->run), out);
  }
  strbuf_adds(out, "}");
}

/* The name, the sweep and the search of a file, and which runs are its own. */
static void append_file(struct strbuf *out, const struct view *v, size_t i,
                        size_t first)
{
  const json_t *sweep = json_object_get(v->files[i].json, "sweep");
  struct usl usl;

  strbuf_adds(out, "{\"name\":");
  append_text(out, v->names[i]);
  strbuf_addf(out, ",\"first\":%zu,\"n\":%zu", first, v->groups[i].n);
  if (v->files[i].is_sweep) {
    strbuf_adds(out, ",\"best\":");
    append_json(out, json_object_get(sweep, "best"));
    strbuf_adds(out, ",\"knee\":");
    append_json(out, json_object_get(sweep, "knee"));
    strbuf_adds(out, ",\"search\":");
    append_json(out, json_object_get(sweep, "search"));
  }
  if (!v->has_parts && !v->finds[i] && usl_of_groups(&v->groups[i], &usl)) {
    json_t *law = usl_json(&usl);

    strbuf_adds(out, ",\"law\":");
    append_json(out, law);
    json_decref(law);
  }
  strbuf_adds(out, "}");
}

void page_data(const struct view *v, struct strbuf *out)
{
  size_t first = 0;

  strbuf_addf(out, "{\"parts\":%s,\"files\":[", v->has_parts ? "true" : "false");
  for (size_t i = 0; i < v->n_files; i++) {
    strbuf_adds(out, i > 0 ? "," : "");
    append_file(out, v, i, first);
    first += v->groups[i].n;
  }
  strbuf_adds(out, "],\"runs\":[");
  for (size_t i = 0; i < v->n_runs; i++) {
    strbuf_adds(out, i > 0 ? "," : "");
    append_run(out, v, i);
  }
  strbuf_adds(out, "]}");
}
