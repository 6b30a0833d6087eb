/*
 * search_course.h - the steps of a search, read one after the other as if each
 * were measured when it is asked for.  Only for search.c.
 *
 * The first step that is not there yet is the choice, which ends the reading,
 * and so does each end of the search.  A function that returns false has set
 * c->s, and its caller returns false, too.
 */
#ifndef BENCH_TOOLS_SEARCH_COURSE_H
#define BENCH_TOOLS_SEARCH_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/search.h"

/* What a value has shown, with the steps that repeat one that was not decided
 * as one. */
struct course_result {
  double value;
  unsigned against; /* 0: it has held; more is more certain */
};

struct course {
  const struct search_rules *rules;
  const struct search_step *steps;
  size_t n, at;
  size_t since_reference;  /* steps */
  unsigned disturbed;      /* steps with a disturbed client, in a row */
  double first, low, high; /* throughput of references */
  double fewest;           /* events of a reference */
  bool cold;               /* the first reference was slower than all others */
  unsigned references;
  double bottom, top; /* of the values that may be tried */
  struct course_result result[SEARCH_STEPS_MAX];
  size_t n_results;
  double holds, fails; /* the bracket; 0: unknown */
  struct search *s;
};

/* Is it about a rate, and not about a number of threads or clients? */
bool course_is_rate(const struct course *c);

/* A value as it is written: five digits of a rate, so that the number is the
 * same in a text, or a whole number. */
double course_tidy(const struct course *c, double value);

/* End the search; returns false. */
bool course_end(struct course *c, enum search_end why);

/* Read the next step.  False: the search ends, or this step is the next one to
 * be measured. */
bool course_step(struct course *c, enum search_phase phase, double value,
                 const struct search_step **ret);

/* A step that has measured the same as a reference. */
void course_note_reference(struct course *c, const struct search_step *step);

/* Read a reference; false: the search ends, or what is measured has changed. */
bool course_refer(struct course *c);

/* It was not decided, and a lower value has fewer events still. */
bool course_is_too_short(const struct course *c,
                         const struct search_step *step);

/* What speaks against the value: 1 for each failure, 2 for a time that was not
 * decided. */
unsigned course_against(const struct course *c, double value);

/* Has it held, and twice as often as anything speaks against it? */
bool course_holds(const struct course *c, double value);

/* Read the next step, after a reference if one is due, and those that repeat it
 * while it is not decided, while its client was disturbed, or while it
 * contradicts others.  *ret_held: the objective held this time, or the others
 * outvote it; the bracket in `c` follows the majority. */
bool course_measure(struct course *c, enum search_phase phase, double value,
                    bool *ret_held);

/* What is known when the search has come so far, with `low` as its answer. */
void course_describe(const struct course *c, double low);

#endif
