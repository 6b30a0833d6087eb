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
#include "run/storm.h"
#include "run/think.h"

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
  struct think think = { .kind = THINK_NONE };

  if (cfg->report_checkpoints.n > RUN_CHECKPOINTS_MAX)
    return opt_refuse(optset_find(set, "report-checkpoints"), NULL,
                      "at most 256 moments", err);
  (void)think_parse(cfg->think_time, &think); /* the row has checked it */
  if (think.kind != THINK_NONE && (cfg->rate > 0 || *cfg->load_profile))
    return err_set(err, -EINVAL,
                   "--think-time cannot be used with --%s, which says when "
                   "each event is due",
                   cfg->rate > 0 ? "rate" : "load-profile");
  return 0;
}

unsigned run_clients(const struct run_cfg *cfg)
{
  int64_t clients = 0;

  if (strcmp(cfg->clients, "off") != 0)
    (void)parse_int(cfg->clients, &clients); /* the row has checked it */
  return (unsigned)clients;
}

unsigned run_workers(const struct run_cfg *cfg, bool is_script_run)
{
  const unsigned clients = is_script_run ? run_clients(cfg) : 0;

  return clients > 0 ? clients : (unsigned)cfg->threads;
}

unsigned run_storm_clients(const struct run_cfg *cfg)
{
  struct storm_plan storm = { 0 };

  (void)storm_parse(cfg->storm, &storm); /* the row has checked it */
  return storm.clients;
}

size_t run_options_warnings(const struct run_cfg *cfg,
                            const char *ret[RUN_WARNINGS_MAX])
{
  struct forced_shutdown forced = { .kind = FORCED_AUTO };
  const bool clients = run_clients(cfg) > 0;
  size_t n = 0;

  (void)forced_shutdown_parse(cfg->forced_shutdown, &forced);
  if (cfg->time_s == 0 &&
      (forced.kind == FORCED_SECONDS || forced.kind == FORCED_PERCENT))
    ret[n++] = "--forced-shutdown has no effect without a time limit";
  if (cfg->time_s == 0 && cfg->events == 0)
    ret[n++] =
      "Both event and time limits are disabled, running an endless test";
  if (cfg->client_order >= 0)
    ret[n++] = "--client-order has no effect: clients go on in the order in "
               "which their answers arrive";
  if (!clients && cfg->client_engine != LOOP_AUTO)
    ret[n++] = "--client-engine has no effect without --clients";
  return n;
}
