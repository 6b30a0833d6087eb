#include "tools/merge_values.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/hist_sum.h"
#include "stats/report.h"
#include "tools/hdr_decode.h"
#include "tools/result.h"

struct merge_sum {
  double period_s;
  double events; /* of the whole */
  struct err *err;
  bool no_histogram; /* a value was left out */
};

static json_t *merge_value(struct merge_sum *m,
                           const struct merge_parts *parts);

static json_t *merge_no_memory(struct merge_sum *m)
{
  (void)err_set(m->err, -ENOMEM, "not enough memory for merging results");
  return NULL;
}

void merge_parts_add(struct merge_parts *parts, const json_t *json,
                     const char *path)
{
  const json_t *value = result_at(json, path);

  if (value && !json_is_null(value) && parts->n < MERGE_PARTS_MAX)
    parts->of[parts->n++] = value;
}

/* null only if all parts have null. */
static struct merge_parts merge_members(const struct merge_parts *parts,
                                        const char *key)
{
  struct merge_parts found = { .n = 0 };

  for (size_t i = 0; i < parts->n; i++) {
    const json_t *value = json_object_get(parts->of[i], key);

    if (found.n == 1 && json_is_null(found.of[0]) && value)
      found.of[0] = value;
    else if (value && (found.n == 0 || !json_is_null(value)))
      found.of[found.n++] = value;
  }
  return found;
}

/* Figures of a machine, a server or a moment, and percentiles without a
 * histogram. */
static bool merge_is_left_out(const char *key)
{
  static const char *const keys[] = { "system", "servers", "marks", "stalled_s",
                                      "histograms" };

  for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
    if (strcmp(keys[i], key) == 0)
      return true;
  }
  return false;
}

static bool merge_is_latency(const json_t *value)
{
  return json_object_get(value, "percentiles") != NULL;
}

/* False: values without a histogram, or a damaged one. */
static bool merge_latency_add(struct latency *l, struct hist_sum *all,
                              struct hist_sum *one, const json_t *part)
{
  const json_t *count_json = json_object_get(part, "count");
  const uint64_t count = (uint64_t)json_integer_value(count_json);
  const double min = result_number_at(part, "min");
  const double max = result_number_at(part, "max");
  const double sum = result_number_at(part, "mean") * (double)count;
  const char *text = result_text_at(part, "hdr_histogram");

  /* An event can be in the histogram of one interval and the count of the
   * next: the histogram of an empty part counts. */
  if (count == 0 && !text)
    return true;
  hist_sum_clear(one);
  if (!text || hdr_decode_text(one, text) < 0)
    return false;
  hist_sum_merge(all, one);
  if (count == 0)
    return true;
  if (!(min >= 0 && max >= min && max <= 1e18 && sum >= 0 && sum <= 1e19))
    return false;
  if (l->count == 0 || min < (double)l->min_ns)
    l->min_ns = (uint64_t)min;
  if (max > (double)l->max_ns)
    l->max_ns = (uint64_t)max;
  l->count += count;
  l->sum_ns += (uint64_t)llround(sum);
  return true;
}

/* Common to all parts. */
static size_t merge_percentiles(const struct merge_parts *parts,
                                double ret[REPORT_PERCENTILES_MAX])
{
  const struct merge_parts lists = merge_members(parts, "percentiles");
  const char *key;
  json_t *value;
  size_t n = 0;

  json_object_foreach((json_t *)(uintptr_t)lists.of[0], key, value)
  {
    size_t has = 1;

    while (has < lists.n && json_object_get(lists.of[has], key))
      has++;
    if (has == parts->n && n < REPORT_PERCENTILES_MAX)
      ret[n++] = strtod(key, NULL);
  }
  return n;
}

