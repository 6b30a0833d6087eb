/*
 * jobs.h - a queue of jobs that some clients of a script leave to others: first
 * in, first out.  A job is a few numbers.
 */
#ifndef BENCH_LUA_ENGINE_JOBS_H
#define BENCH_LUA_ENGINE_JOBS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  JOB_NUMBERS = 3,
  JOBS_MAX = 1 << 20, /* that wait at a time */
};

struct job {
  double of[JOB_NUMBERS];
};

struct jobs {
  pthread_mutex_t lock; /* protects everything */
  struct job *of;       /* owned; a ring */
  size_t size, first, n;
};

void jobs_init(struct jobs *j);
void jobs_done(struct jobs *j);

/* Returns -ENOSPC if JOBS_MAX are waiting, -ENOMEM. */
int jobs_put(struct jobs *j, const struct job *job);
/* Take the job that has waited for the longest time; false: there is none. */
bool jobs_take(struct jobs *j, struct job *ret);
/* The number of those that wait. */
size_t jobs_waiting(struct jobs *j);

#endif
