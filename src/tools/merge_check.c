/*
 * merge_check.c - are two runs parts of one load?
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "opt/suggest.h"
#include "results/options.h"
#include "stats/report.h"
#include "tools/merge_runs.h"
#include "tools/sweep_opts.h"

bool merge_is_total(const char *option)
{
  return strcmp(option, "rate") == 0 || strcmp(option, "events") == 0;
}

static bool merge_ends_with(const char *text, const char *end)
{
  const size_t len = strlen(text), cut = strlen(end);

  return len >= cut && strcmp(text + len - cut, end) == 0;
}

/* How large a part is, where its server is, and what it reports. */
static bool merge_may_differ(const char *option)
{
  static const char *const names[] = {
    "threads",   "clients",         "idle-clients",      "rand-seed",
    "label",     "config-file",     "verbosity",         "debug",
    "live-host", "report-interval", "report-checkpoints"
  };
  static const char *const ends[] = { "-host", "-port", "-socket", "-user" };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    if (opt_name_equal(names[i], option))
      return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
    if (merge_ends_with(option, ends[i]))
      return true;
  }
  return opt_rows_have(results_opts, option) ||
         opt_rows_have(sweep_opts, option) ||
         opt_rows_have(report_opts, option) ||
         opt_rows_have(report_latency_opts, option);
}

/* No limit and a limit, a closed loop and an open one, are different loads. */
static bool merge_same_value(const char *option, const json_t *a,
                             const json_t *b)
{
  a = json_object_get(a, "value");
  b = json_object_get(b, "value");
  if (merge_is_total(option))
    return (json_number_value(a) > 0) == (json_number_value(b) > 0);
  return a == b || (a && b && json_equal(a, b));
}

static int merge_refuse_option(const struct result *a, const struct result *b,
                               const char *name, struct err *err)
{
  struct strbuf mine = { 0 }, other = { 0 };
  const bool has = result_option(a, name, &mine);
  const bool other_has = result_option(b, name, &other);
  int rc = err_set(
    err, -EINVAL,
    "'%.300s' and '%.300s' are not parts of one load: --%s is '%.200s' and "
    "'%.200s'",
    a->path, b->path, name, has ? strbuf_str(&mine) : "not set",
    other_has ? strbuf_str(&other) : "not set");

  strbuf_done(&mine);
  strbuf_done(&other);
  return rc;
}

/* Options of `a` that `b` has not, or with another value. */
static int merge_check_options(const struct result *a, const struct result *b,
                               struct err *err)
{
  const json_t *mine = json_object_get(a->json, "options");
  const json_t *other = json_object_get(b->json, "options");
  const char *name;
  json_t *option;

  json_object_foreach((json_t *)(uintptr_t)mine, name, option)
  {
    if (!merge_may_differ(name) &&
        !merge_same_value(name, option, json_object_get(other, name)))
      return merge_refuse_option(a, b, name, err);
  }
  return 0;
}

static int merge_check_text(const struct result *a, const struct result *b,
                            const char *path, const char *what, struct err *err)
{
  const char *mine = result_text_at(a->json, path);
  const char *other = result_text_at(b->json, path);

  if (mine && other && strcmp(mine, other) == 0)
    return 0;
  return err_set(err, -EINVAL,
                 "'%.300s' and '%.300s' are not parts of one load: %s is "
                 "'%.200s' and '%.200s'",
                 a->path, b->path, what, mine ? mine : "unknown",
                 other ? other : "unknown");
}

int merge_check_pair(const struct result *a, const struct result *b,
                     struct err *err)
{
  const json_t *run = json_object_get(a->json, "run");
  const json_t *host = result_at(a->json, "environment.host");
  const json_t *other = result_at(b->json, "environment.host");
  int rc;

  if (json_equal(run, json_object_get(b->json, "run")) &&
      (host == other || json_equal(host, other)))
    return err_set(err, -EINVAL,
                   "'%.400s' and '%.400s' are the same run, which would count "
                   "twice",
                   a->path, b->path);
  rc = merge_check_text(a, b, "run.test", "the test", err);
  if (rc == 0)
    rc = merge_check_text(a, b, "tool.version", "the version of bench", err);
  if (rc == 0)
    rc = merge_check_options(a, b, err);
  if (rc == 0)
    rc = merge_check_options(b, a, err);
  return rc;
}
