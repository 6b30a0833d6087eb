/*
 * end.h - the end of a run of several processes: what each of
 * them has to say about itself, and that process 0 has got it.
 */
#ifndef BENCH_RANKS_END_H
#define BENCH_RANKS_END_H

#include <stdbool.h>
#include <stdint.h>

#include "report/life.h"
#include "stats/report.h"

struct cluster;
struct err;
struct merge;
struct plan;
struct unpack;

/* Part of struct ranks_report. */
struct ranks_end {
  struct cluster *cluster;
  const struct plan *plan;
  const struct report_setup *setup; /* from the last report on */
  uint64_t events;                  /* of all processes, from then on */
  unsigned rank, size;
  struct rank_part *part;      /* owned; [size]; process 0 only */
  struct merge **merge;        /* owned; [size]: of each process */
  struct doubts *doubts;       /* owned; of all processes */
  struct test_details details; /* with the errors of all processes */
  struct err *error;           /* owned; the first one of another process */
  int status;                  /* the first of others' that is not 0 */
};

int ranks_end_init(struct ranks_end *e, struct cluster *cluster,
                   const struct plan *plan, struct err *err);
void ranks_end_done(struct ranks_end *e);

/* By process 0: the report of a process, packed. */
int ranks_end_part(struct ranks_end *e, unsigned rank, struct unpack *u,
                   const struct report_setup *setup);

/* By process 0: make *end, which holds its own, that of all. */
void ranks_end_gather(struct ranks_end *e, struct run_end *end);
/* Say that it is done: what the others have written for themselves can go. */
void ranks_end_tell(struct ranks_end *e);
/* The skew (on stderr), and the table of processes. */
void ranks_end_print(struct ranks_end *e, const struct run_end *end,
                     bool table);

/* By the others: send, and wait for that.  False: process 0 is gone, or has
 * not got the results of all. */
void ranks_end_send(struct ranks_end *e, const struct run_end *end);
bool ranks_end_await(struct ranks_end *e);

#endif
