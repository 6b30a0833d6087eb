/*
 * ycsb_keys.h - which rows the ycsb script reads, changes and inserts.
 *
 * The rows that can be read are numbered by an *index* from 1 on: first the
 * loaded ones, then those of earlier runs, then those that this process has
 * inserted, each as soon as all before it are acknowledged.  So an index never
 * means a row that may be missing.
 *
 * One struct ycsb_keys serves all clients of a process; each client has a
 * struct ycsb_client.
 */
#ifndef BENCH_LOAD_KINDS_YCSB_KEYS_H
#define BENCH_LOAD_KINDS_YCSB_KEYS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/kinds/ycsb.h"
#include "rand/dist.h"

/* ---- workloads ---- */

enum ycsb_op {
  YCSB_READ,
  YCSB_UPDATE,
  YCSB_INSERT,
  YCSB_SCAN,
  YCSB_RMW, /* read, modify, write */
  YCSB_OPS
};

enum ycsb_choice {
  YCSB_ZIPFIAN,
  YCSB_LATEST, /* zipfian, the row inserted last is the most popular */
  YCSB_UNIFORM,
  YCSB_JAVA, /* rand/zipf_java.h */
};

struct ycsb_workload {
  char name;
  unsigned percent[YCSB_OPS]; /* their sum is 100 */
  enum ycsb_choice choice;
};

/* Workload 'a' to 'f'; NULL: there is no such workload. */
const struct ycsb_workload *ycsb_workload(char name);

enum ycsb_op ycsb_draw_op(const struct ycsb_workload *w, struct rng *rng);

/* ---- rows ---- */

/* Rows first, first + stride, ... that belong together. */
struct ycsb_extent {
  uint64_t first, stride;
  uint64_t count; /* that can be read */
  uint64_t below; /* those that have a lower index */
};

/* A client of a process. */
struct ycsb_client {
  struct zipf_cache zipf;
  struct ycsb_client *before, *after; /* with an insert in progress */
  uint64_t inserting; /* how many were begun before it, plus 1; 0: none */
};

struct ycsb_keys {
  struct ycsb model;
  enum ycsb_choice choice;
  struct rand_params zipf;
  struct zipf_java java;
  struct scramble popular;  /* ranks of loaded rows to their numbers */
  struct ycsb_extent *past; /* owned */
  size_t n_past, room_past;
  struct ycsb_extent own; /* without its count */

  pthread_mutex_t lock; /* protects the rest, except for reading `readable` */
  uint64_t begun, acknowledged;
  uint64_t stopped_at; /* rows before the first one that was given up */
  struct ycsb_client *oldest, *newest;
  _Atomic uint64_t readable; /* of `own`; written with the lock */
};

void ycsb_keys_init(struct ycsb_keys *k, const struct kind_args *args,
                    enum ycsb_choice choice, double exponent);
void ycsb_keys_done(struct ycsb_keys *k);

/* Call these before the first client starts: rows of an earlier run, in the
 * order of their age (-ENOMEM), then those that this process will insert. */
int ycsb_keys_add(struct ycsb_keys *k, uint64_t first, uint64_t stride,
                  uint64_t count);
void ycsb_keys_own(struct ycsb_keys *k, uint64_t first, uint64_t stride);

/* How many rows can be read. */
uint64_t ycsb_keys_readable(const struct ycsb_keys *k);
/* The number of the row with this index, 1..ycsb_keys_readable(). */
uint64_t ycsb_keys_at(const struct ycsb_keys *k, uint64_t index);
/* Draw the number of a row that can be read. */
uint64_t ycsb_keys_draw(const struct ycsb_keys *k, struct ycsb_client *c,
                        struct rng *rng);

/* Begin to insert a row; returns its number.  It becomes readable some time
 * after ycsb_keys_inserted(). */
uint64_t ycsb_keys_insert(struct ycsb_keys *k, struct ycsb_client *c);
void ycsb_keys_inserted(struct ycsb_keys *k, struct ycsb_client *c);

/* The client ends.  If it has not ended its insert, no row from there on will
 * become readable. */
void ycsb_keys_leave(struct ycsb_keys *k, struct ycsb_client *c);

#endif
