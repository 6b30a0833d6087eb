#include "db/outage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fmt.h"
#include "base/log.h"
#include "base/minmax.h"

void outage_init(struct outage *o)
{
  memset(o, 0, sizeof(*o));
  (void)pthread_mutex_init(&o->lock, NULL);
}

void outage_done(struct outage *o)
{
  (void)pthread_mutex_destroy(&o->lock);
}

/* Clocks are read before the lock is taken. */
static uint64_t outage_lasts_ns(const struct outage *o, uint64_t now_ns)
{
  return now_ns > o->began_ns ? now_ns - o->began_ns : 0;
}

/* A token bucket: one per `every_ns`, a burst of `at_once`. */
static bool outage_is_due(uint64_t *due_ns, uint64_t now_ns, uint64_t every_ns,
                          unsigned at_once)
{
  if (*due_ns > now_ns + (at_once - 1) * every_ns)
    return false;
  *due_ns = max_u64(*due_ns, now_ns) + every_ns;
  return true;
}

/* Losses do not hide refusals. */
static bool outage_may_say(struct outage *o, uint64_t now_ns, bool refused)
{
  return refused ? outage_is_due(&o->refused_due_ns, now_ns, NS_PER_S, 1)
                 : outage_is_due(&o->lost_due_ns, now_ns, OUTAGE_EVERY_NS,
                                 OUTAGE_AT_ONCE);
}

static uint64_t outage_take_untold(struct outage *o)
{
  const uint64_t n = o->untold;

  o->untold = 0;
  return n;
}

static void outage_say_untold(uint64_t n)
{
  if (n > 0)
    log_msg(LOG_WARNING, "%" PRIu64 " more outage%s like that %s not reported",
            n, fmt_plural(n), n == 1 ? "was" : "were");
}

void outage_lost(struct outage *o, const char *target, const char *reason,
                 bool refused, uint64_t now_ns)
{
  uint64_t untold = 0;
  bool say = false;

  (void)pthread_mutex_lock(&o->lock);
  if (o->down == 0) {
    o->began_ns = max_u64(now_ns, o->ended_ns);
    o->tried_ns = 0;
    o->lost = 0;
    o->announced = say = outage_may_say(o, now_ns, refused);
    if (say)
      untold = outage_take_untold(o);
    (void)snprintf(o->target, sizeof(o->target), "%s", target);
  }
  o->down++;
  o->lost++;
  (void)snprintf(o->text, sizeof(o->text), "%s", reason);
  (void)pthread_mutex_unlock(&o->lock);
  outage_say_untold(untold);
  if (say && refused)
    log_msg(LOG_WARNING, "%s refuses its service (%s), trying the next server",
            target, reason);
  else if (say)
    log_msg(LOG_WARNING, "connection to %s lost (%s), reconnecting", target,
            reason);
}

void outage_failed(struct outage *o, const char *reason, uint64_t tried_ns,
                   uint64_t now_ns)
{
  char target[sizeof(o->target)];
  uint64_t untold = 0;
  double seconds = 0;
  bool say;

  (void)pthread_mutex_lock(&o->lock);
  if (o->down > 0 && tried_ns >= o->began_ns)
    o->tried_ns = max_u64(o->tried_ns, tried_ns);
  (void)snprintf(o->text, sizeof(o->text), "%s", reason);
  say = o->down > 0 && !o->announced &&
        outage_lasts_ns(o, now_ns) >= OUTAGE_LONG_NS;
  if (say) {
    o->announced = true;
    untold = outage_take_untold(o);
    seconds = (double)outage_lasts_ns(o, now_ns) / (double)NS_PER_S;
    (void)snprintf(target, sizeof(target), "%s", o->target);
  }
  (void)pthread_mutex_unlock(&o->lock);
  outage_say_untold(untold);
  if (say)
    log_msg(LOG_WARNING, "connection to %s lost %.1f s ago (%s), reconnecting",
            target, seconds, reason);
}

/* Of the ended outage. */
static uint64_t outage_one_less(struct outage *o, uint64_t now_ns)
{
  uint64_t ns;

  if (--o->down > 0)
    return 0;
  if (!o->announced)
    o->untold++;
  o->ended_ns = now_ns;
  ns = outage_lasts_ns(o, now_ns);
  o->total_ns += ns;
  if (ns > o->longest_ns)
    o->longest_ns = ns;
  return ns;
}

void outage_back(struct outage *o, uint64_t now_ns)
{
  char late[64] = "";
  uint64_t ns, late_ns;
  unsigned lost;
  bool all_back;

  (void)pthread_mutex_lock(&o->lock);
  o->reconnects++;
  ns = outage_one_less(o, now_ns);
  all_back = o->down == 0 && o->announced;
  late_ns = o->down == 0 && o->tried_ns > 0 ? grown_u64(now_ns, o->tried_ns)
                                            : 0;
  o->late_ns = max_u64(o->late_ns, late_ns);
  lost = o->lost;
  (void)pthread_mutex_unlock(&o->lock);
  if (!all_back)
    return;
  if (late_ns > 0)
    (void)snprintf(late, sizeof(late), " (possible at most %.2f s earlier)",
                   (double)late_ns / 1e9);
  log_msg(LOG_WARNING, "reconnected after %.1f s%s, %u connection%s",
          (double)ns / (double)NS_PER_S, late, lost, lost == 1 ? "" : "s");
}

void outage_gave_up(struct outage *o, bool run_over, uint64_t now_ns)
{
  (void)pthread_mutex_lock(&o->lock);
  if (run_over)
    o->given_up++;
  (void)outage_one_less(o, now_ns);
  (void)pthread_mutex_unlock(&o->lock);
}

void outage_cut(struct outage *o, const char *reason)
{
  (void)pthread_mutex_lock(&o->lock);
  o->given_up++;
  (void)snprintf(o->text, sizeof(o->text), "%s", reason);
  (void)pthread_mutex_unlock(&o->lock);
}

void outage_print(struct outage *o, const char *who)
{
  (void)pthread_mutex_lock(&o->lock);
  outage_say_untold(outage_take_untold(o));
  if (o->given_up > 0)
    log_msg(LOG_WARNING, "%u %s%s still reconnecting at the end: %s",
            o->given_up, who, o->given_up == 1 ? " was" : "s were", o->text);
  (void)pthread_mutex_unlock(&o->lock);
}

struct outage_times outage_times(struct outage *o, uint64_t now_ns)
{
  struct outage_times t;

  (void)pthread_mutex_lock(&o->lock);
  t.longest_ns = o->longest_ns;
  t.total_ns = o->total_ns;
  t.reconnects = o->reconnects;
  t.late_ns = o->late_ns;
  if (o->down > 0) { /* lasts until now */
    const uint64_t ns = outage_lasts_ns(o, now_ns);

    t.total_ns += ns;
    if (ns > t.longest_ns)
      t.longest_ns = ns;
  }
  (void)pthread_mutex_unlock(&o->lock);
  return t;
}
