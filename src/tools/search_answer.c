/*
 * search_answer.c - what the steps of a search say together.
 */
#include <math.h>

#include "tools/search_course.h"

static double lower_of(double a, double b)
{
  return a == 0 || b < a ? b : a;
}

/* The load before a step; a closed loop is more than any rate. */
static double load_before(const struct search_step *step)
{
  return step[-1].value > 0 ? step[-1].value : INFINITY;
}

/* Did a value hold after a lower load, and fail after a higher one? */
static double find_hysteresis(const struct search_step *steps, size_t n)
{
  for (size_t i = 1; i < n; i++) {
    if (steps[i].verdict != SEARCH_HELD || steps[i].value == 0)
      continue;
    for (size_t k = 1; k < n; k++) {
      if (steps[k].verdict == SEARCH_FAILED &&
          steps[k].value == steps[i].value &&
          load_before(&steps[k]) > load_before(&steps[i]))
        return steps[i].value;
    }
  }
  return 0;
}

/* Was the value left undecided at least once, in spite of all repeats? */
static bool was_open(const struct course *c, double value)
{
  for (size_t i = 0; i < c->n_results; i++) {
    if (c->result[i].value == value && c->result[i].against == 2)
      return true;
  }
  return false;
}

void course_describe(const struct course *c, double low)
{
  struct search *s = c->s;

  s->low = low;
  s->high = s->undecided = s->refused = s->refused_first = 0;
  s->confirmed = 0;
  for (size_t i = 0; i < c->n; i++) {
    const struct search_step *step = &c->steps[i];

    if (step->phase == SEARCH_CEILING || step->phase == SEARCH_REFERENCE)
      continue;
    if (course_holds(c, step->value) && step->value > low)
      continue; /* what it has failed once was overruled */
    if (step->value == low && step->verdict == SEARCH_HELD)
      s->confirmed += step->phase == SEARCH_CONFIRM;
    if (step->value > low && step->verdict == SEARCH_FAILED &&
        !was_open(c, step->value))
      s->high = lower_of(s->high, step->value);
    if (step->value > low && step->verdict == SEARCH_OPEN)
      s->undecided = lower_of(s->undecided, step->value);
    if (step->value > low && step->verdict == SEARCH_REFUSED) {
      s->refused = lower_of(s->refused, step->value);
      if (s->refused_first <= 0)
        s->refused_first = step->value;
    }
  }
  if (s->high > 0 && s->undecided > s->high)
    s->undecided = 0;
  if (s->high > 0 && s->refused > s->high)
    s->refused = 0;
  s->hysteresis = find_hysteresis(c->steps, c->n);
}
