/*
 * cluster.h - one run on several machines, as each of its ranks sees it: the
 * other ranks, and the moments at which all of them meet.
 *
 * Rank 0 reads the options and files, gives the plan to the others, gathers
 * reports and prints.  Messages name a rank by its host and number.  A process
 * that was not launched as one of several has no struct cluster.
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
struct post_events;

/* ---- sync ---- */

/*
 * The difference between the clocks of two machines, and a common start.
 */

/* A question and its answer: the asker's clock before and after, and the other
 * clock in between. */
struct sync_sample {
  uint64_t sent_ns, there_ns, back_ns;
};

/* there = here + offset_ns, with an uncertainty of error_ns. */
struct sync_offset {
  int64_t offset_ns;
  uint64_t error_ns; /* half of the shortest round trip */
};

/* Uses the sample with the shortest round trip; needs at least one. */
struct sync_offset cluster_sync_estimate(const struct sync_sample *s, size_t n);

/* In rank 0: ask `rank` some dozen times; -ETIMEDOUT: no answer. */
int cluster_sync_measure(struct post *p, unsigned rank,
                         struct sync_offset *ret);

/* A moment of this clock, converted to the other one. */
uint64_t cluster_sync_there(const struct sync_offset *o, uint64_t here_ns);
uint64_t cluster_sync_here(const struct sync_offset *o, uint64_t there_ns);

/* The time between the first and the last of `n` moments. */
uint64_t cluster_sync_skew(const uint64_t *moments_ns, size_t n);

/*
 * Join the other ranks, and learn the names of all.  `size` is what the
 * environment says: the library of another engine finds only one process.  All
 * programs of a run must have the same version.
 */
int cluster_join(struct cluster **ret, const struct cluster_link *link,
                 unsigned size, const char *version, struct err *err);

/*
 * The end of the run, for all at the same time: rank 0 learns the statuses.
 * Returns the first one that is not 0, in the order of the ranks; in all other
 * ranks the result is their own.  Frees `c`.
 */
int cluster_leave(struct cluster *c, int status);

unsigned cluster_rank(const struct cluster *c);
unsigned cluster_size(const struct cluster *c);
const char *cluster_host(const struct cluster *c, unsigned rank);
unsigned cluster_hosts(const struct cluster *c); /* different ones */
const char *cluster_engine(const struct cluster *c);
struct post *cluster_post(struct cluster *c);

/* In rank 0: send the data that the others need. */
int cluster_share(struct cluster *c, const void *bytes, size_t len,
                  struct err *err);
/* In the other ranks: wait for it.  Borrowed until cluster_leave(). */
int cluster_plan(struct cluster *c, const void **ret_bytes, size_t *ret_len,
                 struct err *err);

/*
 * Agree on the common start when the workers of all ranks are ready: its
 * moment, on this rank's clock.  `ready` false: the workers of this rank are
 * not, and no rank starts.  Returns -ECANCELED if there is no start; `err` is
 * empty if another rank reports why.
 */
int cluster_start(struct cluster *c, bool ready, uint64_t *ret_start_ns,
                  struct err *err);

/* This rank has started at that moment of its clock. */
void cluster_started(struct cluster *c, uint64_t now_ns);

/* In rank 0, after the end: when a rank has started, as an offset from the
 * common start; false: it has not reported that. */
bool cluster_start_error(struct cluster *c, unsigned rank, int64_t *ret_ns);
/* The time from the first rank's start to the last one's. */
uint64_t cluster_skew(struct cluster *c);
/* How exactly rank 0 knows the clock of a rank. */
uint64_t cluster_clock_error(const struct cluster *c, unsigned rank);

/* Wait for all ranks, whatever they are doing. */
void cluster_meet(struct cluster *c);

enum {
  CLUSTER_GONE = UINT8_MAX, /* the word of a rank that does not come */
};

/* The same, and each rank learns the words of all, which are less than
 * CLUSTER_GONE: all[cluster_size()], in the order of the ranks. */
void cluster_vote(struct cluster *c, unsigned char own, unsigned char *all);

/* This rank must stop its work: report that to the others.  Any thread may
 * call. `why` is a number for the listeners of the others. */
void cluster_tell_stop(struct cluster *c, int why);

/* Wait until no rank is at work any more.  After a signal every rank knows that
 * already, and there is no time to wait. */
void cluster_finish(struct cluster *c);

/* A rank is gone: found dead, or silent; or this one cannot leave in order any
 * more. */
void cluster_mark_lost(struct cluster *c, unsigned rank);
bool cluster_is_lost(const struct cluster *c, unsigned rank);
bool cluster_any_lost(const struct cluster *c);

#endif
