/*
 * idle.c - clients that connect and then only keep their connections.
 */
#include "run/idle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/parse.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/test.h"
#include "run/worker.h"

/* Longer than any run. */
#define NEVER_NS (UINT64_C(366) * 24 * 60 * 60 * NS_PER_S)

static int read_percent(const char *text, size_t len, double *ret)
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

int idle_parse(const char *text, struct idle_share *ret)
{
  const size_t len = strlen(text);
  struct idle_share s = { 0 };
  int64_t n;

  if (strcmp(text, "off") == 0) {
    *ret = s;
    return 0;
  }
  if (len > 0 && text[len - 1] == '%') {
    if (read_percent(text, len - 1, &s.percent) < 0)
      return -EINVAL;
  } else {
    if (parse_int(text, &n) < 0 || n < 1)
      return -EINVAL;
    s.clients = (uint64_t)n;
  }
  *ret = s;
  return 0;
}

int idle_count(const struct idle_share *share, unsigned all, unsigned *ret,
               struct err *err)
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

/* Of `all` that are dealt to `to` places in turn, those of place `at`. */
static uint64_t dealt(unsigned all, unsigned to, unsigned at)
{
  return all / to + (at < all % to);
}

bool idle_is(const struct plan *plan, unsigned index)
{
  /* Worker i is carried by thread i mod carriers. */
  const unsigned carriers = plan->carriers > 0 ? plan->carriers : 1;
  const unsigned carrier = index % carriers;
  const uint64_t row = index / carriers;
  const unsigned all = plan_clients(plan);
  const uint64_t here = dealt(all, carriers, carrier);
  const uint64_t work = dealt(all - plan->idle, carriers, carrier);

  return row * work % here >= work;
}

/* They do not all ping at a time. */
static uint64_t first_pause(const struct worker *w)
{
  const struct plan *plan = w->plan;

  return (uint64_t)((double)plan->idle_ping_ns * (double)(w->tid + 1) /
                    (double)plan_clients(plan));
}

int idle_loop(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;
  const uint64_t every = w->plan->idle_ping_ns;
  uint64_t pause_ns = every > 0 ? first_pause(w) : NEVER_NS;
  int rc = 0;

  while (rc == 0 && worker_linger(w, pause_ns)) {
    if (every > 0)
      rc = ops->ping(thr, w, err);
    pause_ns = every > 0 ? every : NEVER_NS;
  }
  return rc;
}
