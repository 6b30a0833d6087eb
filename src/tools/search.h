/*
 * search.h - which value to measure next, to find the highest one for which an
 * objective holds.
 *
 * A pure function of what was measured so far: the same steps always lead to
 * the same choice, so a search can be replayed from its document.
 *
 * Phases:
 *   ceiling    a closed loop, the upper bound of the rate (only for rates)
 *   bracket    from half of it, 1.3 times as much while the objective holds,
 *              0.7 times while it does not; numbers begin at 1 and are doubled
 *   bisect     the middle on the scale of logarithms, to the precision
 *   confirm    the answer and a neighbour below it, several times in turns,
 *              in both orders; if one of them fails, one step down; then the
 *              value that has failed again, unless it has failed twice, and up
 *              again if it holds
 *   reference  the first step again, every few steps and at the end: if its
 *              throughput has changed, so has what is measured
 *
 * A step that contradicts others is measured again, and the majority counts:
 * a disturbed machine makes a value fail that holds.  A step whose client was
 * disturbed is no step.
 *
 * A step that was not decided says nothing about its value: a pause or two of
 * the machine may be all that it has seen.  So it is measured again, some
 * times, before its value counts as one that does not hold; unless it is so
 * close to the limit that this would not decide it either.
 */
#ifndef BENCH_TOOLS_SEARCH_H
#define BENCH_TOOLS_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

/* References may differ by this share; beyond the first one, it is said, and
 * beyond the second one, there is no answer.  With few events, chance alone
 * makes larger differences, which mean nothing. */
#define SEARCH_DRIFT_SAID 0.05
#define SEARCH_DRIFT_MAX 0.1

enum {
  SEARCH_REFERENCE_EVERY = 5, /* steps */
  SEARCH_AGAIN = 4,           /* the usual rules.again */
  SEARCH_STEPS_MAX = 100,
  SEARCH_VOTES_MAX = 6, /* times a value is measured that contradicts others */
  SEARCH_AGAINST = 3,   /* so many failures are no accident */
  /* Of threads or clients: a process has room for so many. */
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

/* What a step has shown. */
enum search_verdict {
  SEARCH_HELD,
  SEARCH_FAILED,
  SEARCH_OPEN,      /* not decided within its time */
  SEARCH_CLIENT,    /* the client did not offer the load */
  SEARCH_FROZEN,    /* events did not end */
  SEARCH_REFUSED,   /* so many clients could not start: not connected, say */
  SEARCH_NO_RESULT, /* the step itself failed */
};

struct search_step {
  enum search_phase phase;
  double value; /* 0: a closed loop */
  enum search_verdict verdict;
  double throughput; /* events per second */
  double events;     /* so many */
  /* SEARCH_OPEN: it takes so many more runs like it, at least. */
  double missing;
};

struct search_rules {
  enum search_what what;
  double precision; /* 0.03: 3 % */
  unsigned confirm; /* so many times */
  unsigned again;   /* so often is a step measured again that was not decided */
  double drift_max; /* of references; 0: SEARCH_DRIFT_MAX */
  /* No step with fewer events can hold.  0: unknown */
  double events_min;
};

enum search_end {
  SEARCH_GOES_ON,
  SEARCH_FOUND,
  SEARCH_NOWHERE,    /* the objective holds for no value */
  SEARCH_UNDECIDED,  /* a step has too few events, and lower values fewer */
  SEARCH_UNSTEADY,   /* what is measured changes */
  SEARCH_CLIENT_END, /* the client is the limit */
  SEARCH_FROZEN_END,
  SEARCH_EMPTY_END, /* no event has ended although there was no rate */
  SEARCH_STEP_END,  /* a step had no result */
  SEARCH_ALIEN,     /* the steps are not those of such a search */
  SEARCH_TOO_LONG,  /* more than SEARCH_STEPS_MAX */
};

struct search {
  enum search_end end;

  /* SEARCH_GOES_ON: what to measure next. */
  enum search_phase phase;
  double value;

  /* Known at any end; 0: there is none. */
  double low;       /* the highest value that has held, confirmed if found */
  double high;      /* the lowest one that failed, above `low` */
  double undecided; /* the lowest one between them that was not decided */
  double refused;   /* the lowest one between them that could not start */
  double refused_first; /* of all that could not start, the first one tried */
  double lowest;        /* of all that were measured */
  unsigned confirmed;   /* how often `low` has held */

  /* The last reference against the first one: -0.2 if it is 20 % lower. */
  double drift;
  /* [0: none] A value that held after a lower load and failed after a higher
   * one. */
  double hysteresis;
};

void search_next(const struct search_rules *rules,
                 const struct search_step *steps, size_t n, struct search *ret);

/* "rate", "bisect", "held", "found" and the like. */
const char *search_what_name(enum search_what what);
const char *search_phase_name(enum search_phase phase);
const char *search_verdict_name(enum search_verdict verdict);
const char *search_end_name(enum search_end end);

#endif
