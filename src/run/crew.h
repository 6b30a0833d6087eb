/*
 * crew.h - the worker threads of a run, from start to end.  Only for src/run.
 */
#ifndef BENCH_RUN_CREW_H
#define BENCH_RUN_CREW_H

#include <pthread.h>

struct err;
struct run;
struct worker;

struct crew {
  struct run *run;
  pthread_t *threads; /* owned */
  unsigned started;   /* threads */
  unsigned workers;   /* that they are, or carry */
};

/* The life of a worker (struct worker), on its own thread or in a fiber. */
void crew_worker_life(void *arg);

/*
 * A worker could not even begin: it counts as ready and gone.  The first one
 * says why, and clears the text for the others.  NULL: the run ends anyway.
 */
void crew_never_begun(struct worker *w, struct err *why);

/* Start plan->threads workers, which prepare themselves and wait at the gate.
 * After a failure, those that were started still wait there. */
int crew_start(struct crew *crew, struct run *run, struct err *err);

/* Open the gate (enum gate). */
void crew_release(struct crew *crew, unsigned gate);

/* The last that a thread of workers does. */
void crew_thread_ended(struct run *run);

/* Join all threads that were started. */
void crew_join(struct crew *crew);

#endif
