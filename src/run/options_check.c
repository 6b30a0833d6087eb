/*
 * options_check.c - checks between options, and values with a language of their
 * own.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "base/parse.h"
#include "loop/loop.h"
#include "opt/optset.h"
#include "run/options.h"

#define BARE_PERCENT 5
#define MAX_DIGITS 9
#define MAX_SECONDS 999999999
/* The kernel writes data after 30 seconds. */
#define SETTLE_LIMIT_S 300.0
#define SETTLE_LONGEST_S 86400.0
#define STORM_LATEST_S (366.0 * 24 * 60 * 60)

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

int writeback_wish_parse(const char *text, struct writeback_wish *ret)
{
  static const char word[] = "writeback";
  const size_t len = sizeof(word) - 1;
  double seconds = SETTLE_LIMIT_S;
  bool writeback;

  if (*text == '\0') {
    *ret = (struct writeback_wish){ .kind = WRITEBACK_NONE };
    return 0;
  }
  writeback = strncmp(text, word, len) == 0;
  if (writeback && text[len] == ':')
    text += len + 1;
  else if (writeback && text[len] == '\0')
    text = NULL;
  if (text && (parse_seconds(text, &seconds) < 0 || seconds < 0.001 ||
               seconds > SETTLE_LONGEST_S))
    return -EINVAL;
  *ret = (struct writeback_wish){ writeback ? WRITEBACK_LOW : WRITEBACK_TIME,
                                  seconds };
  return 0;
}

static int options_check_read_percent(const char *text, size_t len, double *ret)
{
  char copy[32];
  double percent;

  if (len >= sizeof(copy))
    return -EINVAL;
  (void)snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
  if (parse_double(copy, &percent) < 0 || !(percent > 0 && percent < 100))
    return -EINVAL;
  *ret = percent;
  return 0;
}

int idle_share_parse(const char *text, struct idle_share *ret)
{
  const size_t len = strlen(text);
  struct idle_share s = { 0 };
  int64_t n;

  if (strcmp(text, "off") == 0) {
    *ret = s;
    return 0;
  }
  if (len > 0 && text[len - 1] == '%') {
    if (options_check_read_percent(text, len - 1, &s.percent) < 0)
      return -EINVAL;
  } else {
    if (parse_int(text, &n) < 0 || n < 1)
      return -EINVAL;
    s.clients = (uint64_t)n;
  }
  *ret = s;
  return 0;
}

int idle_share_count(const struct idle_share *share, unsigned all,
                     unsigned *ret, struct err *err)
{
  const uint64_t n = share->clients > 0
                       ? share->clients
                       : (uint64_t)(share->percent * (double)all / 100);

  if (n >= all && n > 0)
    return err_set(err, -EINVAL,
                   "--idle-clients=%" PRIu64 " leaves none of %u client%s to "
                   "work: it must be less than --clients, or --threads if "
                   "there are no --clients",
                   n, all, fmt_plural(all));
  *ret = (unsigned)n;
  return 0;
}

/* CLIENTS@MOMENT, of `len` bytes. */
static int options_check_read_wave(const char *text, size_t len,
                                   struct storm_wave *ret)
{
  char copy[48];
  char *at;
  int64_t clients;
  double s;

  if (len >= sizeof(copy))
    return -EINVAL;
  (void)snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
  at = strchr(copy, '@');
  if (!at)
    return -EINVAL;
  *at++ = '\0';
  if (parse_int(copy, &clients) < 0 || clients < 1 ||
      clients > STORM_CLIENTS_MAX || parse_seconds(at, &s) < 0 || s < 0 ||
      s > STORM_LATEST_S)
    return -EINVAL;
  *ret = (struct storm_wave){ .at_ns = (uint64_t)llround(s * (double)NS_PER_S),
                              .clients = (unsigned)clients };
  return 0;
}

static int options_check_by_moment(const void *a, const void *b)
{
  const struct storm_wave *x = a, *y = b;

  return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

int storm_plan_parse(const char *text, struct storm_plan *ret)
{
  struct storm_plan p = { .text = text };

  if (strcmp(text, "off") == 0) {
    *ret = p;
    return 0;
  }
  for (;;) {
    const size_t len = strcspn(text, ",");

    if (p.n == STORM_WAVES ||
        options_check_read_wave(text, len, &p.of[p.n]) < 0)
      return -EINVAL;
    p.clients += p.of[p.n++].clients;
    if (p.clients > STORM_CLIENTS_MAX)
      return -EINVAL;
    if (text[len] == '\0')
      break;
    text += len + 1;
  }
  qsort(p.of, p.n, sizeof(p.of[0]), options_check_by_moment);
  *ret = p;
  return 0;
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
  qsort(ret_s, list->n, sizeof(ret_s[0]), order_u64);
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