static json_t *merge_latency(struct merge_sum *m,
                             const struct merge_parts *parts)
{
  struct hist_sum *all = hist_sum_new(), *one = hist_sum_new();
  double percentiles[REPORT_PERCENTILES_MAX];
  const struct report_setup setup = {
    .percentiles = percentiles,
    .n_percentiles = (unsigned)merge_percentiles(parts, percentiles),
  };
  struct latency l = { .hist = all };
  bool good = all && one;
  json_t *merged = NULL;

  for (size_t i = 0; good && i < parts->n; i++)
    good = merge_latency_add(&l, all, one, parts->of[i]);
  if (good)
    merged = json_latency(&l, &setup);
  m->no_histogram = all && one && !good;
  if (m->no_histogram)
    (void)err_set(m->err, -EINVAL, "a histogram is missing or damaged");
  else if (!merged)
    (void)merge_no_memory(m);
  hist_sum_free(all);
  hist_sum_free(one);
  return merged;
}

/* ---- objects ---- */

static const char *merge_count_of(const char *key, char buf[64])
{
  static const char end[] = "_per_s";
  const size_t len = strlen(key), cut = sizeof(end) - 1;

  if (strcmp(key, "per_s") == 0)
    return "count";
  if (strcmp(key, "offered_per_s") == 0)
    return "arrivals";
  if (len <= cut || len - cut >= 64 || strcmp(key + len - cut, end) != 0)
    return "";
  memcpy(buf, key, len - cut);
  buf[len - cut] = '\0';
  return buf;
}

/* All parts have its count. */
static double merge_per_operation(const struct merge_parts *parts)
{
  double ns = 0, operations = 0;

  for (size_t i = 0; i < parts->n; i++) {
    const double n = result_number_at(parts->of[i], "operations");

    ns += n * result_number_at(parts->of[i], "ns_per_operation");
    operations += n;
  }
  return operations > 0 ? ns / operations : 0;
}

static void merge_derive(const struct merge_sum *m, struct jobj *o,
                         const struct merge_parts *parts)
{
  const char *key;
  json_t *value;
  char buf[64];

  json_object_foreach(o->j, key, value)
  {
    const json_t *count = json_object_get(o->j, merge_count_of(key, buf));
    double now;

    if (count)
      now = m->period_s > 0 ? json_number_value(count) / m->period_s : 0;
    else if (strcmp(key, "ns_per_operation") == 0)
      now = merge_per_operation(parts);
    else if (strcmp(key, "share_ratio") == 0)
      now = m->events > 0 ? result_number_at(o->j, "events") / m->events : 0;
    else
      continue;
    if (json_real_set(value, now) < 0) /* replaces an integer */
      jobj_real(o, key, now);
  }
}

/* False: no memory, or an essential histogram is missing. */
static bool merge_add_member(struct merge_sum *m, struct jobj *o,
                             const struct merge_parts *parts, const char *key)
{
  struct merge_parts values;
  json_t *merged;

  if (json_object_get(o->j, key) || merge_is_left_out(key))
    return true;
  values = merge_members(parts, key);
  merged = strcmp(key, "planned_ratio") == 0 /* a setting */
             ? json_deep_copy(values.of[0])
             : merge_value(m, &values);
  if (!merged && m->no_histogram && json_is_array(values.of[0])) {
    m->no_histogram = false; /* an interval with many classes */
    m->err->text[0] = '\0';
    return true;
  }
  if (!merged)
    return false;
  jobj_add(o, key, merged);
  return true;
}

static json_t *merge_object(struct merge_sum *m,
                            const struct merge_parts *parts)
{
  struct jobj o = jobj_new();
  bool good = true;

  if (merge_is_latency(parts->of[0])) {
    json_decref(jobj_take(&o));
    return merge_latency(m, parts);
  }
  for (size_t i = 0; good && i < parts->n; i++) {
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)parts->of[i], key, value)
    {
      good = good && merge_add_member(m, &o, parts, key);
    }
  }
  merge_derive(m, &o, parts);
  if (good && !o.failed)
    return jobj_take(&o);
  if (good)
    (void)merge_no_memory(m);
  json_decref(o.j);
  return NULL;
}

