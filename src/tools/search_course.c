/*
 * search_course.c - the steps of a search, read one after the other.
 */
#include "tools/search_course.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of chance, in standard deviations. */
#define SIGMAS 3

bool course_is_rate(const struct course *c)
{
  return c->rules->what == SEARCH_RATE;
}

double course_tidy(const struct course *c, double value)
{
  char text[32];

  if (!course_is_rate(c))
    return round(value);
  (void)snprintf(text, sizeof(text), "%.5g", value);
  return strtod(text, NULL);
}

bool course_end(struct course *c, enum search_end why)
{
  c->s->end = why;
  return false;
}

static enum search_end end_of(enum search_verdict verdict)
{
  switch (verdict) {
  case SEARCH_CLIENT:
    return SEARCH_CLIENT_END;
  case SEARCH_FROZEN:
    return SEARCH_FROZEN_END;
  case SEARCH_NO_RESULT:
    return SEARCH_STEP_END;
  default:
    return SEARCH_GOES_ON;
  }
}

bool course_step(struct course *c, enum search_phase phase, double value,
                 const struct search_step **ret)
{
  const struct search_step *step = &c->steps[c->at];

  if (c->at == c->n) {
    c->s->phase = phase;
    c->s->value = value;
    return course_end(c, c->n < SEARCH_STEPS_MAX ? SEARCH_GOES_ON
                                                 : SEARCH_TOO_LONG);
  }
  if (step->phase != phase || step->value != value)
    return course_end(c, SEARCH_ALIEN);
  c->at++;
  /* A client that was disturbed has measured nothing. */
  if (step->verdict == SEARCH_CLIENT && value > 0 &&
      c->disturbed++ < c->rules->again)
    return course_step(c, phase, value, ret);
  c->disturbed = 0;
  if (end_of(step->verdict) != SEARCH_GOES_ON)
    return course_end(c, end_of(step->verdict));
  *ret = step;
  return true;
}

/* By how much two counts of so many events may differ by chance. */
static double chance(double events)
{
  return events > 0 ? SIGMAS * sqrt(2 / events) : 0;
}

static double drift_max(const struct course *c)
{
  return c->rules->drift_max > 0 ? c->rules->drift_max : SEARCH_DRIFT_MAX;
}

/* A machine that was cold at first has not changed since. */
static bool has_drifted(struct course *c, double throughput)
{
  const double before = c->cold ? c->low : c->first;

  c->s->drift = throughput / before - 1;
  return fabs(c->s->drift) > fmax(drift_max(c), chance(c->fewest)) &&
         (!c->cold || c->references > 2);
}

void course_note_reference(struct course *c, const struct search_step *step)
{
  const double throughput = step->throughput;

  if (c->references == 0 || step->events < c->fewest)
    c->fewest = step->events;
  if (c->references++ == 0) {
    c->first = throughput;
    return;
  }
  if (c->references == 2)
    c->low = throughput;
  c->cold = (c->references == 2 || c->cold) && throughput > c->first;
}

bool course_refer(struct course *c)
{
  const struct search_step *step;

  if (!course_step(c, SEARCH_REFERENCE, course_is_rate(c) ? 0 : 1, &step))
    return false;
  c->since_reference = 0;
  if (step->throughput <= 0)
    return course_end(c, SEARCH_EMPTY_END);
  course_note_reference(c, step);
  return has_drifted(c, step->throughput) ? course_end(c, SEARCH_UNSTEADY)
                                          : true;
}

bool course_is_too_short(const struct course *c, const struct search_step *step)
{
  return step->verdict == SEARCH_OPEN && step->events < c->rules->events_min;
}

static double lower_of(double a, double b)
{
  return a == 0 || b < a ? b : a;
}

/* May steps decide it that measure it again, after so many of them?  With too
 * few events, another one of the same length is open as well. */
static bool is_worth_another(const struct course *c,
                             const struct search_step *step, unsigned again)
{
  return step->verdict == SEARCH_OPEN && !course_is_too_short(c, step) &&
         again < c->rules->again && step->missing <= c->rules->again - again;
}

/* Read a step and those that repeat it while nothing is decided. */
static bool course_decide(struct course *c, enum search_phase phase,
                          double value, const struct search_step **ret)
{
  for (unsigned again = 0;; again++) {
    if (c->since_reference == SEARCH_REFERENCE_EVERY && !course_refer(c))
      return false;
    if (!course_step(c, phase, value, ret))
      return false;
    c->since_reference++;
    if (!is_worth_another(c, *ret, again))
      return true;
  }
}

/* So often the value has held. */
static unsigned course_held(const struct course *c, double value)
{
  unsigned n = 0;

  for (size_t i = 0; i < c->n_results; i++)
    n += c->result[i].value == value && c->result[i].against == 0;
  return n;
}

unsigned course_against(const struct course *c, double value)
{
  unsigned n = 0;

  for (size_t i = 0; i < c->n_results; i++)
    n += c->result[i].value == value ? c->result[i].against : 0;
  return n;
}

bool course_holds(const struct course *c, double value)
{
  const unsigned held = course_held(c, value);

  return held > 0 && held >= 2 * course_against(c, value);
}

/* A failure may be an accident; a value that was not decided, in spite of all
 * repeats, is near the limit; one that could not start will not start. */
static unsigned against(enum search_verdict verdict)
{
  switch (verdict) {
  case SEARCH_HELD:
    return 0;
  case SEARCH_FAILED:
    return 1;
  case SEARCH_REFUSED:
    return SEARCH_AGAINST;
  default:
    return 2;
  }
}

/* The bracket: the lowest value that does not hold, and the highest one below
 * it that does. */
static void course_bracket(struct course *c)
{
  c->holds = c->fails = 0;
  for (size_t i = 0; i < c->n_results; i++) {
    const double value = c->result[i].value;

    if (!course_holds(c, value))
      c->fails = lower_of(c->fails, value);
  }
  for (size_t i = 0; i < c->n_results; i++) {
    const double value = c->result[i].value;

    if (course_holds(c, value) && (c->fails == 0 || value < c->fails))
      c->holds = fmax(c->holds, value);
  }
}

/* Has a value not held, and it or a higher one has, or the reverse? */
static bool course_contradicts(const struct course *c, double value, bool held)
{
  for (size_t i = 0; i + 1 < c->n_results; i++) {
    const struct course_result *r = &c->result[i];

    if ((r->against == 0) != held &&
        (held ? r->value == value : r->value >= value))
      return true;
  }
  return false;
}

bool course_measure(struct course *c, enum search_phase phase, double value,
                    bool *ret_held)
{
  const struct search_step *step;

  for (unsigned n = 0; n < SEARCH_VOTES_MAX; n++) {
    bool held;

    if (!course_decide(c, phase, value, &step))
      return false;
    held = step->verdict == SEARCH_HELD;
    c->result[c->n_results++] = (struct course_result){
      value, against(step->verdict)
    };
    if (course_against(c, value) >= SEARCH_AGAINST || course_holds(c, value) ||
        !course_contradicts(c, value, held))
      break;
  }
  c->s->lowest = lower_of(c->s->lowest, value);
  course_bracket(c);
  *ret_held = course_holds(c, value);
  return true;
}
