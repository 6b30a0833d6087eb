/*
 * threads_ways.h - ways in which one thread wakes another, for the threads
 * test.
 */
#ifndef BENCH_TESTS_THREADS_WAYS_H
#define BENCH_TESTS_THREADS_WAYS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

/* A channel from one thread to one other. */
struct threads_channel {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool posted;           /* under the mutex */
  _Atomic uint32_t word; /* 1: posted */
  int from, to;          /* the ends of a pipe */
} CACHE_ALIGNED;

struct threads_way {
  const char *name;
  int (*init)(struct threads_channel *c, struct err *err);
  void (*done)(struct threads_channel *c);
  void (*post)(struct threads_channel *c);  /* wakes the thread that waits or
                                             * will */
  void (*await)(struct threads_channel *c); /* waits until post() was called */
};

/* The order is that of the words of --thread-test. */
enum {
  THREADS_WAYS = 3
};
extern const struct threads_way threads_ways[THREADS_WAYS];

#endif
