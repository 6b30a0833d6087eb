/*
 * search.c - the course of a search.  It is written as if each step were
 * measured when it is asked for: the answers are read from the steps that are
 * already there, and the first one that is missing is the choice.
 */
#include "tools/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The bracket. */
#define FIRST_SHARE 0.5
#define UP 1.3
#define DOWN 0.7
/* Lower rates than this share of the ceiling are given up, and so are higher
 * ones than this multiple. */
#define SHARE_MIN 0.01
#define SHARE_MAX 3.0
/* Of chance, in standard deviations. */
#define SIGMAS 3

struct course {
  const struct search_rules *rules;
  const struct search_step *steps;
  size_t n, at;
  size_t since_reference;  /* steps */
  double first, low, high; /* throughput of references */
  double fewest;           /* events of a reference */
  bool cold;               /* the first reference was slower than all others */
  unsigned references;
  double bottom, top;  /* of the values that may be tried */
  double holds, fails; /* the bracket; 0: unknown */
  struct search *s;
};

static bool is_rate(const struct course *c)
{
  return c->rules->what == SEARCH_RATE;
}

/* Five digits, so that the number is the same in a text. */
static double tidy(const struct course *c, double value)
{
  char text[32];

  if (!is_rate(c))
    return round(value);
  (void)snprintf(text, sizeof(text), "%.5g", value);
  return strtod(text, NULL);
}

static bool end(struct course *c, enum search_end why)
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

