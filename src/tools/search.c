/*
 * search.c - the phases of a search.  They are written as if each step were
 * measured when it is asked for; see search_course.h.
 */
#include "tools/search.h"

#include <math.h>

#include "tools/search_course.h"

/* The bracket. */
#define FIRST_SHARE 0.5
#define UP 1.3
#define DOWN 0.7
/* Lower rates than this share of the ceiling are given up, and so are higher
 * ones than this multiple. */
#define SHARE_MIN 0.01
#define SHARE_MAX 3.0
/* Was the lowest value, which did not hold, at least decided? */
static bool give_up(struct course *c)
{
  enum search_verdict verdict = SEARCH_OPEN;

  for (size_t i = 0; i < c->n; i++) {
    if (c->steps[i].value == c->s->lowest &&
        c->steps[i].verdict == SEARCH_FAILED)
      verdict = SEARCH_FAILED;
  }
  return course_end(c, verdict == SEARCH_FAILED ? SEARCH_NOWHERE
                                                : SEARCH_UNDECIDED);
}

static bool find_ceiling(struct course *c)
{
  const struct search_step *step;

  if (!course_is_rate(c)) {
    c->bottom = 1;
    c->top = SEARCH_NUMBER_MAX;
    return true;
  }
  if (!course_step(c, SEARCH_CEILING, 0, &step))
    return false;
  if (step->throughput <= 0)
    return course_end(c, SEARCH_EMPTY_END);
  course_note_reference(c, step);
  c->bottom = step->throughput * SHARE_MIN;
  c->top = step->throughput * SHARE_MAX;
  return true;
}

/* Until there is a value that holds and one that does not. */
static bool find_bracket(struct course *c)
{
  double value = course_tidy(c, course_is_rate(c) ? c->first * FIRST_SHARE : 1);
  bool held;

  for (;;) {
    const struct search_step *step;

    if (!course_measure(c, SEARCH_BRACKET, value, &held))
      return false;
    step = &c->steps[c->at - 1];
    if (!course_is_rate(c) && c->references == 0) {
      if (step->throughput <= 0)
        return course_end(c, SEARCH_EMPTY_END);
      course_note_reference(c, step);
    }
    if (c->holds <= 0 && course_is_too_short(c, step))
      return course_end(c, SEARCH_UNDECIDED);
    if (c->holds > 0 && c->fails > 0)
      return true;
    value = course_tidy(c, value * (!held ? DOWN : course_is_rate(c) ? UP : 2));
    if (!held && (value < c->bottom || !course_is_rate(c)))
      return give_up(c);
    if (held && value > c->top)
      return true; /* it holds everywhere */
  }
}

/* The bracket takes half of the precision, and one step down the rest. */
static double step_of(const struct course *c)
{
  return 1 + c->rules->precision / 2;
}

static bool is_narrow(const struct course *c)
{
  return c->fails == 0 || c->fails <= c->holds * step_of(c) ||
         (!course_is_rate(c) && c->fails <= c->holds + 1);
}

static bool bisect(struct course *c)
{
  bool held;

  while (!is_narrow(c)) {
    const double value = course_tidy(c, sqrt(c->holds * c->fails));

    /* Numbers are too coarse for a middle: 2 and 3, or five equal digits. */
    if (value <= c->holds || value >= c->fails)
      break;
    if (!course_measure(c, SEARCH_BISECT, value, &held))
      return false;
  }
  return true;
}

/* One step down; 0: there is none. */
static double below(const struct course *c, double value)
{
  double lower = course_tidy(c, value / step_of(c));

  if (!course_is_rate(c))
    lower = fmin(lower, value - 1);
  return lower >= c->bottom ? lower : 0;
}

/* In turns, in both orders; false in *ret_held: one of them has not held. */
static bool confirm_value(struct course *c, double value, bool *ret_held)
{
  const double lower = below(c, value);

  *ret_held = true;
  for (unsigned i = 0; i < 2 * c->rules->confirm && *ret_held; i++) {
    const bool lower_now = (i % 4 == 0 || i % 4 == 3);

    if (lower_now && lower == 0)
      continue;
    if (!course_measure(c, SEARCH_CONFIRM, lower_now ? lower : value, ret_held))
      return false;
  }
  return true;
}

static bool confirm(struct course *c, double *ret)
{
  double value = c->holds;
  bool held;

  for (;;) {
    if (!confirm_value(c, value, &held))
      return false;
    if (held)
      break;
    /* The lower one may be the one that did not hold. */
    value = below(c, fmin(value, c->fails));
    if (value == 0)
      return give_up(c);
  }
  *ret = value;
  return true;
}

/* May the upper end of the bracket be an accident? */
static bool is_doubtful(const struct course *c)
{
  return c->fails > 0 && course_against(c, c->fails) < SEARCH_AGAINST;
}

/* The value above the answer held after all: go up until one does not. */
static bool climb(struct course *c)
{
  double step = step_of(c);
  bool held = true;

  while (held && c->fails == 0) {
    const double value = course_tidy(c, fmax(c->holds * step, c->holds + 1e-9));

    if (value > c->top)
      break;
    if (!course_measure(c, SEARCH_BRACKET,
                        course_is_rate(c) ? value : fmax(value, c->holds + 1),
                        &held))
      return false;
    step *= step;
  }
  return bisect(c);
}

/* Confirm the answer, and make sure of the value that fails above it. */
static bool settle(struct course *c, double *ret)
{
  bool held;

  do {
    held = false;
    if (!confirm(c, ret))
      return false;
    while (!held && is_doubtful(c)) {
      if (!course_measure(c, SEARCH_BISECT, c->fails, &held))
        return false;
    }
    if (held && !climb(c))
      return false;
  } while (held);
  return true;
}

void search_next(const struct search_rules *rules,
                 const struct search_step *steps, size_t n, struct search *ret)
{
  struct course c = { .rules = rules, .steps = steps, .n = n, .s = ret };
  double found = 0;

  *ret = (struct search){ .end = SEARCH_GOES_ON };
  if (find_ceiling(&c) && find_bracket(&c) && bisect(&c) &&
      settle(&c, &found) && (c.since_reference == 0 || course_refer(&c)))
    ret->end = c.at == n ? SEARCH_FOUND : SEARCH_ALIEN;
  course_describe(&c, found > 0 ? found : c.holds);
}
