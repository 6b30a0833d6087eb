/*
 * outage.c - connections that were lost and are not back yet.
 */
#include "db/outage.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

void outage_init(struct outage *o)
{
  memset(o, 0, sizeof(*o));
  (void)pthread_mutex_init(&o->lock, NULL); /* cannot fail on Linux */
}

void outage_done(struct outage *o)
{
  (void)pthread_mutex_destroy(&o->lock);
}

enum {
  LOST_PER_SECOND = 20,
  REFUSED_PER_SECOND = 1 /* such an outage may last for a moment only */
};

/* An outage begins: shall it be announced?  Many of one kind hide none of the
 * other. */
static bool may_say(struct outage *o, uint64_t now, bool refused)
{
  if (now / NS_PER_S != o->second) {
    o->second = now / NS_PER_S;
    o->said_lost = o->said_refused = 0;
  }
  return refused ? o->said_refused++ < REFUSED_PER_SECOND
                 : o->said_lost++ < LOST_PER_SECOND;
}

void outage_lost(struct outage *o, const char *target, const char *reason,
                 bool refused)
{
  bool first;

  (void)pthread_mutex_lock(&o->lock);
  first = o->down == 0;
  if (first) {
    o->began_ns = clock_now_ns();
    o->lost = 0;
    o->announced = may_say(o, o->began_ns, refused);
  }
  o->down++;
  o->lost++;
  (void)snprintf(o->text, sizeof(o->text), "%s", reason);
  first &= o->announced;
  (void)pthread_mutex_unlock(&o->lock);
  if (first && refused)
    log_msg(LOG_WARNING, "%s refuses its service (%s), trying the next server",
            target, reason);
  else if (first)
    log_msg(LOG_WARNING, "connection to %s lost (%s), reconnecting", target,
            reason);
}

void outage_failed(struct outage *o, const char *reason)
{
  (void)pthread_mutex_lock(&o->lock);
  (void)snprintf(o->text, sizeof(o->text), "%s", reason);
  (void)pthread_mutex_unlock(&o->lock);
}

/* One connection less is down.  Returns the length of an outage that ended. */
static uint64_t one_less(struct outage *o)
{
  uint64_t ns;

  if (--o->down > 0)
    return 0;
  ns = clock_now_ns() - o->began_ns;
  o->total_ns += ns;
  if (ns > o->longest_ns)
    o->longest_ns = ns;
  return ns;
}

void outage_back(struct outage *o)
{
  uint64_t ns;
  unsigned lost;
  bool all_back;

  (void)pthread_mutex_lock(&o->lock);
  o->reconnects++;
  ns = one_less(o);
  all_back = o->down == 0 && o->announced;
  lost = o->lost;
  (void)pthread_mutex_unlock(&o->lock);
  if (all_back)
    log_msg(LOG_WARNING, "reconnected after %.1f s, %u connection%s",
            (double)ns / (double)NS_PER_S, lost, lost == 1 ? "" : "s");
}

void outage_gave_up(struct outage *o, bool run_over)
{
  (void)pthread_mutex_lock(&o->lock);
  if (run_over)
    o->given_up++;
  (void)one_less(o);
  (void)pthread_mutex_unlock(&o->lock);
}

void outage_print(struct outage *o, const char *who)
{
  (void)pthread_mutex_lock(&o->lock);
  if (o->given_up > 0)
    log_msg(LOG_WARNING, "%u %s%s still reconnecting at the end: %s",
            o->given_up, who, o->given_up == 1 ? " was" : "s were", o->text);
  (void)pthread_mutex_unlock(&o->lock);
}

struct outage_times outage_times(struct outage *o)
{
  struct outage_times t;

  (void)pthread_mutex_lock(&o->lock);
  t.longest_ns = o->longest_ns;
  t.total_ns = o->total_ns;
  t.reconnects = o->reconnects;
  if (o->down > 0) { /* an outage that lasts until now */
    const uint64_t ns = clock_now_ns() - o->began_ns;

    t.total_ns += ns;
    if (ns > t.longest_ns)
      t.longest_ns = ns;
  }
  (void)pthread_mutex_unlock(&o->lock);
  return t;
}
