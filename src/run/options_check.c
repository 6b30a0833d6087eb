/*
 * options_check.c - what no row can say: options of a run against each other,
 * and the two that have a small language of their own.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/parse.h"
#include "loop/loop.h"
#include "opt/optset.h"
#include "run/options.h"

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

size_t run_checkpoints(const struct run_cfg *cfg, uint64_t *ret_s)
{
  const struct opt_list *list = &cfg->report_checkpoints;
  size_t n = 0;

  for (size_t i = 0; i < list->n; i++) {
    double s = 0;

    (void)parse_seconds(list->items[i], &s); /* the row has checked it */
    ret_s[i] = (uint64_t)s;
  }
  qsort(ret_s, list->n, sizeof(ret_s[0]), by_value);
  for (size_t i = 0; i < list->n; i++) {
    if (n == 0 || ret_s[i] != ret_s[n - 1])
      ret_s[n++] = ret_s[i];
  }
  return n;
}

int run_options_check(const struct run_cfg *cfg, const struct optset *set,
                      struct err *err)
{
  if (cfg->report_checkpoints.n > RUN_CHECKPOINTS_MAX)
    return opt_refuse(optset_find(set, "report-checkpoints"), NULL,
                      "at most 256 moments", err);
  return 0;
}

unsigned run_workers(const struct run_cfg *cfg, bool is_script_run)
{
  return is_script_run && cfg->clients > 0 ? cfg->clients
                                           : (unsigned)cfg->threads;
}

size_t run_options_warnings(const struct run_cfg *cfg,
                            const char *ret[RUN_WARNINGS_MAX])
{
  const enum forced_kind forced = cfg->forced_shutdown.kind;
  size_t n = 0;

  if (cfg->time_s == 0 &&
      (forced == FORCED_SECONDS || forced == FORCED_PERCENT))
    ret[n++] = "--forced-shutdown has no effect without a time limit";
  if (cfg->time_s == 0 && cfg->events == 0)
    ret[n++] =
      "Both event and time limits are disabled, running an endless test";
  if (cfg->client_order >= 0)
    ret[n++] = "--client-order has no effect: clients go on in the order in "
               "which their answers arrive";
  if (cfg->clients == 0 && cfg->client_engine != LOOP_AUTO)
    ret[n++] = "--client-engine has no effect without --clients";
  return n;
}
