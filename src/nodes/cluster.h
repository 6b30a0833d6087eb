/*
 * cluster.h - one run on several machines. Rank 0 reads options and files,
 * gives the plan to the other ranks, gathers reports and prints.
 */
#ifndef BENCH_NODES_CLUSTER_H
#define BENCH_NODES_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster;
struct cluster_link;
struct err;
struct post;

/* On the asker's clock, the other clock, and the asker's. */
struct sync_sample {
  uint64_t sent_ns, there_ns, back_ns;
};

/* there = here + offset_ns, give or take error_ns. */
struct sync_offset {
  int64_t offset_ns;
  uint64_t error_ns;
};

/* From the sample with the shortest round trip; n > 0. */
struct sync_offset cluster_sync_estimate(const struct sync_sample *s, size_t n);

/* On rank 0; WAITS. -ETIMEDOUT: no answer. */
int cluster_sync_measure(struct post *p, unsigned rank,
                         struct sync_offset *ret);

/* A moment of this clock on the other clock. */
uint64_t cluster_sync_there(const struct sync_offset *o, uint64_t here_ns);

uint64_t cluster_sync_skew(const uint64_t *moments_ns, size_t n);

/*
 * WAITS until all have joined and exchanged names. All versions must be equal.
 * `size`: from the environment; the library of another engine finds one
 * process.
 */
int cluster_join(struct cluster **ret, const struct cluster_link *link,
                 unsigned size, const char *version, struct err *err);

/* For all at the same time; WAITS. Rank 0 returns the first status other than
 * 0, in the order of ranks; others their own. Frees `c`. */
int cluster_leave(struct cluster *c, int status);

unsigned cluster_rank(const struct cluster *c);
unsigned cluster_size(const struct cluster *c);
const char *cluster_host(const struct cluster *c, unsigned rank);
unsigned cluster_hosts(const struct cluster *c);
const char *cluster_engine(const struct cluster *c);
struct post *cluster_post(struct cluster *c);

/* On rank 0. */
int cluster_share(struct cluster *c, const void *bytes, size_t len,
                  struct err *err);
/* On the other ranks: WAITS. Borrowed until cluster_leave(). */
int cluster_plan(struct cluster *c, const void **ret_bytes, size_t *ret_len,
                 struct err *err);

/*
 * WAITS until all ranks are ready; agrees on a moment of this rank's clock. Not
 * `ready`: nobody starts. -ECANCELED: no start; `err` is empty if another rank
 * reports why.
 */
int cluster_start(struct cluster *c, bool ready, uint64_t *ret_start_ns,
                  struct err *err);

void cluster_started(struct cluster *c, uint64_t now_ns);

/* On rank 0, after the end: from the common start; false: not reported. */
bool cluster_start_error(struct cluster *c, unsigned rank, int64_t *ret_ns);
uint64_t cluster_skew(struct cluster *c);
/* Uncertainty, on rank 0. */
uint64_t cluster_clock_error(const struct cluster *c, unsigned rank);

/* WAITS for all ranks. */
void cluster_meet(struct cluster *c);

enum {
  CLUSTER_GONE = UINT8_MAX,
};

/* Like cluster_meet(); all[cluster_size()]: the votes of the ranks. */
void cluster_vote(struct cluster *c, unsigned char own, unsigned char *all);

/* The others must stop, too. Any thread. `why`: for the listeners. */
void cluster_tell_stop(struct cluster *c, int why);

/* WAITS until all ranks are idle; not after a signal, which all have got. */
void cluster_finish(struct cluster *c);

/* A dead or silent rank, or this one if it cannot leave in order. */
void cluster_mark_lost(struct cluster *c, unsigned rank);
bool cluster_is_lost(const struct cluster *c, unsigned rank);
bool cluster_any_lost(const struct cluster *c);

#endif
