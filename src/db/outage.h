/*
 * outage.h - connections that were lost and are not back yet, over all threads.
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

/* All protected by the lock, which is taken only when connections break. */
struct outage {
  pthread_mutex_t lock;
  unsigned down;        /* connections being replaced now */
  unsigned lost;        /* in this outage, back or not */
  uint64_t began_ns;    /* of this outage */
  uint64_t longest_ns;  /* of those that ended */
  uint64_t total_ns;    /* time with at least one connection down, ended */
  uint64_t reconnects;  /* connections that came back */
  uint64_t tried_ns;    /* when the last attempt that failed began; 0: none in
                         * this outage */
  uint64_t late_ns;     /* the longest time from there to the end */
  unsigned given_up;    /* still reconnecting when the run ended */
  bool announced;       /* the warning about this outage was printed */
  uint64_t lost_due_ns; /* when the next warning may come at its rate: of
                         * connections that were lost */
  uint64_t refused_due_ns; /* ... and of servers that refuse */
  uint64_t untold;         /* outages that ended and were not announced */
  char target[256];        /* of the first connection of this outage */
  char text[256];          /* of the last failed attempt */
};

void outage_init(struct outage *o);
void outage_done(struct outage *o);

/*
 * Warns when it is the first of this outage: `WARNING: connection to TARGET
 * lost (REASON), reconnecting`.  `refused`: the server has refused its service,
 * and the connection is given up for that: `WARNING: TARGET refuses its service
 * (REASON), trying the next server`.
 *
 * Of outages that follow each other, as those of clients that look at their
 * connections one after another, only the first OUTAGE_AT_ONCE are announced,
 * and one in OUTAGE_EVERY_NS after them.  The next warning says how many were
 * not.
 */
void outage_lost(struct outage *o, const char *target, const char *reason,
                 bool refused, uint64_t now_ns);
/* An attempt that began at `tried_ns` failed.  An outage that was not announced
 * is, as soon as it has lasted OUTAGE_LONG_NS. */
void outage_failed(struct outage *o, const char *reason, uint64_t tried_ns,
                   uint64_t now_ns);
/* Back; warns when all are, if it warned before: `WARNING: reconnected after S
 * s, K connections`; after failed attempts with the time since the last of them
 * began: the server cannot have been back earlier than that. */
void outage_back(struct outage *o, uint64_t now_ns);
/* The run ended, or the failure was permanent, before it was back. */
void outage_gave_up(struct outage *o, bool run_over, uint64_t now_ns);

/* At the end: how many outages were not announced, and `WARNING: K threads were
 * still reconnecting at the end: TEXT`, if any were; `who` is "thread" or
 * "client". */
void outage_print(struct outage *o, const char *who);

/* For structured results. */
struct outage_times {
  uint64_t longest_ns, total_ns, reconnects, late_ns;
};
struct outage_times outage_times(struct outage *o, uint64_t now_ns);

#endif
