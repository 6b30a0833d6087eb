/*
 * idle.h - clients that connect and then only keep their connections: most of
 * those of a large application.
 */
#ifndef BENCH_RUN_IDLE_H
#define BENCH_RUN_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct plan;
struct worker;

/* How many: a number, or a part of all; both 0: none. */
struct idle_share {
  uint64_t clients;
  double percent;
};

/* What --idle-clients allows, in words. */
#define IDLE_EXPECTED                                                \
  "off, a number of clients such as 900, or a part of all above 0% " \
  "and below 100% such as 90%"

/* Read a value of --idle-clients.  -EINVAL: it is not of this form. */
int idle_parse(const char *text, struct idle_share *ret);

/* So many of `all` clients are idle.  -EINVAL: nobody would be left to work. */
int idle_count(const struct idle_share *share, unsigned all, unsigned *ret,
               struct err *err);

/*
 * Is worker `index` of this plan, who is there from the start, one of those?
 * The others are spread evenly
 * over the threads that carry clients, and worker 0 is one of them.
 */
bool idle_is(const struct plan *plan, unsigned index);

/* The life of such a worker, up to the end of the load: now and then it calls
 * the test's ping().  Returns its error. */
int idle_loop(struct worker *w, void *thr, struct err *err);

#endif
