/*
 * judge.h - finds the anomalies of a history, and compares them with a level of
 * isolation.
 *
 * What is found is there: the method has no false alarms if clients have told
 * the truth.  What is not found may be there: a history shows what its reads
 * have seen.
 */
#ifndef BENCH_HISTORY_JUDGE_H
#define BENCH_HISTORY_JUDGE_H

#include <stdint.h>

#include "history/anomaly.h"
#include "history/history.h"

struct err;

enum history_verdict {
  HISTORY_FITS,   /* nothing contradicts the level */
  HISTORY_BROKEN, /* it does not have this level */
  HISTORY_UNCLEAR /* nothing was found, but the history is cut off, or empty */
};

struct judgement {
  struct finding findings[ANOMALIES];
  uint32_t ok, failed, unknown; /* transactions */
  uint32_t proved;              /* unknown ones that a read proves */
  uint32_t reads, writes;       /* of those that are ok */
  uint32_t unseen, unplaced;    /* see versions.h */
  /* Groups of transactions that depend on each other in a circle. */
  uint32_t groups, grouped; /* groups, and transactions in them */
};

/* Returns -ENOMEM or -E2BIG; judgement_done() frees everything in any case. */
int history_judge(struct judgement *j, const struct history *h,
                  struct err *err);
void judgement_done(struct judgement *j);

enum history_verdict judgement_verdict(const struct judgement *j,
                                       const struct history *h,
                                       enum level level);

/* Is it found, and excluded by the level?  A history that is cut off may have
 * lost the writes that are missing. */
bool judgement_breaks(const struct judgement *j, const struct history *h,
                      enum level level, enum anomaly a);

#endif
