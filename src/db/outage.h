/*
 * outage.h - connections that were lost and are not back yet, over all threads.
 */
#ifndef BENCH_DB_OUTAGE_H
#define BENCH_DB_OUTAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* All protected by the lock, which is taken only when connections break. */
struct outage {
  pthread_mutex_t lock;
  unsigned down;         /* connections being replaced now */
  unsigned lost;         /* in this outage, back or not */
  uint64_t began_ns;     /* of this outage */
  uint64_t longest_ns;   /* of those that ended */
  uint64_t total_ns;     /* time with at least one connection down, ended */
  uint64_t reconnects;   /* connections that came back */
  unsigned given_up;     /* still reconnecting when the run ended */
  bool announced;        /* the warning about this outage was printed */
  uint64_t second;       /* of the last warning, and how many were due in it: */
  unsigned said_lost;    /* about connections that were lost */
  unsigned said_refused; /* ... and about servers that refuse */
  char text[256];        /* of the last failed attempt */
};

void outage_init(struct outage *o);
void outage_done(struct outage *o);

/*
 * Warns when it is the first of this outage: `WARNING: connection to TARGET
 * lost (REASON), reconnecting`; about no more than 20 outages in a second.
 * `refused`: the server has refused its service, and the connection is given
 * up for that: `WARNING: TARGET refuses its service (REASON), trying the next
 * server`, about one of them in a second.
 */
void outage_lost(struct outage *o, const char *target, const char *reason,
                 bool refused);
/* An attempt failed. */
void outage_failed(struct outage *o, const char *reason);
/* Back; warns when all are, if it warned before: `WARNING: reconnected after S
 * s, K connections`. */
void outage_back(struct outage *o);
/* The run ended, or the failure was permanent, before it was back. */
void outage_gave_up(struct outage *o, bool run_over);

/* At the end: `WARNING: K threads were still reconnecting at the end: TEXT`,
 * if any were; `who` is "thread" or "client". */
void outage_print(struct outage *o, const char *who);

/* For structured results. */
struct outage_times {
  uint64_t longest_ns, total_ns, reconnects;
};
struct outage_times outage_times(struct outage *o);

#endif
