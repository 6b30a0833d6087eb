/*
 * exchange.h - numbers, sums, jobs and texts that the Lua states of a script
 * exchange.  Each has its own lock.
 */
#ifndef BENCH_LUA_ENGINE_EXCHANGE_H
#define BENCH_LUA_ENGINE_EXCHANGE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SEQUENCES_MAX = 8,
  SEQUENCE_NAME_BYTES = 32,
};

/* Each number is given out once. */
struct sequences {
  pthread_mutex_t lock;
  size_t n;
  struct {
    char name[SEQUENCE_NAME_BYTES];
    double next;
  } of[SEQUENCES_MAX];
};

void sequences_init(struct sequences *s);
void sequences_done(struct sequences *s);

/* -ENOSPC: too many names. */
int sequences_set(struct sequences *s, const char *name, double next);

/* *ret: the first of `n` numbers, none above `limit`.  -ENOENT: unknown
 * name; -ERANGE: the limit. */
int sequences_take(struct sequences *s, const char *name, double n,
                   double limit, double *ret);

enum {
  SERIES_MAX = 8,
  SERIES_NAME_BYTES = 32,
  SERIES_SECONDS = 24 * 3600, /* later additions count in the last second */
};

/* Any thread adds and reads; relaxed: the numbers are independent. */
struct series {
  char name[SERIES_NAME_BYTES];
  _Atomic uint64_t *begin_ns; /* borrowed: of the set */
  _Atomic uint64_t last_ns;   /* the latest addition; 0: none */
  _Atomic uint64_t gap_ns;
  _Atomic uint64_t gap_at_ns; /* its begin */
  _Atomic double *sum;        /* owned; [SERIES_SECONDS] */
};

/* Sums per second since the first addition to any series of the script, and
 * the longest time without an addition. */
struct series_set {
  pthread_mutex_t lock; /* protects `n` and the creation of a series */
  size_t n;
  _Atomic uint64_t begin_ns; /* first addition; 0: none */
  struct series of[SERIES_MAX];
};

void series_set_init(struct series_set *set);
void series_set_done(struct series_set *set);

/* Lives as long as the set.  NULL: too many, or no memory. */
struct series *series_open(struct series_set *set, const char *name);

void series_add(struct series *s, double n, uint64_t now_ns);

/* `second` counts from 0. */
double series_sum(const struct series *s, size_t second);
size_t series_seconds(const struct series *s);
/* *ret_at_ns: its begin, from the first addition. */
uint64_t series_gap_ns(const struct series *s, uint64_t *ret_at_ns);

struct sums {
  pthread_mutex_t lock; /* protects the creation of the cells */
  size_t n;             /* constant once cells exist */
  /* owned; NULL: not yet.  Any thread adds and reads; relaxed: sums are
   * independent. */
  _Atomic double *cell;
};

void sums_init(struct sums *s);
void sums_done(struct sums *s);

/* Makes `n` zeroed cells, once.  -ENOMEM; -EINVAL: another number of cells
 * exists. */
int sums_open(struct sums *s, size_t n);

/* After sums_open() by this thread.  Ignores indexes beyond the cells. */
void sums_add(struct sums *s, size_t i, double amount);
double sums_value(const struct sums *s, size_t i);

enum {
  JOB_NUMBERS = 3,
  JOBS_MAX = 1 << 20,
};

struct job {
  double of[JOB_NUMBERS];
};

/* First in, first out. */
struct jobs {
  pthread_mutex_t lock;
  struct job *of; /* owned; a ring */
  size_t size, first, n;
};

void jobs_init(struct jobs *j);
void jobs_done(struct jobs *j);

/* -ENOSPC: JOBS_MAX are waiting; -ENOMEM. */
int jobs_put(struct jobs *j, const struct job *job);
bool jobs_take(struct jobs *j, struct job *ret);
size_t jobs_waiting(struct jobs *j);

struct team_text;

/* Constant texts between the threads of a parallel command. */
struct team {
  pthread_mutex_t lock;
  pthread_cond_t news;
  struct team_text *texts;
  bool left;
};

void team_init(struct team *t);
void team_done(struct team *t);

/* -ENOMEM; -EEXIST: the name has another text. */
int team_give(struct team *t, const char *name, const char *text, size_t len);

/* Waits for a text, valid until team_done().  NULL: a thread has left. */
const char *team_await(struct team *t, const char *name, size_t *ret_len);

/* A thread has failed: ends all waits. */
void team_leave(struct team *t);

#endif
