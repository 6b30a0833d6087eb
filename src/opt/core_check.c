/*
 * core_check.c - what no row can say: core options against each other, and
 * the two that have a small language of their own.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/parse.h"
#include "opt/core_opts.h"
#include "opt/optset.h"

#define BARE_PERCENT 5
#define MAX_DIGITS 9
#define MAX_SECONDS 999999999

int forced_shutdown_parse(const char *text, struct forced_shutdown *ret)
{
  uint64_t value = 0;
  size_t digits = 0;
  double seconds;

  if (strcmp(text, "auto") == 0) {
    *ret = (struct forced_shutdown){ .kind = FORCED_AUTO };
    return 0;
  }
  if (strcasecmp(text, "off") == 0) {
    *ret = (struct forced_shutdown){ .kind = FORCED_OFF };
    return 0;
  }
  if (*text == '\0') {
    *ret = (struct forced_shutdown){ .kind = FORCED_PERCENT,
                                     .percent = BARE_PERCENT };
    return 0;
  }
  for (; digits <= MAX_DIGITS && isdigit((unsigned char)text[digits]); digits++)
    value = 10 * value + (uint64_t)(text[digits] - '0');
  if (digits > 0 && strcmp(text + digits, "%") == 0) {
    if (digits > MAX_DIGITS)
      return -EINVAL;
    *ret = (struct forced_shutdown){ .kind = FORCED_PERCENT, .percent = value };
    return 0;
  }
  if ((digits == 0 && *text != '.') || parse_seconds(text, &seconds) < 0 ||
      seconds > MAX_SECONDS)
    return -EINVAL;
  *ret = (struct forced_shutdown){ .kind = FORCED_SECONDS, .seconds = seconds };
  return 0;
}

static int by_value(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static void read_checkpoints(const struct opt_list *list,
                             struct core_checked *ret)
{
  size_t n = 0;

  for (size_t i = 0; i < list->n; i++) {
    double s = 0;

    (void)parse_seconds(list->items[i], &s); /* the row has checked it */
    ret->checkpoints_s[i] = (uint64_t)s;
  }
  qsort(ret->checkpoints_s, list->n, sizeof(ret->checkpoints_s[0]), by_value);
  for (size_t i = 0; i < list->n; i++) {
    if (n == 0 || ret->checkpoints_s[i] != ret->checkpoints_s[n - 1])
      ret->checkpoints_s[n++] = ret->checkpoints_s[i];
  }
  ret->n_checkpoints = n;
}

static void read_percentiles(const struct opt_list *list,
                             struct core_checked *ret)
{
  for (size_t i = 0; i < list->n; i++)
    (void)parse_double(list->items[i], &ret->percentiles[i]); /* checked too */
  ret->n_percentiles = list->n;
}

static void add_warnings(const struct core_cfg *cfg, struct core_checked *ret)
{
  const enum forced_kind kind = ret->forced_shutdown.kind;

  if (cfg->time_s == 0 && (kind == FORCED_SECONDS || kind == FORCED_PERCENT))
    ret->warnings[ret->n_warnings++] =
      "--forced-shutdown has no effect without a time limit";
  if (cfg->time_s == 0 && cfg->events == 0)
    ret->warnings[ret->n_warnings++] =
      "Both event and time limits are disabled, running an endless test";
}

int core_opts_check(const struct optset *set, const struct core_cfg *cfg,
                    struct core_checked *ret, struct err *err)
{
  struct core_checked got = { .forced_shutdown = { .kind = FORCED_AUTO } };

  if (cfg->report_checkpoints.n > CORE_CHECKPOINTS_MAX)
    return opt_refuse(optset_find(set, "report-checkpoints"), NULL,
                      "at most 256 moments", err);
  if (cfg->percentiles.n > CORE_PERCENTILES_MAX)
    return opt_refuse(optset_find(set, "percentiles"), NULL,
                      "at most 100 numbers", err);
  if (cfg->histogram && cfg->percentile == 0)
    return err_set(err, -EINVAL,
                   "--histogram cannot be used with --percentile=0");

  (void)forced_shutdown_parse(cfg->forced_shutdown, &got.forced_shutdown);
  read_checkpoints(&cfg->report_checkpoints, &got);
  read_percentiles(&cfg->percentiles, &got);
  add_warnings(cfg, &got);
  *ret = got;
  return 0;
}

int core_log_level(const struct core_cfg *cfg)
{
  return cfg->debug ? 5 : (int)cfg->verbosity;
}
