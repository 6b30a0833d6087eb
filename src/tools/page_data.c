#include "tools/page_data.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "monitor/metrics.h"
#include "stats/hist_sum.h"
#include "tools/hdr_decode.h"
#include "tools/result.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"
#include "tools/view.h"

enum {
  COLUMNS_MAX = 128, /* more have no chart */
  DEPTH_MAX = 6,
  DIGITS = 6, /* of figures of the run */
  DIGITS_ROWS = 4,
  PER_OCTAVE = 32, /* points per octave of a distribution */
  HEAT_ROWS = 8,   /* per octave, over time */
  HEAT_COLUMNS = 240,
};

/* ---- JSON ---- */

/* JSON in which no text can end the script around it. */
static int page_data_append_safe(const char *text, size_t len, void *to)
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

static void page_data_append_json(struct strbuf *out, const json_t *json)
{
  if (!json)
    strbuf_adds(out, "null");
  else if (json_dump_callback(json, page_data_append_safe, out,
                              JSON_COMPACT | JSON_ENCODE_ANY |
                                JSON_ENSURE_ASCII | JSON_REAL_PRECISION(12)) <
           0)
    out->failed = true;
}

static void page_data_append_text(struct strbuf *out, const char *text)
{
  json_t *json = json_string(text);

  if (!json)
    json = json_string_nocheck("?");
  page_data_append_json(out, json);
  json_decref(json);
}

/* ---- columns of numbers ---- */

/* {"s":-2,"y":[...]}: numbers in units of 10^s, which makes them short. */
static void page_data_append_column(struct strbuf *out, const double *y,
                                    size_t n, int digits)
{
  double sum = 0, factor;
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
  factor = pow(10, -scale);
  strbuf_addf(out, "{\"s\":%d,\"y\":[", scale);
  for (size_t i = 0; i < n; i++) {
    strbuf_adds(out, i > 0 ? "," : "");
    if (isfinite(y[i]) && fabs(y[i] * factor) < 1e18)
      strbuf_addf(out, "%lld", llround(y[i] * factor));
    else
      strbuf_adds(out, "null");
  }
  strbuf_adds(out, "]}");
}

/* ---- intervals ---- */

struct columns {
  json_t *of; /* owned; { path: [number or null, ...] } */
  size_t n;   /* intervals before this one */
  bool failed;
};

static void page_data_put(struct columns *c, const char *path, double value)
{
  json_t *list = json_object_get(c->of, path);

  if (!list && json_object_size(c->of) < COLUMNS_MAX) {
    list = json_array();
    c->failed |= json_object_set_new(c->of, path, list) < 0;
  }
  while (list && !c->failed && json_array_size(list) < c->n)
    c->failed |= json_array_append_new(list, json_null()) < 0;
  if (list && json_array_size(list) == c->n)
    c->failed |= json_array_append_new(list, isfinite(value) ? json_real(value)
                                                             : json_null()) < 0;
}

static bool page_data_is_skipped(const char *key)
{
  static const char skipped[] =
    " read write read_empty other total classes file_operations events "
    "elapsed_s period_s count threads_running stalled_s min mean stddev 75 90 "
    "99.99 ";
  const char *at = strstr(skipped, key);

  return at && at > skipped && at[-1] == ' ' && at[strlen(key)] == ' ';
}

/* Does the figure count events, unlike a level or a rate? */
static bool page_data_is_count(const char *path)
{
  const char *name = strrchr(path, '.');

  if (strncmp(path, "servers.", 8) == 0) {
    for (int f = 0; f < SERVER_METRICS; f++) {
      if (strcmp(server_metrics_info[f].name, name + 1) == 0)
        return server_metrics_info[f].kind == SERVER_COUNT;
    }
    return false;
  }
  return strcmp(path, "reconnects") == 0 ||
         (strncmp(path, "system.", 7) == 0 && !text_ends_with(path, "_ratio") &&
          !text_ends_with(path, "_per_s") &&
          !(strncmp(path, "system.memory.", 14) == 0 &&
            text_ends_with(path, "_bytes")));
}

/* Puts all numbers below `json`.  Lists: by the names of their members, and
 * their length.  Counts become rates per second. */
