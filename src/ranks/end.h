/*
 * end.h - the end of a run of several ranks: what each rank reports about
 * itself, and the confirmation that rank 0 has received it.
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
struct ranks_mail;
struct unpack;

/* A part of struct ranks_report. */
struct ranks_end {
  struct cluster *cluster;
  const struct plan *plan;
  const struct report_setup *setup; /* set by the last report */
  uint64_t events;                  /* of all ranks; set by the last report */
  unsigned rank, size;
  struct rank_part *part;      /* owned; [size]; only in rank 0 */
  struct merge **merge;        /* owned; [size]: one for each rank */
  struct doubts *doubts;       /* owned; of all ranks */
  struct test_details details; /* with the errors of all ranks */
  struct err *error;           /* owned; the first error of another rank */
  int status; /* the first status of the other ranks that is not 0 */
};

int ranks_end_init(struct ranks_end *e, struct cluster *cluster,
                   const struct plan *plan, struct err *err);
void ranks_end_done(struct ranks_end *e);

/* In rank 0: add the packed report of a rank. */
int ranks_end_part(struct ranks_end *e, unsigned rank, struct unpack *u,
                   const struct report_setup *setup);

/* In rank 0: *end describes its own end; make it the end of all ranks.  `mail`
 * had their reports. */
void ranks_end_gather(struct ranks_end *e, const struct ranks_mail *mail,
                      struct run_end *end);
/* In rank 0: confirm that everything has arrived, so that the other ranks can
 * remove the files that they have written for themselves. */
void ranks_end_tell(struct ranks_end *e);
/* Print the skew (on stderr), and the table of ranks. */
void ranks_end_print(struct ranks_end *e, const struct run_end *end,
                     bool table);

/* In the other ranks: send the end, and wait for the confirmation.  False: rank
 * 0 is gone, or lacks the results of a rank. */
void ranks_end_send(struct ranks_end *e, const struct run_end *end);
bool ranks_end_await(struct ranks_end *e);

#endif
