/*
 * judge.h - finds the anomalies of a history.
 *
 * No false alarms, if clients' answers are true. Anomalies that no read shows
 * are not found.
 */
#ifndef BENCH_HISTORY_JUDGE_H
#define BENCH_HISTORY_JUDGE_H

#include <stdint.h>

#include "verify/history/anomaly.h"
#include "verify/history/history.h"

struct err;
struct strbuf;

enum history_verdict {
  HISTORY_FITS,
  HISTORY_BROKEN, /* the run did not have this level */
  HISTORY_UNCLEAR /* nothing found, but cut off or empty */
};

struct judgement {
  struct finding findings[ANOMALIES];
  uint32_t ok, failed, unknown;
  uint32_t proved;           /* unknown, but read */
  uint32_t reads, writes;    /* of ok transactions */
  uint32_t unseen, unplaced; /* see graph.h */
  /* Circles of dependent transactions. */
  uint32_t groups, grouped; /* with their transactions */
};

/* -ENOMEM or -E2BIG; judgement_done() frees all in any case. */
int history_judge(struct judgement *j, const struct history *h,
                  struct err *err);
void judgement_done(struct judgement *j);

enum history_verdict judgement_verdict(const struct judgement *j,
                                       const struct history *h,
                                       enum level level);

/* Appends facts, anomalies with examples, and the verdict. */
void history_tell(struct strbuf *to, const struct history *h,
                  const struct judgement *j, enum level level);

#endif
