/*
 * workers.h - the workers of a run, from start to end.  Only for src/run.
 *
 * With --clients, a worker is a fiber (src/loop); thread c modulo
 * plan->carriers carries client c.
 */
#ifndef BENCH_RUN_WORKERS_H
#define BENCH_RUN_WORKERS_H

#include <pthread.h>

struct err;
struct run;

struct workers {
  struct run *run;
  pthread_t *threads; /* owned */
  unsigned started;
  unsigned n; /* in threads or carried */
};

/* Before the workers start, and after all threads have ended. */
int workers_make_clients(struct run *run, struct err *err);
void workers_drop_clients(struct run *run);

/* Starts all workers, which wait at the gate, even after a failure. */
int workers_start(struct workers *workers, struct run *run, struct err *err);

/* `gate`: enum gate. */
void workers_release(struct workers *workers, unsigned gate);

void workers_join(struct workers *workers);

#endif
