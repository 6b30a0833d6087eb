/*
 * slo.h - an objective, such as "p99<=10ms,errors<=0.1%", and the verdict on a
 * run: pure functions. An objective holds if each term does.
 *
 * For percentiles, events that had not ended at a forced end are later than any
 * limit; with --rate also arrivals that never began and failed attempts. The
 * average and the largest latency are of ended events; their terms fail if a
 * forced end left an event unfinished.
 */
#ifndef BENCH_STATS_SLO_H
#define BENCH_STATS_SLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct hist_sum;

#define SLO_CONFIDENCE 0.99

enum {
  SLO_EXIT_STATUS = 4, /* only the objective was not held */
  SLO_TERMS_MAX = 16,
  SLO_TEXT_SIZE = 48,
  SLO_VALUE_SIZE = 48, /* room for slo_value_text() */
};

enum slo_measure {
  SLO_PERCENTILE, /* "pNN": a limit of time */
  SLO_MEAN,
  SLO_LARGEST,
  SLO_ERRORS, /* failed attempts among all attempts */
  SLO_EVENTS,
  SLO_QUERIES,
};

/* Of limits and values. */
enum slo_unit {
  SLO_NS,
  SLO_SHARE, /* 0.001 is 0.1 % */
  SLO_PER_S,
};

struct slo_kind {
  const char *name; /* as typed; for percentiles the letter before NN */
  enum slo_measure measure;
  enum slo_unit unit;
  bool at_least; /* ">=" instead of "<=" */
};

struct slo_term {
  const struct slo_kind *kind;
  double pct; /* SLO_PERCENTILE: above 0, below 100; otherwise 0 */
  double limit;
  double scale;             /* the unit typed: 1e6 for ms, 0.01 for % */
  char text[SLO_TEXT_SIZE]; /* as typed, without blanks */
};

/* Const after slo_parse(); may be copied. */
struct slo {
  unsigned n; /* 0: no objective */
  struct slo_term term[SLO_TERMS_MAX];
};

#define SLO_EXPECTED                                                       \
  "terms such as p99<=10ms, avg<=2ms, max<=1s, errors<=0.1%, tps>=100 or " \
  "qps>=100, with commas between them"

/* "" gives 0 terms. -EINVAL: `err` has the end of a sentence. */
int slo_parse(const char *text, struct slo *ret, struct err *err);

bool slo_needs_histogram(const struct slo *slo);

/* A run, or any other period. */
struct slo_sample {
  uint64_t period_ns;
  uint64_t events;
  uint64_t errors; /* failed attempts; not events */
  uint64_t queries;
  uint64_t late;                   /* not ended, as above */
  uint64_t stuck;                  /* the part of `late` inside of an event */
  uint64_t sum_ns, min_ns, max_ns; /* latencies of `events`; 0 without any */
  const struct hist_sum *hist;     /* [opt] borrowed; of `events` */
};

/* SLO_PERCENTILE: events beyond the limit and sample->late; SLO_ERRORS: errors.
 * *ret_share is allowed. False: the term does not count attempts. */
bool slo_count(const struct slo_term *term, const struct slo_sample *sample,
               uint64_t *ret_bad, uint64_t *ret_all, double *ret_share);

struct slo_result {
  const struct slo_term *term;
  double
    value; /* in the unit of the kind; INFINITY: not even ended; NAN: none */
  bool holds;
  /* Enough attempts that one can be bad, or a certain failure. */
  bool enough;
  /* At SLO_CONFIDENCE, if events are independent. True for terms that do not
   * count attempts. */
  bool sure;
  uint64_t bad, all; /* slo_count(); else 0 */
  uint64_t needed;   /* attempts for `enough` */
};

enum slo_state {
  SLO_HELD,
  SLO_FAILED,  /* a term failed */
  SLO_UNKNOWN, /* no term failed, but one has too few events */
};

struct slo_verdict {
  enum slo_state state; /* SLO_HELD without terms */
  unsigned n;
  struct slo_result of[SLO_TERMS_MAX];
};

void slo_judge(const struct slo *slo, const struct slo_sample *sample,
               struct slo_verdict *ret);

enum slo_state slo_result_state(const struct slo_result *r);

/* "held", "failed", "unknown". */
const char *slo_state_name(enum slo_state state);

/* In the unit of the limit, with enough digits to see its side: "9.871 ms",
 * "unfinished", "none". Returns `buf`. */
const char *slo_value_text(char buf[SLO_VALUE_SIZE],
                           const struct slo_result *r);

#endif
