/*
 * result.c - reads the figures of a run from its document.
 */
#include "tools/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "stats/hist_sum.h"
#include "tools/hdr_decode.h"

/* Jansson has a function for that since 2.14, which not all distributions have.
 */
static const json_t *member_named(const json_t *json, const char *key,
                                  size_t len)
{
  char name[256]; /* no key of ours is longer */

  if (len >= sizeof(name))
    return NULL;
  memcpy(name, key, len);
  name[len] = '\0';
  return json_object_get(json, name);
}

static const json_t *member_at(const json_t *json, const char *key, size_t len)
{
  size_t place = 0;

  if (!json_is_array(json))
    return member_named(json, key, len);
  if (len == 0 || len > 4 || strspn(key, "0123456789") < len)
    return NULL;
  for (size_t i = 0; i < len; i++)
    place = 10 * place + (size_t)(key[i] - '0');
  return json_array_get(json, place);
}

const json_t *result_at(const json_t *json, const char *path)
{
  while (json && *path) {
    const size_t len = strcspn(path, ".");

    json = member_at(json, path, len);
    path += len + (path[len] == '.');
  }
  return json;
}

double result_number_at(const json_t *json, const char *path)
{
  const json_t *value = result_at(json, path);

  return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *result_text_at(const json_t *json, const char *path)
{
  return json_string_value(result_at(json, path));
}

static double latency_percentile(const json_t *json, const char *key)
{
  const json_t *value = json_object_get(
    result_at(json, "latency_ns.percentiles"), key);

  return json_is_number(value) ? json_number_value(value) : NAN;
}

double result_percentile(const struct result *r, const char *key)
{
  return r->events > 0
           ? latency_percentile(json_object_get(r->json, "totals"), key)
           : NAN;
}

double result_interval_percentile(const struct result_interval *i,
                                  const char *key)
{
  return i->events > 0 ? latency_percentile(i->json, key) : NAN;
}

static struct hist_sum *read_histogram(const char *text)
{
  struct hist_sum *sum = text ? hist_sum_new() : NULL;

  if (sum && hdr_decode_text(sum, text) < 0) {
    hist_sum_free(sum);
    sum = NULL;
  }
  return sum;
}

struct hist_sum *result_histogram(const struct result *r)
{
  return read_histogram(
    result_text_at(r->json, "totals.latency_ns.hdr_histogram"));
}

struct hist_sum *result_class_histogram(const struct result *r,
                                        const char *name)
{
  const json_t *list = json_object_get(r->json, "classes");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *class = json_array_get(list, i);
    const char *here = result_text_at(class, "name");

    if (here && strcmp(here, name) == 0)
      return read_histogram(result_text_at(class, "latency_ns.hdr_histogram"));
  }
  return NULL;
}

/* Lists have commas, as on the command line. */
static void add_value(struct strbuf *out, const json_t *value)
{
  char number[FMT_DOUBLE_SIZE];

  switch (json_typeof(value)) {
  case JSON_STRING:
    strbuf_adds(out, json_string_value(value));
    break;
  case JSON_INTEGER:
    strbuf_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    break;
  case JSON_REAL:
    strbuf_adds(out, fmt_shortest(number, json_real_value(value)));
    break;
  case JSON_TRUE:
  case JSON_FALSE:
    strbuf_adds(out, json_is_true(value) ? "on" : "off");
    break;
  case JSON_ARRAY:
    for (size_t i = 0; i < json_array_size(value); i++) {
      strbuf_adds(out, i > 0 ? "," : "");
      if (!json_is_array(json_array_get(value, i)))
        add_value(out, json_array_get(value, i));
    }
    break;
  case JSON_OBJECT:
  case JSON_NULL:
    break;
  }
}

bool result_option(const struct result *r, const char *name, struct strbuf *out)
{
  const json_t *option = json_object_get(json_object_get(r->json, "options"),
                                         name);
  const json_t *value = json_object_get(option, "value");

  if (!value || json_is_null(value))
    return false;
  add_value(out, value);
  return true;
}

