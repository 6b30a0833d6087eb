/*
 * outage.h - lost connections that are not back yet.
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

/* The lock protects all; taken only when connections break. */
struct outage {
  pthread_mutex_t lock;
  unsigned down; /* being replaced */
  unsigned lost; /* in this outage */
  uint64_t began_ns, ended_ns;
  uint64_t longest_ns; /* of ended outages */
  uint64_t total_ns;   /* with a connection down, ended */
  uint64_t reconnects;
  uint64_t tried_ns;
  uint64_t late_ns;
  unsigned given_up;
  bool announced;
  uint64_t lost_due_ns;    /* next warning: losses */
  uint64_t refused_due_ns; /* refusals */
  uint64_t untold;         /* ended, not announced */
  char target[256];
  char text[256];
};

void outage_init(struct outage *o);
void outage_done(struct outage *o);

/* The first loss of an outage warns; `refused`: the next server is tried.
 * OUTAGE_AT_ONCE outages are announced, then one in OUTAGE_EVERY_NS. */
void outage_lost(struct outage *o, const char *target, const char *reason,
                 bool refused, uint64_t now_ns);
/* Announces an outage of OUTAGE_LONG_NS. */
void outage_failed(struct outage *o, const char *reason, uint64_t tried_ns,
                   uint64_t now_ns);
/* The last one of an announced outage warns: how long it was, and how much
 * earlier the server was possibly back. */
void outage_back(struct outage *o, uint64_t now_ns);
void outage_gave_up(struct outage *o, bool run_over, uint64_t now_ns);
/* The run ended during a login. */
void outage_cut(struct outage *o, const char *reason);

/* Prints unannounced outages, and how many threads still reconnect.  `who`:
 * "thread" or "client". */
void outage_print(struct outage *o, const char *who);

struct outage_times {
  uint64_t longest_ns, total_ns, reconnects, late_ns;
};
struct outage_times outage_times(struct outage *o, uint64_t now_ns);

#endif
