/*
 * series.h - named sums of a script for each second of a run, and the longest
 * time without any addition.
 *
 * All states of a script share a series, and all series of a script begin with
 * the first addition to any of them.
 */
#ifndef BENCH_LUA_ENGINE_SERIES_H
#define BENCH_LUA_ENGINE_SERIES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SERIES_MAX = 8,
  SERIES_NAME_BYTES = 32,     /* with the terminator */
  SERIES_SECONDS = 24 * 3600, /* later additions belong to the last second */
};

/* Any thread adds and reads; all relaxed, since numbers do not depend on each
 * other. */
struct series {
  char name[SERIES_NAME_BYTES]; /* constant */
  _Atomic uint64_t *begin_ns;   /* borrowed: of the set */
  _Atomic uint64_t last_ns;     /* the latest addition; 0: none */
  _Atomic uint64_t gap_ns;      /* the longest time between two */
  _Atomic uint64_t gap_at_ns;   /* when it began */
  _Atomic double *sum;          /* owned; [SERIES_SECONDS] */
};

struct series_set {
  pthread_mutex_t lock; /* protects `n` and the making of a series */
  size_t n;
  _Atomic uint64_t begin_ns; /* of the first addition; 0: none */
  struct series of[SERIES_MAX];
};

void series_set_init(struct series_set *set);
void series_set_done(struct series_set *set);

/* The series of this name, which lives as long as the set.  NULL: there are too
 * many, or no memory. */
struct series *series_open(struct series_set *set, const char *name);

/* Add `n` at the moment now_ns. */
void series_add(struct series *s, double n, uint64_t now_ns);

/* The sum of a second from 0 on. */
double series_sum(const struct series *s, size_t second);
/* The number of seconds up to the last addition. */
size_t series_seconds(const struct series *s);
/* The longest time between two additions; *ret_at_ns: its begin, counted from
 * the first addition. */
uint64_t series_gap_ns(const struct series *s, uint64_t *ret_at_ns);

#endif
