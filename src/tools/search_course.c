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

/* A machine that was cold at first has not changed since. */
static bool has_drifted(struct course *c, double throughput)
{
  const double before = c->cold ? c->low : c->first;

  c->s->drift = throughput / before - 1;
  return fabs(c->s->drift) > fmax(SEARCH_DRIFT_MAX, chance(c->fewest)) &&
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

bool course_measure(struct course *c, enum search_phase phase, double value,
                    bool *ret_held)
{
  const struct search_step *step;

  for (unsigned again = 0;; again++) {
    if (c->since_reference == SEARCH_REFERENCE_EVERY && !course_refer(c))
      return false;
    if (!course_step(c, phase, value, &step))
      return false;
    c->since_reference++;
    if (!is_worth_another(c, step, again))
      break;
  }
  c->s->lowest = lower_of(c->s->lowest, value);
  *ret_held = step->verdict == SEARCH_HELD;
  if (*ret_held)
    c->holds = fmax(c->holds, value);
  else
    c->fails = lower_of(c->fails, value);
  return true;
}
