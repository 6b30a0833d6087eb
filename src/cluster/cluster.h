/*
 * cluster.h - one run on several machines, as each of its ranks sees it:
 * who the others are, and the moments at which all of them meet.
 *
 * Process 0 reads the options and files, gives the plan to the others, gathers
 * reports and prints.  Its host and number name a process in messages.
 * A process that was not launched as one of several has no struct cluster.
 */
#ifndef BENCH_CLUSTER_CLUSTER_H
#define BENCH_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster;
struct cluster_link;
struct err;
struct post;
struct post_events;

/*
 * Join the other ranks, and learn the names of all.  `size` is what the
 * environment told: an engine's library that belongs to another engine finds
 * only one process.  All programs of a run must be of the same version.
 */
int cluster_join(struct cluster **ret, const struct cluster_link *link,
                 unsigned size, const char *version, struct err *err);

/*
 * The end of the run, for all at the same time: process 0 learns the statuses.
 * Returns the first one that is not 0, in the order of the processes; in all
 * but process 0 that is its own.  Frees `c`.
 */
int cluster_leave(struct cluster *c, int status);

unsigned cluster_rank(const struct cluster *c);
unsigned cluster_size(const struct cluster *c);
const char *cluster_host(const struct cluster *c, unsigned rank);
unsigned cluster_hosts(const struct cluster *c); /* different ones */
const char *cluster_engine(const struct cluster *c);
struct post *cluster_post(struct cluster *c);

/* By process 0: what the others need to know. */
int cluster_share(struct cluster *c, const void *bytes, size_t len,
                  struct err *err);
/* By the others: wait for it.  Borrowed until cluster_leave(). */
int cluster_plan(struct cluster *c, const void **ret_bytes, size_t *ret_len,
                 struct err *err);

/*
 * Everybody's workers are ready: the moment of the common start, on this
 * process's clock.  `ready` false: they are not, and nobody starts.
 * -ECANCELED: there is no start; `err` is empty when somebody else says why.
 */
int cluster_start(struct cluster *c, bool ready, uint64_t *ret_start_ns,
                  struct err *err);

/* This process has started at that moment of its clock. */
void cluster_started(struct cluster *c, uint64_t now_ns);

/* By process 0, after the end: when each process has started, as an offset from
 * the common start; false: it has not been heard of. */
bool cluster_start_error(struct cluster *c, unsigned rank, int64_t *ret_ns);
/* From the first one's start to the last one's. */
uint64_t cluster_skew(struct cluster *c);
/* How well the clocks are known to each other. */
uint64_t cluster_clock_error(const struct cluster *c, unsigned rank);

/* Wait for all processes, wherever they are. */
void cluster_meet(struct cluster *c);

enum {
  CLUSTER_GONE = UINT8_MAX, /* the word of a process that does not come */
};

/* The same, and everybody learns what each has to say, less than CLUSTER_GONE:
 * all[cluster_size()], in the order of the processes. */
void cluster_vote(struct cluster *c, unsigned char own, unsigned char *all);

/* This process must stop its work: tell the others.  Any thread.  `why` is a
 * number that the listeners of the others are given. */
void cluster_tell_stop(struct cluster *c, int why);

/* Wait until nobody is at work any more; after a signal everybody knows that
 * already, and there is no time for it. */
void cluster_finish(struct cluster *c);

/* A process is gone: found dead, or silent; or this one cannot leave
 * in order any more. */
void cluster_mark_lost(struct cluster *c, unsigned rank);
bool cluster_is_lost(const struct cluster *c, unsigned rank);
bool cluster_any_lost(const struct cluster *c);

#endif