/* ---- lists ---- */

static bool merge_same_item(const json_t *a, const json_t *b)
{
  static const char *const keys[] = { "name", "source", "code", "state" };

  for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
    const json_t *mine = json_object_get(a, keys[i]);
    const json_t *other = json_object_get(b, keys[i]);

    if (mine != other && !(mine && other && json_equal(mine, other)))
      return false;
  }
  return true;
}

static const json_t *merge_find_item(const json_t *list, const json_t *item,
                                     size_t end)
{
  for (size_t i = 0; i < end; i++) {
    if (merge_same_item(json_array_get(list, i), item))
      return json_array_get(list, i);
  }
  return NULL;
}

/* Items that match item `at` of list `first`; empty if an earlier one has
 * matched. */
static struct merge_parts merge_items(const struct merge_parts *lists,
                                      size_t first, size_t at)
{
  const json_t *item = json_array_get(lists->of[first], at);
  struct merge_parts found = { .n = 0 };

  if (merge_find_item(lists->of[first], item, at))
    return found;
  for (size_t i = 0; i < lists->n; i++) {
    const json_t *list = lists->of[i];
    const json_t *other = merge_find_item(list, item, json_array_size(list));

    if (i < first && other)
      return (struct merge_parts){ .n = 0 };
    if (other)
      found.of[found.n++] = other;
  }
  return found;
}

static json_t *merge_list(struct merge_sum *m, const struct merge_parts *lists)
{
  json_t *all = json_array();

  for (size_t i = 0; all && i < lists->n; i++) {
    for (size_t k = 0; all && k < json_array_size(lists->of[i]); k++) {
      const struct merge_parts items = merge_items(lists, i, k);
      json_t *item = items.n > 0 ? merge_object(m, &items) : NULL;

      if (items.n > 0 && (!item || !jobj_array_add(all, item))) {
        json_decref(all);
        return item ? merge_no_memory(m) : NULL;
      }
    }
  }
  return all ? all : merge_no_memory(m);
}

/* ---- any value ---- */

static json_t *merge_number(const struct merge_parts *parts)
{
  json_int_t whole = 0;
  double sum = 0;
  bool is_whole = true;

  for (size_t i = 0; i < parts->n; i++) {
    is_whole = is_whole && json_is_integer(parts->of[i]);
    sum += json_number_value(parts->of[i]);
    if (__builtin_add_overflow(whole, json_integer_value(parts->of[i]), &whole))
      is_whole = false;
  }
  return is_whole ? json_integer(whole) : jobj_number(sum);
}

static json_t *merge_value(struct merge_sum *m, const struct merge_parts *parts)
{
  json_t *merged;

  if (json_is_object(parts->of[0]))
    return merge_object(m, parts);
  if (json_is_array(parts->of[0]))
    return merge_list(m, parts);
  if (json_is_number(parts->of[0]))
    merged = merge_number(parts);
  else
    merged = json_deep_copy(parts->of[0]);
  return merged ? merged : merge_no_memory(m);
}

json_t *merge_values(const struct merge_parts *parts, double period_s,
                     double events, struct err *err)
{
  struct merge_sum m = { .period_s = period_s, .events = events, .err = err };

  return merge_value(&m, parts);
}

void merge_moments_add(struct merge_moments *m, double n, double mean,
                       double stddev)
{
  const double all = m->n + n, off = mean - m->mean;

  if (!(n > 0 && mean >= 0 && stddev >= 0))
    return;
  m->squares += stddev * stddev * n + off * off * m->n * n / all;
  m->mean += off * n / all;
  m->n = all;
}

double merge_moments_stddev(const struct merge_moments *m)
{
  return m->n > 0 ? sqrt(m->squares / m->n) : 0;
}
