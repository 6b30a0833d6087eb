/*
 * outage.h - lost connections that are not back yet, of all threads.
 */
#ifndef BENCH_DB_OUTAGE_H
#define BENCH_DB_OUTAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

enum {
  OUTAGE_AT_ONCE = 5,
};
#define OUTAGE_EVERY_NS (5 * NS_PER_S)
#define OUTAGE_LONG_NS NS_PER_S

/* Protected by the lock, which is taken only when connections break. */
struct outage {
  pthread_mutex_t lock;
  unsigned down; /* being replaced */
  unsigned lost; /* in this outage, back or not */
  uint64_t began_ns;
  uint64_t longest_ns; /* of ended ones */
  uint64_t total_ns;   /* with a connection down, ended */
  uint64_t reconnects;
  uint64_t
    tried_ns; /* begin of the last failed attempt of this outage; 0: none */
  uint64_t late_ns;  /* longest time from there to the end */
  unsigned given_up; /* still reconnecting when the run ended */
  bool announced;
  uint64_t lost_due_ns;    /* when the next warning may come: of losses */
  uint64_t refused_due_ns; /* ... and of refusals */
  uint64_t untold;         /* ended, not announced */
  char target[256];        /* of its first connection */
  char text[256];          /* of the last failed attempt */
};

void outage_init(struct outage *o);
void outage_done(struct outage *o);

/*
 * The first of an outage warns: `WARNING: connection to TARGET lost (REASON),
 * reconnecting`; if `refused`, as the server is being left: `WARNING: TARGET
 * refuses its service (REASON), trying the next server`.
 *
 * Of successive outages the first OUTAGE_AT_ONCE are announced, then one in
 * OUTAGE_EVERY_NS; the next warning counts the others.
 */
void outage_lost(struct outage *o, const char *target, const char *reason,
                 bool refused, uint64_t now_ns);
/* The attempt began at `tried_ns`.  Announces an outage of OUTAGE_LONG_NS. */
void outage_failed(struct outage *o, const char *reason, uint64_t tried_ns,
                   uint64_t now_ns);
/*
 * The last one back of an announced outage warns: `WARNING: reconnected after S
 * s, K connections`, with the time since the last failed attempt began: the
 * server was not back earlier.
 */
void outage_back(struct outage *o, uint64_t now_ns);
/* The run ended, or the failure was permanent. */
void outage_gave_up(struct outage *o, bool run_over, uint64_t now_ns);

/* At the end: outages not announced, and `WARNING: K threads were still
 * reconnecting at the end: TEXT`; `who`: "thread" or "client". */
void outage_print(struct outage *o, const char *who);

struct outage_times {
  uint64_t longest_ns, total_ns, reconnects, late_ns;
};
struct outage_times outage_times(struct outage *o, uint64_t now_ns);

#endif