static void read_interval(struct result_interval *ret, const json_t *json)
{
  *ret = (struct result_interval){
    .end_s = result_number_at(json, "elapsed_s"),
    .period_s = result_number_at(json, "period_s"),
    .events = result_number_at(json, "events"),
    .queries = result_number_at(json, "queries.total"),
    .errors = result_number_at(json, "errors"),
    .mean_ns = result_number_at(json, "latency_ns.mean"),
    .partial = json_is_true(json_object_get(json, "partial")),
    .json = json,
  };
  if (!(ret->events > 0))
    ret->mean_ns = NAN;
}

static double item_number(const json_t *list, size_t i)
{
  const json_t *value = json_array_get(list, i);

  return json_is_number(value) ? json_number_value(value) : NAN;
}

static int read_intervals(struct result *r, struct err *err)
{
  const json_t *list = json_object_get(r->json, "intervals");
  const size_t n = json_array_size(list);

  if (list && !json_is_array(list))
    return err_set(err, -EINVAL,
                   "'%.400s' is damaged: its \"intervals\" are no list",
                   r->path);
  r->intervals = calloc(n + 1, sizeof(*r->intervals));
  if (!r->intervals)
    return err_set(err, -ENOMEM, "not enough memory for '%.400s'", r->path);
  for (size_t i = 0; i < n; i++)
    read_interval(&r->intervals[i], json_array_get(list, i));
  r->n_intervals = n;
  return 0;
}

static int read_slices(struct result *r, struct err *err)
{
  const json_t *json = json_object_get(r->json, "slices");
  const json_t *end = json_object_get(json, "end_s");
  const size_t n = json_array_size(end);
  double before = 0;

  r->slices = calloc(n + 1, sizeof(*r->slices));
  if (!r->slices)
    return err_set(err, -ENOMEM, "not enough memory for '%.400s'", r->path);
  for (size_t i = 0; i < n; i++) {
    struct result_interval *s = &r->slices[i];

    *s = (struct result_interval){
      .end_s = item_number(end, i),
      .events = item_number(json_object_get(json, "events"), i),
      .queries = item_number(json_object_get(json, "queries"), i),
      .errors = NAN,
    };
    s->period_s = s->end_s - before;
    s->mean_ns = s->events > 0
                   ? item_number(json_object_get(json, "latency_sum_ns"), i) /
                       s->events
                   : NAN;
    before = s->end_s;
  }
  r->n_slices = n;
  return 0;
}

int result_read(struct result *ret, const char *path, const json_t *json,
                struct err *err)
{
  const json_t *total = json_object_get(json, "totals");
  struct result r = {
    .path = path,
    .json = json,
    .test = result_text_at(json, "run.test"),
    .version = result_text_at(json, "tool.version"),
    .threads = result_number_at(json, "run.threads"),
    .period_s = result_number_at(total, "period_s"),
    .events = result_number_at(total, "events"),
    .events_per_s = result_number_at(total, "events_per_s"),
    .queries_per_s = result_number_at(total, "queries.total_per_s"),
    .errors = result_number_at(total, "errors"),
    .min_ns = NAN,
    .mean_ns = NAN,
    .max_ns = NAN,
    .cpu_per_event_ns = NAN,
    .cpus_used = result_number_at(json, "client.cpus_used"),
  };
  int rc;

  if (!r.test)
    return err_set(err, -EINVAL,
                   "'%.400s' is not a complete result: it names no "
                   "test",
                   path);
  if (r.events > 0) {
    r.min_ns = result_number_at(total, "latency_ns.min");
    r.mean_ns = result_number_at(total, "latency_ns.mean");
    r.max_ns = result_number_at(total, "latency_ns.max");
    r.cpu_per_event_ns = result_number_at(json, "client.cpu_per_event_ns");
  }
  rc = read_intervals(&r, err);
  if (rc == 0)
    rc = read_slices(&r, err);
  if (rc < 0)
    result_done(&r);
  else
    *ret = r;
  return rc;
}

void result_done(struct result *r)
{
  if (!r)
    return;
  free(r->intervals);
  free(r->slices);
  *r = (struct result){ 0 };
}