/* False: the search ends, or this step is the next one to be measured. */
static bool read_step(struct course *c, enum search_phase phase, double value,
                      const struct search_step **ret)
{
  const struct search_step *step = &c->steps[c->at];

  if (c->at == c->n) {
    c->s->phase = phase;
    c->s->value = value;
    return end(c, c->n < SEARCH_STEPS_MAX ? SEARCH_GOES_ON : SEARCH_TOO_LONG);
  }
  if (step->phase != phase || step->value != value)
    return end(c, SEARCH_ALIEN);
  c->at++;
  if (end_of(step->verdict) != SEARCH_GOES_ON)
    return end(c, end_of(step->verdict));
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

static void note_reference(struct course *c, const struct search_step *step)
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

static bool refer(struct course *c)
{
  const struct search_step *step;

  if (!read_step(c, SEARCH_REFERENCE, is_rate(c) ? 0 : 1, &step))
    return false;
  c->since_reference = 0;
  if (step->throughput <= 0)
    return end(c, SEARCH_EMPTY_END);
  note_reference(c, step);
  return has_drifted(c, step->throughput) ? end(c, SEARCH_UNSTEADY) : true;
}

static double lower_of(double a, double b)
{
  return a == 0 || b < a ? b : a;
}

static bool measure(struct course *c, enum search_phase phase, double value,
                    bool *ret_held)
{
  const struct search_step *step;

  if (c->since_reference == SEARCH_REFERENCE_EVERY && !refer(c))
    return false;
  if (!read_step(c, phase, value, &step))
    return false;
  c->since_reference++;
  c->s->lowest = lower_of(c->s->lowest, value);
  *ret_held = step->verdict == SEARCH_HELD;
  if (*ret_held)
    c->holds = fmax(c->holds, value);
  else
    c->fails = lower_of(c->fails, value);
  return true;
}

/* Was the lowest value, which did not hold, at least decided? */
static bool give_up(struct course *c)
{
  enum search_verdict verdict = SEARCH_OPEN;

  for (size_t i = 0; i < c->n; i++) {
    if (c->steps[i].value == c->s->lowest &&
        c->steps[i].verdict == SEARCH_FAILED)
      verdict = SEARCH_FAILED;
  }
  return end(c, verdict == SEARCH_FAILED ? SEARCH_NOWHERE : SEARCH_UNDECIDED);
}

static bool find_ceiling(struct course *c)
{
  const struct search_step *step;

  if (!is_rate(c)) {
    c->bottom = 1;
    c->top = SEARCH_NUMBER_MAX;
    return true;
  }
  if (!read_step(c, SEARCH_CEILING, 0, &step))
    return false;
  if (step->throughput <= 0)
    return end(c, SEARCH_EMPTY_END);
  note_reference(c, step);
  c->bottom = step->throughput * SHARE_MIN;
  c->top = step->throughput * SHARE_MAX;
  return true;
}

/* It was not decided, and a lower value has fewer events still. */
static bool is_too_short(const struct course *c, const struct search_step *step)
{
  return step->verdict == SEARCH_OPEN && step->events < c->rules->events_min;
}

/* Until there is a value that holds and one that does not. */
static bool find_bracket(struct course *c)
{
  double value = tidy(c, is_rate(c) ? c->first * FIRST_SHARE : 1);
  bool held;

  for (;;) {
    const struct search_step *step;

    if (!measure(c, SEARCH_BRACKET, value, &held))
      return false;
    step = &c->steps[c->at - 1];
    if (!is_rate(c) && c->references == 0) {
      if (step->throughput <= 0)
        return end(c, SEARCH_EMPTY_END);
      note_reference(c, step);
    }
    if (c->holds <= 0 && is_too_short(c, step))
      return end(c, SEARCH_UNDECIDED);
    if (c->holds > 0 && c->fails > 0)
      return true;
    value = tidy(c, value * (!held ? DOWN : is_rate(c) ? UP : 2));
    if (!held && (value < c->bottom || !is_rate(c)))
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
         (!is_rate(c) && c->fails <= c->holds + 1);
}

static bool bisect(struct course *c)
{
  bool held;

  while (!is_narrow(c)) {
    const double value = tidy(c, sqrt(c->holds * c->fails));

    /* Numbers are too coarse for a middle: 2 and 3, or five equal digits. */
    if (value <= c->holds || value >= c->fails)
      break;
    if (!measure(c, SEARCH_BISECT, value, &held))
      return false;
  }
  return true;
}

/* One step down; 0: there is none. */
static double below(const struct course *c, double value)
{
  double lower = tidy(c, value / step_of(c));

  if (!is_rate(c))
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
    if (!measure(c, SEARCH_CONFIRM, lower_now ? lower : value, ret_held))
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

static void describe(const struct course *c, double low)
{
  struct search *s = c->s;

  s->low = low;
  s->high = s->undecided = s->refused = s->refused_first = 0;
  s->confirmed = 0;
  for (size_t i = 0; i < c->n; i++) {
    const struct search_step *step = &c->steps[i];

    if (step->phase == SEARCH_CEILING || step->phase == SEARCH_REFERENCE)
      continue;
    if (step->value == low && step->verdict == SEARCH_HELD)
      s->confirmed += step->phase == SEARCH_CONFIRM;
    if (step->value > low && step->verdict == SEARCH_FAILED)
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

void search_next(const struct search_rules *rules,
                 const struct search_step *steps, size_t n, struct search *ret)
{
  struct course c = { .rules = rules, .steps = steps, .n = n, .s = ret };
  double found = 0;

  *ret = (struct search){ .end = SEARCH_GOES_ON };
  if (find_ceiling(&c) && find_bracket(&c) && bisect(&c) &&
      confirm(&c, &found) && (c.since_reference == 0 || refer(&c)))
    ret->end = c.at == n ? SEARCH_FOUND : SEARCH_ALIEN;
  describe(&c, found > 0 ? found : c.holds);
}

const char *search_what_name(enum search_what what)
{
  static const char *const names[] = { "off", "rate", "clients", "threads" };

  return names[what];
}

const char *search_phase_name(enum search_phase phase)
{
  static const char *const names[] = { "ceiling", "bracket", "bisect",
                                       "confirm", "reference" };

  return names[phase];
}

const char *search_verdict_name(enum search_verdict verdict)
{
  static const char *const names[] = { "held",     "failed", "open",
                                       "client",   "frozen", "refused",
                                       "no_result" };

  return names[verdict];
}

const char *search_end_name(enum search_end end)
{
  static const char *const names[] = {
    "goes_on",        "found",        "no_value_holds", "undecided",
    "not_stationary", "client_limit", "frozen",         "no_events",
    "step_failed",    "alien",        "too_long",
  };

  return names[end];
}
