/*
 * workers.h - the workers of a run, from start to end.  Only for src/run.
 *
 * With --clients, a worker is a fiber (src/loop), and plan->carriers threads
 * share them: client c is carried by thread c modulo that number.
 */
#ifndef BENCH_RUN_WORKERS_H
#define BENCH_RUN_WORKERS_H

#include <pthread.h>

struct client_loops;
struct err;
struct run;

struct workers {
  struct run *run;
  pthread_t *threads; /* owned */
  unsigned started;   /* threads */
  unsigned n;         /* workers that they are, or carry */
};

/* Before the workers start: run->carriers; and when all threads have ended. */
int workers_make_clients(struct run *run, struct err *err);
void workers_drop_clients(struct run *run);

/* Start plan->threads workers, which prepare themselves and wait at the gate.
 * After a failure, those that were started still wait there. */
int workers_start(struct workers *workers, struct run *run, struct err *err);

/* Open the gate (enum gate). */
void workers_release(struct workers *workers, unsigned gate);

/* Join all threads that were started. */
void workers_join(struct workers *workers);

/* The measured part begins; and what the loops did in it. */
void workers_measure_from(struct run *run);
void workers_measured(const struct run *run, struct client_loops *ret);

#endif
