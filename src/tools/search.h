/*
 * search.h - the next value of a search for the highest that holds an
 * objective: a pure function of the steps so far, so that a document can be
 * replayed.
 *
 * Phases:
 *   ceiling    a closed loop: upper bound of the rate (only rates)
 *   bracket    from half of the ceiling, times 1.3 while the objective holds,
 *              0.7 while not; numbers begin at 1 and double
 *   bisect     the geometric mean, to the precision
 *   confirm    the answer and a neighbour below, several times, in both
 *              orders; one step down if either fails; then again the value
 *              that failed, unless it failed twice, and up again if it holds
 *   reference  the first step again, every few steps and at the end, to
 *              detect drift
 *
 * A step that contradicts others is repeated, and the majority counts.  The
 * lowest value has to fail several times.  Steps with a disturbed client do not
 * count.  An undecided step is repeated unless repeats could not decide either;
 * then its value counts as not holding.
 */
#ifndef BENCH_TOOLS_SEARCH_H
#define BENCH_TOOLS_SEARCH_H

#include <stddef.h>

/* Drift of references: reported, and too large for an answer.  With few
 * events, chance makes larger differences. */
#define SEARCH_DRIFT_SAID 0.05
#define SEARCH_DRIFT_MAX 0.1

enum {
  SEARCH_REFERENCE_EVERY = 5, /* steps */
  SEARCH_AGAIN = 4,           /* default of rules.again */
  SEARCH_STEPS_MAX = 100,
  SEARCH_VOTES_MAX = 6, /* measurements of a contradictory value */
  SEARCH_AGAINST = 3,   /* failures that count */
  /* Threads or clients of a process. */
  SEARCH_NUMBER_MAX = 16384,
};

enum search_what {
  SEARCH_OFF,
  SEARCH_RATE,
  SEARCH_CLIENTS,
  SEARCH_THREADS,
};

enum search_phase {
  SEARCH_CEILING,
  SEARCH_BRACKET,
  SEARCH_BISECT,
  SEARCH_CONFIRM,
  SEARCH_REFERENCE,
};

enum search_verdict {
  SEARCH_HELD,
  SEARCH_FAILED,
  SEARCH_OPEN,      /* undecided in its time */
  SEARCH_CLIENT,    /* client did not offer the load */
  SEARCH_FROZEN,    /* events did not end */
  SEARCH_REFUSED,   /* clients could not start */
  SEARCH_NO_RESULT, /* the step itself failed */
};

struct search_step {
  enum search_phase phase;
  double value; /* 0: a closed loop */
  enum search_verdict verdict;
  double throughput; /* events per second */
  double events;
  /* SEARCH_OPEN: minimum of further runs. */
  double missing;
};

struct search_rules {
  enum search_what what;
  double precision; /* 0.03: 3 % */
  unsigned confirm;
  unsigned again;   /* of an undecided step */
  double drift_max; /* of references; 0: SEARCH_DRIFT_MAX */
  /* Of a step that holds; 0: unknown */
  double events_min;
};

enum search_end {
  SEARCH_GOES_ON,
  SEARCH_FOUND,
  SEARCH_NOWHERE,
  /* Too few events, and lower values have fewer; or the lowest has held. */
  SEARCH_UNDECIDED,
  SEARCH_UNSTEADY, /* drift */
  SEARCH_CLIENT_END,
  SEARCH_FROZEN_END,
  SEARCH_EMPTY_END, /* no event has ended without a rate */
  SEARCH_STEP_END,
  SEARCH_ALIEN, /* the steps do not follow the rules */
  SEARCH_TOO_LONG,
};

struct search {
  enum search_end end;

  /* SEARCH_GOES_ON: the next step. */
  enum search_phase phase;
  double value;

  /* Valid at any end; 0: none. */
  double low;           /* highest that held; confirmed if found */
  double high;          /* lowest above `low` that failed */
  double undecided;     /* lowest undecided between them */
  double refused;       /* lowest that could not start */
  double refused_first; /* first that could not start */
  double lowest;        /* of all values */
  unsigned confirmed;   /* of `low` */

  /* -0.2: the last reference is 20 % below the first. */
  double drift;
  /* 0: none, else held after a lower load and failed after a higher. */
  double hysteresis;
};

void search_next(const struct search_rules *rules,
                 const struct search_step *steps, size_t n, struct search *ret);

/* "rate", "bisect", "held", "found" and the like. */
const char *search_what_name(unsigned what);
const char *search_phase_name(unsigned phase);
const char *search_verdict_name(unsigned verdict);
const char *search_end_name(unsigned end);

#endif
