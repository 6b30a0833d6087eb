#include "tools/result.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "results/kept.h"
#include "stats/hist_sum.h"
#include "tools/hdr_decode.h"

/* Jansson before 2.14 finds only names that end with 0. */
static const json_t *result_member_named(const json_t *json, const char *key,
                                         size_t len)
{
  char name[256]; /* longer than any key */

  if (len >= sizeof(name))
    return NULL;
  memcpy(name, key, len);
  name[len] = '\0';
  return json_object_get(json, name);
}

static const json_t *result_member_at(const json_t *json, const char *key,
                                      size_t len)
{
  size_t place = 0;

  if (!json_is_array(json))
    return result_member_named(json, key, len);
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

    json = result_member_at(json, path, len);
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

const json_t *result_named(const json_t *list, const char *name)
{
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *one = json_array_get(list, i);
    const char *here = result_text_at(one, "name");

    if (here && strcmp(here, name) == 0)
      return one;
  }
  return NULL;
}

static double result_latency_percentile(const json_t *json, const char *key)
{
  const json_t *value = json_object_get(
    result_at(json, "latency_ns.percentiles"), key);

  return json_is_number(value) ? json_number_value(value) : NAN;
}

double result_percentile(const struct result *r, const char *key)
{
  return r->events > 0
           ? result_latency_percentile(json_object_get(r->json, "totals"), key)
           : NAN;
}

double result_interval_percentile(const struct result_interval *i,
                                  const char *key)
{
  return i->events > 0 ? result_latency_percentile(i->json, key) : NAN;
}

static struct hist_sum *result_read_histogram(const char *text)
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
  return result_read_histogram(
    result_text_at(r->json, "totals.latency_ns.hdr_histogram"));
}

struct hist_sum *result_class_histogram(const struct result *r,
                                        const char *name)
{
  const json_t *class = result_named(json_object_get(r->json, "classes"), name);

  return result_read_histogram(
    result_text_at(class, "latency_ns.hdr_histogram"));
}

/* Lists have commas, as on the command line. */
static void result_add_value(struct strbuf *out, const json_t *value)
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
        result_add_value(out, json_array_get(value, i));
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
  result_add_value(out, value);
  return true;
}

static void result_read_interval(struct result_interval *ret,
                                 const json_t *json)
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

static double result_item_number(const json_t *list, size_t i)
{
  const json_t *value = json_array_get(list, i);

  return json_is_number(value) ? json_number_value(value) : NAN;
}

static int result_no_memory(const char *path, struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for '%.400s'", path);
}

static int result_read_intervals(struct result *r, struct err *err)
{
  const json_t *list = json_object_get(r->json, "intervals");
  const size_t n = json_array_size(list);

  if (list && !json_is_array(list))
    return err_set(err, -EINVAL,
                   "'%.400s' is damaged: its \"intervals\" are not a list",
                   r->path);
  r->intervals = calloc(n + 1, sizeof(*r->intervals));
  if (!r->intervals)
    return result_no_memory(r->path, err);
  for (size_t i = 0; i < n; i++)
    result_read_interval(&r->intervals[i], json_array_get(list, i));
  r->n_intervals = n;
  return 0;
}

static int result_read_slices(struct result *r, struct err *err)
{
  const json_t *json = json_object_get(r->json, "slices");
  const json_t *end = json_object_get(json, "end_s");
  const size_t n = json_array_size(end);
  double before = 0;

  r->slices = calloc(n + 1, sizeof(*r->slices));
  if (!r->slices)
    return result_no_memory(r->path, err);
  for (size_t i = 0; i < n; i++) {
    struct result_interval *s = &r->slices[i];

    *s = (struct result_interval){
      .end_s = result_item_number(end, i),
      .events = result_item_number(json_object_get(json, "events"), i),
      .queries = result_item_number(json_object_get(json, "queries"), i),
      .errors = NAN,
    };
    s->period_s = s->end_s - before;
    s->mean_ns = s->events > 0 ? result_item_number(
                                   json_object_get(json, "latency_sum_ns"), i) /
                                   s->events
                               : NAN;
    before = s->end_s;
  }
  r->n_slices = n;
  return 0;
}

static void result_done(struct result *r)
{
  if (!r)
    return;
  free(r->intervals);
  free(r->slices);
  *r = (struct result){ 0 };
}

/* `json` must outlive *ret. */
static int result_read(struct result *ret, const char *path, const json_t *json,
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
  rc = result_read_intervals(&r, err);
  if (rc == 0)
    rc = result_read_slices(&r, err);
  if (rc < 0)
    result_done(&r);
  else
    *ret = r;
  return rc;
}

/* One line; Jansson's own text can quote the file. */
static int result_file_refuse_text(const char *path, const json_error_t *e,
                                   struct err *err)
{
  if (json_error_code(e) == json_error_premature_end_of_input)
    return err_set(
      err, -EINVAL,
      "'%.400s' is truncated or empty: not a complete JSON document", path);
  return err_set(err, -EINVAL, "'%.400s' is not a JSON document (line %d)",
                 path, e->line);
}