static void page_data_flatten(struct columns *c, const json_t *json,
                              const char *path, double period_s, int depth)
{
  const double own_s = result_number_at(json, "period_s");
  struct strbuf below = { 0 };
  const char *key;
  json_t *value;

  if (json_is_number(json)) {
    const bool count = page_data_is_count(path);

    strbuf_addf(&below, "%s%s", path, count ? "_per_s" : "");
    page_data_put(c, strbuf_str(&below),
                  json_number_value(json) / (count ? period_s : 1));
  }
  json_object_foreach((json_t *)(uintptr_t)json, key, value)
  {
    if (page_data_is_skipped(key) || depth == DEPTH_MAX)
      continue;
    strbuf_clear(&below);
    strbuf_addf(&below, "%s%s%s", path, *path ? "." : "", key);
    page_data_flatten(c, value, strbuf_str(&below),
                      own_s > 0 ? own_s : period_s, depth + 1);
  }
  for (size_t i = 0; i < json_array_size(json) && i < VIEW_RUNS_MAX; i++) {
    const char *name = result_text_at(json_array_get(json, i), "name");

    strbuf_clear(&below);
    if (name)
      strbuf_addf(&below, "%s.%s", path, name);
    else
      strbuf_addf(&below, "%s.%zu", path, i);
    page_data_flatten(c, json_array_get(json, i), strbuf_str(&below), period_s,
                      depth + 1);
  }
  if (json_is_array(json))
    page_data_put(c, path, (double)json_array_size(json));
  c->failed = c->failed || below.failed;
  strbuf_done(&below);
}

/* Leaves out a last interval too short for stable figures. */
static size_t page_data_whole_intervals(const struct result *r)
{
  const size_t n = r->n_intervals;

  return n > 1 && r->intervals[n - 1].partial &&
             r->intervals[n - 1].period_s < r->intervals[n - 2].period_s / 2
           ? n - 1
           : n;
}

/* Nothing if all numbers are 0 or missing. */
static void page_data_append_path(struct strbuf *out, const char *path,
                                  const json_t *list, size_t n)
{
  double *y = calloc(n + 1, sizeof(*y));
  bool any = false;

  for (size_t i = 0; y && i < n; i++) {
    const json_t *value = json_array_get(list, i);

    y[i] = json_is_number(value) ? json_number_value(value) : NAN;
    any = any || (isfinite(y[i]) && y[i] != 0);
  }
  if (any) {
    strbuf_adds(out, out->text[out->len - 1] == '{' ? "" : ",");
    page_data_append_text(out, path);
    strbuf_adds(out, ":");
    page_data_append_column(out, y, n,
                            strchr(path, '.') ? DIGITS_ROWS : DIGITS);
  }
  out->failed = out->failed || !y;
  free(y);
}

static void page_data_append_series(struct strbuf *out, const struct result *r)
{
  struct columns c = { .of = json_object() };
  const size_t n = page_data_whole_intervals(r);
  const char *path;
  json_t *list;

  for (c.n = 0; c.n < n; c.n++) {
    page_data_put(&c, "t", r->intervals[c.n].end_s);
    page_data_flatten(&c, r->intervals[c.n].json, "", 1, 0);
  }
  strbuf_adds(out, "\"series\":{");
  json_object_foreach(c.of, path, list)
    page_data_append_path(out, path, list, n);
  strbuf_adds(out, "}");
  out->failed = out->failed || c.failed;
  json_decref(c.of);
}

/* ---- distributions ---- */

/* [[latency in ns, events], ...], ascending. */
static void page_data_append_bins(struct strbuf *out, const struct hist_sum *h,
                                  int per_octave)
{
  const char *before = "[";
  uint64_t count = 0;

  for (unsigned i = hist_sum_next(h, 0), next; i < HIST_BUCKETS; i = next) {
    const double value = fmax(1, (double)hist_middle(i));

    next = hist_sum_next(h, i + 1);
    count += hist_sum_at(h, i);
    if (next < HIST_BUCKETS &&
        floor(per_octave * log2((double)hist_middle(next))) ==
          floor(per_octave * log2(value)))
      continue;
    strbuf_addf(out, "%s[%.0f,%llu]", before, value, (unsigned long long)count);
    before = ",";
    count = 0;
  }
  strbuf_adds(out, *before == '[' ? "[]" : "]");
}

static void page_data_append_histogram(struct strbuf *out, const char *key,
                                       struct hist_sum *h)
{
  if (h && h->total > 0) {
    strbuf_addf(out, ",\"%s\":", key);
    page_data_append_bins(out, h, PER_OCTAVE);
  }
  hist_sum_free(h);
}

/* Latency over time, with several intervals together if there are many. */
static void page_data_append_heat(struct strbuf *out, const struct result *r,
                                  size_t n)
{
  struct hist_sum *all = hist_sum_new(), *one = hist_sum_new();
  const size_t each = (n + HEAT_COLUMNS - 1) / HEAT_COLUMNS;

  strbuf_adds(out, ",\"heat\":[");
  for (size_t i = 0; all && one && i < n; i++) {
    const char *text = result_text_at(r->intervals[i].json,
                                      "latency_ns.hdr_histogram");

    if (text && hdr_decode_text(one, text) == 0)
      hist_sum_merge(all, one);
    if ((i + 1) % each > 0 && i + 1 < n)
      continue;
    strbuf_adds(out, i < each ? "" : ",");
    page_data_append_bins(out, all, HEAT_ROWS);
    hist_sum_clear(all);
  }
  strbuf_adds(out, "]");
  out->failed = out->failed || !all || !one;
  hist_sum_free(all);
  hist_sum_free(one);
}

