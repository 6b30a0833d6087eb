/*
 * slo.h - an objective, such as "p99<=10ms,errors<=0.1%", and the verdict on a
 * run: pure functions that do not allocate.
 *
 * An objective holds if each of its terms does.  A term is a const row of
 * slo_kinds[] and its limit.
 *
 * Events that have not ended have no latency, and are later than any limit:
 * - those that workers were inside of when the run was ended by force;
 * - with --rate, arrivals that were due and never began, and failed attempts,
 *   which are repeated or given up.
 * Percentiles count all of them as late.  The average and the largest latency
 * are those of the events that have ended, and their terms fail if an event was
 * unfinished at a forced end.
 */
#ifndef BENCH_STATS_SLO_H
#define BENCH_STATS_SLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct hist_sum;

/* How sure `sure` is. */
#define SLO_CONFIDENCE 0.99

enum {
  SLO_EXIT_STATUS = 4, /* of a program: all is well, but the objective */
  SLO_TERMS_MAX = 16,
  SLO_TEXT_SIZE = 48,  /* room for a term, with its terminator */
  SLO_VALUE_SIZE = 48, /* room for what slo_value_text() writes */
};

enum slo_measure {
  SLO_PERCENTILE, /* "pNN": a limit of time for all but a share of the events */
  SLO_MEAN,       /* "avg" */
  SLO_LARGEST,    /* "max" */
  SLO_ERRORS,     /* "errors": failed attempts, as a share of all attempts */
  SLO_EVENTS,     /* "tps": events per second */
  SLO_QUERIES,    /* "qps": queries per second */
};

/* What limits and values are measured in. */
enum slo_unit {
  SLO_NS,
  SLO_SHARE, /* 0.001 is 0.1 % */
  SLO_PER_S,
};

/* One kind of term. */
struct slo_kind {
  const char *name; /* as it is typed; for percentiles the letter before NN */
  enum slo_measure measure;
  enum slo_unit unit;
  bool at_least; /* ">=", not "<=" */
};

extern const struct slo_kind slo_kinds[];
extern const size_t slo_n_kinds;

struct slo_term {
  const struct slo_kind *kind;
  double pct;   /* SLO_PERCENTILE: above 0, below 100; otherwise 0 */
  double limit; /* in the unit of the kind */
  double scale; /* the unit that was typed: 1e6 for ms, 0.01 for % */
  char text[SLO_TEXT_SIZE]; /* as it was typed, without blanks */
};

/* An objective; const after slo_parse().  Plain data, which may be copied. */
struct slo {
  unsigned n; /* 0: there is no objective */
  struct slo_term term[SLO_TERMS_MAX];
};

/* Which values --slo takes, for messages. */
#define SLO_EXPECTED                                                       \
  "terms such as p99<=10ms, avg<=2ms, max<=1s, errors<=0.1%, tps>=100 or " \
  "qps>=100, with commas between them"

/*
 * Read an objective.  "" has no terms.  Returns -EINVAL, with what is wrong in
 * `err`: a sentence's end without the name of the option, such as "'p99<=10'
 * has no unit of time (expected ns, us, ms, s, m or h)".
 */
int slo_parse(const char *text, struct slo *ret, struct err *err);

/* Does a term need the histogram of latencies? */
bool slo_needs_histogram(const struct slo *slo);

/* What a verdict is based on: a run, or any other period. */
struct slo_sample {
  uint64_t period_ns;
  uint64_t events;  /* that have ended */
  uint64_t errors;  /* attempts that failed; no events */
  uint64_t queries; /* of a database */
  uint64_t late;    /* neither ended nor to be waited for: see above */
  uint64_t stuck;   /* the part of `late` that was inside of an event */
  uint64_t sum_ns, min_ns, max_ns; /* latencies of `events`; 0 without any */
  const struct hist_sum *hist;     /* of `events`; [opt] borrowed */
};

/*
 * Attempts that break the limit of a term, and all attempts.  For
 * SLO_PERCENTILE these are events beyond the limit and sample->late, for
 * SLO_ERRORS errors.  *ret_share is the share that the term allows.  False: the
 * term does not count attempts.
 */
bool slo_count(const struct slo_term *term, const struct slo_sample *sample,
               uint64_t *ret_bad, uint64_t *ret_all, double *ret_share);

/* One term of a verdict. */
struct slo_result {
  const struct slo_term *term; /* borrowed from the objective */
  double value; /* in the unit of the kind; INFINITY: not even ended; NAN: there
                   is none */
  bool holds;   /* the value is within the limit */
  /* There are enough events to say it: at least one may be beyond a percentile
   * or be an error, or so many are that it is certain. */
  bool enough;
  /* Chance alone, with independent events, leaves no doubt at SLO_CONFIDENCE.
   * Always for terms that do not count attempts. */
  bool sure;
  uint64_t bad, all; /* slo_count(); 0 for other terms */
  uint64_t needed;   /* attempts for `enough` */
};

enum slo_state {
  SLO_HELD,    /* each term holds */
  SLO_FAILED,  /* one does not */
  SLO_UNKNOWN, /* none is known to fail, but one has too few events */
};

struct slo_verdict {
  enum slo_state state; /* SLO_HELD for an objective without terms */
  unsigned n;
  struct slo_result of[SLO_TERMS_MAX]; /* in the order of the terms */
};

void slo_judge(const struct slo *slo, const struct slo_sample *sample,
               struct slo_verdict *ret);

/* The state of one term. */
enum slo_state slo_result_state(const struct slo_result *r);

/* "held", "failed", "unknown". */
const char *slo_state_name(enum slo_state state);

/*
 * A value of a term in the unit that its limit was typed in, with as many
 * digits as it takes to see on which side of the limit it is: "9.871 ms",
 * "10.004 ms", "0.05 %", "unfinished", "none".  Returns `buf`.
 */
const char *slo_value_text(char buf[SLO_VALUE_SIZE],
                           const struct slo_result *r);

#endif