static int result_file_check_schema(struct result_file *f, struct err *err)
{
  const char *schema = result_text_at(f->json, "schema");

  if (!schema || strncmp(schema, "bench", 5) != 0)
    return err_set(err, -EINVAL, "'%.400s' is not a result of bench", f->path);
  f->is_sweep = strcmp(schema, RESULT_SCHEMA_SWEEP) == 0;
  f->has_parts = f->is_sweep && json_is_true(result_at(f->json, "sweep.parts"));
  if (!f->is_sweep && strcmp(schema, RESULT_SCHEMA) != 0)
    return err_set(err, -EINVAL,
                   "'%.400s' has the schema \"%.50s\" (expected "
                   "\"" RESULT_SCHEMA "\" or \"" RESULT_SCHEMA_SWEEP "\")",
                   f->path, schema);
  return 0;
}

static size_t result_file_combination_of(const struct result_file *f,
                                         size_t step)
{
  for (size_t i = 0; i < step; i++) {
    if (json_equal(f->steps[i].values, f->steps[step].values))
      return f->steps[i].combination;
  }
  return f->n_combinations;
}

static int result_file_read_step(struct result_file *f, size_t i,
                                 const json_t *json, struct err *err)
{
  struct result_step *s = &f->steps[i];
  const json_t *run = json_object_get(json, "result");

  s->values = json_object_get(json, "values");
  s->exit_status = (int)json_integer_value(
    json_object_get(json, "exit_status"));
  if (!json_is_object(s->values))
    return err_set(err, -EINVAL,
                   "'%.400s' is not a complete result: step %zu has "
                   "no values",
                   f->path, i + 1);
  s->combination = result_file_combination_of(f, i);
  if (s->combination == f->n_combinations)
    f->n_combinations++;
  f->n_steps = i + 1;
  if (!json_is_object(run))
    return 0;
  s->run = calloc(1, sizeof(*s->run));
  if (!s->run)
    return result_no_memory(f->path, err);
  return result_read(s->run, f->path, run, err);
}

static int result_file_read_sweep(struct result_file *f, struct err *err)
{
  const json_t *list = json_object_get(f->json, "steps");
  const size_t n = json_array_size(list);

  f->steps = calloc(n + 1, sizeof(*f->steps));
  if (!f->steps)
    return result_no_memory(f->path, err);
  for (size_t i = 0; i < n; i++) {
    const int rc = result_file_read_step(f, i, json_array_get(list, i), err);

    if (rc < 0)
      return rc;
  }
  return 0;
}

/* A folder can be opened, but not read. */
static int result_file_load_json(struct result_file *f, struct err *err)
{
  char kept[PATH_MAX];
  FILE *stream = fopen(kept_or_file(f->path, kept), "re");
  json_error_t error;
  int rc = 0;

  if (!stream)
    return err_set(err, -errno, "cannot read '%.400s': %s", f->path,
                   strerror(errno));
  errno = 0;
  f->json = json_loadf(stream, 0, &error);
  if (!f->json)
    rc = ferror(stream) && errno != 0
           ? err_set(err, -errno, "cannot read '%.400s': %s", f->path,
                     strerror(errno))
           : result_file_refuse_text(f->path, &error, err);
  (void)fclose(stream);
  return rc;
}

/* `f` is taken over. */
static int result_file_read(struct result_file *ret, struct result_file f,
                            struct err *err)
{
  int rc = result_file_check_schema(&f, err);

  if (rc == 0)
    rc = f.is_sweep ? result_file_read_sweep(&f, err)
                    : result_read(&f.run, f.path, f.json, err);
  if (rc < 0) {
    result_file_done(&f);
    return rc;
  }
  *ret = f;
  return 0;
}

int result_load(struct result_file *ret, const char *path, struct err *err)
{
  struct result_file f = { .path = path };
  const int rc = result_file_load_json(&f, err);

  return rc < 0 ? rc : result_file_read(ret, f, err);
}

int result_load_text(struct result_file *ret, const char *path,
                     const char *text, size_t len, struct err *err)
{
  struct result_file f = { .path = path };
  json_error_t error;

  f.json = json_loadb(text, len, 0, &error);
  return f.json ? result_file_read(ret, f, err)
                : result_file_refuse_text(path, &error, err);
}

int result_load_json(struct result_file *ret, const char *path, json_t *json,
                     struct err *err)
{
  const struct result_file f = { .path = path, .json = json };

  return result_file_read(ret, f, err);
}

void result_file_done(struct result_file *f)
{
  if (!f)
    return;
  for (size_t i = 0; i < f->n_steps; i++) {
    result_done(f->steps[i].run);
    free(f->steps[i].run);
  }
  free(f->steps);
  result_done(&f->run);
  json_decref(f->json);
  *f = (struct result_file){ 0 };
}

static int result_file_protocol(const struct result_file *f)
{
  return (int)json_integer_value(result_at(f->json, "database.protocol"));
}

const char *result_file_tool(const struct result_file *f)
{
  return result_file_protocol(f) > 0 ? "bench database" : "bench machine";
}

int result_file_check_pair(const struct result_file *a,
                           const struct result_file *b, struct err *err)
{
  const int of_a = result_file_protocol(a), of_b = result_file_protocol(b);

  if (of_a == of_b)
    return 0;
  if (of_a > 0 && of_b > 0)
    return err_set(err, -EINVAL,
                   "'%.200s' is of protocol %d of bench database, and '%.200s' "
                   "of protocol %d: measure both with the same version",
                   a->path, of_a, b->path, of_b);
  return err_set(err, -EINVAL,
                 "'%.200s' is of bench database, and '%.200s' is not",
                 of_a > 0 ? a->path : b->path, of_a > 0 ? b->path : a->path);
}