/* ---- documents ---- */

static void page_data_strip(json_t *json)
{
  const char *key;
  json_t *value;
  size_t i;

  (void)json_object_del(json, "hdr_histogram");
  (void)json_object_del(json, "statements");
  (void)json_object_del(json, "raw");
  json_object_foreach(json, key, value) page_data_strip(value);
  json_array_foreach(json, i, value) page_data_strip(value);
}

static void page_data_append_document(struct strbuf *out, const json_t *json)
{
  static const char *const kept[] = { "run",     "totals", "database",
                                      "slo",     "client", "environment",
                                      "outages", "marks",  "coincidences",
                                      "test",    "servers" };
  json_t *o = json_pack("{s:O?,s:O?}", "label",
                        result_at(json, "options.label.value"), "clients",
                        result_at(json, "options.clients.value"));

  for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
    const json_t *have = json_object_get(json, kept[i]);

    if (have && json_object_set_new(o, kept[i], json_deep_copy(have)) < 0)
      out->failed = true;
  }
  page_data_strip(o);
  page_data_append_json(out, o);
  json_decref(o);
}

/* Throughput and latencies of each repeat. */
static void page_data_append_repeats(struct strbuf *out, const struct group *g)
{
  for (size_t i = 0; i < g->n; i++) {
    const struct result *r = g->runs[i];
    const double of[] = { r->events_per_s, result_percentile(r, "50"),
                          result_percentile(r, "95"),
                          result_percentile(r, "99"), r->mean_ns };

    for (size_t k = 0; k < ARRAY_SIZE(of); k++) {
      strbuf_adds(out, k > 0 ? "," : i > 0 ? ",[" : "[");
      if (isfinite(of[k]))
        strbuf_addf(out, "%.*g", DIGITS, of[k]);
      else
        strbuf_adds(out, "null");
    }
    strbuf_adds(out, "]");
  }
}

static void page_data_append_run(struct strbuf *out, const struct view *v,
                                 size_t i)
{
  const struct view_run *r = &v->runs[i];
  const bool drawn = i < VIEW_RUNS_MAX || v->has_parts;

  strbuf_adds(out, "{\"label\":");
  page_data_append_text(out, r->label);
  strbuf_adds(out, ",\"values\":");
  page_data_append_json(out, r->group->values);
  strbuf_adds(out, ",\"repeats\":[");
  page_data_append_repeats(out, r->group);
  strbuf_adds(out, "],\"doc\":");
  page_data_append_document(out, r->run->json);
  if (drawn) {
    strbuf_adds(out, ",");
    page_data_append_series(out, r->run);
    page_data_append_histogram(out, "hist", result_histogram(r->run));
    page_data_append_histogram(out, "fsync",
                               result_class_histogram(r->run, "fsync"));
    page_data_append_heat(out, r->run, page_data_whole_intervals(r->run));
  }
  strbuf_adds(out, "}");
}

/* Name, sweep, search and runs of a file. */
static void page_data_append_file(struct strbuf *out, const struct view *v,
                                  size_t i, size_t first)
{
  static const char *const kept[] = { "best", "knee", "search" };
  const json_t *sweep = json_object_get(v->files[i].json, "sweep");
  struct usl usl;

  strbuf_adds(out, "{\"name\":");
  page_data_append_text(out, v->names[i]);
  strbuf_addf(out, ",\"first\":%zu,\"n\":%zu", first, v->groups[i].n);
  for (size_t k = 0; v->files[i].is_sweep && k < ARRAY_SIZE(kept); k++) {
    strbuf_addf(out, ",\"%s\":", kept[k]);
    page_data_append_json(out, json_object_get(sweep, kept[k]));
  }
  if (json_is_integer(result_at(v->files[i].json, "database.protocol"))) {
    strbuf_adds(out, ",\"database\":");
    page_data_append_json(out, result_at(v->files[i].json, "database"));
  }
  if (!v->has_parts && !v->finds[i] && usl_of_groups(&v->groups[i], &usl)) {
    json_t *law = usl_json(&usl);

    strbuf_adds(out, ",\"law\":");
    page_data_append_json(out, law);
    json_decref(law);
  }
  strbuf_adds(out, "}");
}

void page_data(const struct view *v, struct strbuf *out)
{
  size_t first = 0;

  strbuf_addf(out, "{\"parts\":%s,\"files\":[",
              v->has_parts ? "true" : "false");
  for (size_t i = 0; i < v->n_files; i++) {
    strbuf_adds(out, i > 0 ? "," : "");
    page_data_append_file(out, v, i, first);
    first += v->groups[i].n;
  }
  strbuf_adds(out, "],\"runs\":[");
  for (size_t i = 0; i < v->n_runs; i++) {
    strbuf_adds(out, i > 0 ? "," : "");
    page_data_append_run(out, v, i);
  }
  strbuf_adds(out, "]}");
}
