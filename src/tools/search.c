/*
 * search.c - the phases of a search, written as if each step were measured when
 * asked for.
 *
 * Steps are read in order; the first missing step is the next choice and ends
 * the reading.  A function that returns false has set c->s, and so does its
 * caller.
 */
#include "tools/search.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* The outcome of a value; repeats of an undecided step count as one. */
struct course_result {
  double value;
  unsigned against; /* 0: held; higher is more certain */
};

struct course {
  const struct search_rules *rules;
  const struct search_step *steps;
  size_t n, at;
  size_t since_reference;  /* steps */
  unsigned disturbed;      /* in a row */
  double first, low, high; /* throughput of references */
  double fewest;           /* events of a reference */
  bool cold;               /* the first reference was slower than all others */
  unsigned references;
  double bottom, top; /* of the values to try */
  struct course_result result[SEARCH_STEPS_MAX];
  size_t n_results;
  double holds, fails; /* 0: unknown */
  struct search *s;
};

const char *search_what_name(unsigned what)
{
  static const char *const names[] = { "off", "rate", "clients", "threads" };

  return names[what];
}

const char *search_phase_name(unsigned phase)
{
  static const char *const names[] = { "ceiling", "bracket", "bisect",
                                       "confirm", "reference" };

  return names[phase];
}

const char *search_verdict_name(unsigned verdict)
{
  static const char *const names[] = { "held",     "failed", "open",
                                       "client",   "frozen", "refused",
                                       "no_result" };

  return names[verdict];
}

const char *search_end_name(unsigned end)
{
  static const char *const names[] = {
    "goes_on",        "found",        "no_value_holds", "undecided",
    "not_stationary", "client_limit", "frozen",         "no_events",
    "step_failed",    "alien",        "too_long",
  };

  return names[end];
}

/* ---- reading steps ---- */

/* Standard deviations. */
#define SIGMAS 3

static bool course_is_rate(const struct course *c)
{
  return c->rules->what == SEARCH_RATE;
}

/* Five digits of a rate, which text keeps; or a whole number. */
static double course_tidy(const struct course *c, double value)
{
  char text[32];

  if (!course_is_rate(c))
    return round(value);
  (void)snprintf(text, sizeof(text), "%.5g", value);
  return strtod(text, NULL);
}

/* Returns false. */
static bool course_end(struct course *c, enum search_end why)
{
  c->s->end = why;
  return false;
}

static enum search_end search_course_end_of(enum search_verdict verdict)
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

/* False: the search ends, or this step is the next. */
static bool course_step(struct course *c, enum search_phase phase, double value,
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
  /* A disturbed client has measured nothing. */
  if (step->verdict == SEARCH_CLIENT && value > 0 &&
      c->disturbed++ < c->rules->again)
    return course_step(c, phase, value, ret);
  c->disturbed = 0;
  if (search_course_end_of(step->verdict) != SEARCH_GOES_ON)
    return course_end(c, search_course_end_of(step->verdict));
  *ret = step;
  return true;
}

/* Relative difference of two counts that chance explains. */
static double search_course_chance(double events)
{
  return events > 0 ? SIGMAS * sqrt(2 / events) : 0;
}

static double search_course_drift_max(const struct course *c)
{
  return c->rules->drift_max > 0 ? c->rules->drift_max : SEARCH_DRIFT_MAX;
}

/* A machine that was cold at first has not drifted since. */
static bool search_course_has_drifted(struct course *c, double throughput)
{
  const double before = c->cold ? c->low : c->first;

  c->s->drift = throughput / before - 1;
  return fabs(c->s->drift) >
           fmax(search_course_drift_max(c), search_course_chance(c->fewest)) &&
         (!c->cold || c->references > 2);
}

static void course_note_reference(struct course *c,
                                  const struct search_step *step)
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

/* False: the search ends, or the reference has drifted. */
static bool course_refer(struct course *c)
{
  const struct search_step *step;

  if (!course_step(c, SEARCH_REFERENCE, course_is_rate(c) ? 0 : 1, &step))
    return false;
  c->since_reference = 0;
  if (step->throughput <= 0)
    return course_end(c, SEARCH_EMPTY_END);
  course_note_reference(c, step);
  return search_course_has_drifted(c, step->throughput)
           ? course_end(c, SEARCH_UNSTEADY)
           : true;
}

/* Undecided, and lower values have fewer events still. */
static bool course_is_too_short(const struct course *c,
                                const struct search_step *step)
{
  return step->verdict == SEARCH_OPEN && step->events < c->rules->events_min;
}

static double search_course_lower_of(double a, double b)
{
  return a == 0 || b < a ? b : a;
}

/* With too few events, a repeat of the same length is open as well. */
static bool search_course_is_worth_another(const struct course *c,
                                           const struct search_step *step,
                                           unsigned again)
{
  return step->verdict == SEARCH_OPEN && !course_is_too_short(c, step) &&
         again < c->rules->again && step->missing <= c->rules->again - again;
}

static bool search_course_decide(struct course *c, enum search_phase phase,
                                 double value, const struct search_step **ret)
{
  for (unsigned again = 0;; again++) {
    if (c->since_reference == SEARCH_REFERENCE_EVERY && !course_refer(c))
      return false;
    if (!course_step(c, phase, value, ret))
      return false;
    c->since_reference++;
    if (!search_course_is_worth_another(c, *ret, again))
      return true;
  }
}

static unsigned search_course_held(const struct course *c, double value)
{
  unsigned n = 0;

  for (size_t i = 0; i < c->n_results; i++)
    n += c->result[i].value == value && c->result[i].against == 0;
  return n;
}

/* Weights of the failures and undecided steps of a value. */
static unsigned course_against(const struct course *c, double value)
{
  unsigned n = 0;

  for (size_t i = 0; i < c->n_results; i++)
    n += c->result[i].value == value ? c->result[i].against : 0;
  return n;
}

/* Has the value held twice as often as failures weigh against it? */
static bool course_holds(const struct course *c, double value)
{
  const unsigned held = search_course_held(c, value);

  return held > 0 && held >= 2 * course_against(c, value);
}

/* A failure can be an accident; a value that stays undecided is near the
 * limit; clients that could not start will not start. */
static unsigned search_course_against(enum search_verdict verdict)
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

/* The lowest value that does not hold, and the highest below it that does. */
static void search_course_bracket(struct course *c)
{
  c->holds = c->fails = 0;
  for (size_t i = 0; i < c->n_results; i++) {
    const double value = c->result[i].value;

    if (!course_holds(c, value))
      c->fails = search_course_lower_of(c->fails, value);
  }
  for (size_t i = 0; i < c->n_results; i++) {
    const double value = c->result[i].value;

    if (course_holds(c, value) && (c->fails == 0 || value < c->fails))
      c->holds = fmax(c->holds, value);
  }
}

/* Has the value failed where it or a higher value held, or the reverse? */
static bool search_course_contradicts(const struct course *c, double value,
                                      bool held)
{
  for (size_t i = 0; i + 1 < c->n_results; i++) {
    const struct course_result *r = &c->result[i];

    if ((r->against == 0) != held &&
        (held ? r->value == value : r->value >= value))
      return true;
  }
  return false;
}

/*
 * Reads the next step, after a reference if due, with its repeats while
 * undecided, disturbed or contradictory.  *ret_held: the majority, which the
 * bracket in `c` follows.
 */
static bool course_measure(struct course *c, enum search_phase phase,
                           double value, bool *ret_held)
{
  const struct search_step *step;

  for (unsigned n = 0; n < SEARCH_VOTES_MAX; n++) {
    bool held;

    if (!search_course_decide(c, phase, value, &step))
      return false;
    held = step->verdict == SEARCH_HELD;
    c->result[c->n_results++] = (struct course_result){
      value, search_course_against(step->verdict)
    };
    if (course_against(c, value) >= SEARCH_AGAINST || course_holds(c, value) ||
        !search_course_contradicts(c, value, held))
      break;
  }
  c->s->lowest = search_course_lower_of(c->s->lowest, value);
  search_course_bracket(c);
  *ret_held = course_holds(c, value);
  return true;
}

static double search_answer_lower_of(double a, double b)
{
  return a == 0 || b < a ? b : a;
}

/* A closed loop is more than any rate. */
static double search_answer_load_before(const struct search_step *step)
{
  return step[-1].value > 0 ? step[-1].value : INFINITY;
}

/* Did a value hold after a lower load and fail after a higher? */
static double search_answer_find_hysteresis(const struct search_step *steps,
                                            size_t n)
{
  for (size_t i = 1; i < n; i++) {
    if (steps[i].verdict != SEARCH_HELD || steps[i].value == 0)
      continue;
    for (size_t k = 1; k < n; k++) {
      if (steps[k].verdict == SEARCH_FAILED &&
          steps[k].value == steps[i].value &&
          search_answer_load_before(&steps[k]) >
            search_answer_load_before(&steps[i]))
        return steps[i].value;
    }
  }
  return 0;
}

static bool search_answer_was_open(const struct course *c, double value)
{
  for (size_t i = 0; i < c->n_results; i++) {
    if (c->result[i].value == value && c->result[i].against == 2)
      return true;
  }
  return false;
}

static void course_describe(const struct course *c, double low)
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
      continue; /* the majority has overruled a failure */
    if (step->value == low && step->verdict == SEARCH_HELD)
      s->confirmed += step->phase == SEARCH_CONFIRM;
    if (step->value > low && step->verdict == SEARCH_FAILED &&
        !search_answer_was_open(c, step->value))
      s->high = search_answer_lower_of(s->high, step->value);
    if (step->value > low && step->verdict == SEARCH_OPEN)
      s->undecided = search_answer_lower_of(s->undecided, step->value);
    if (step->value > low && step->verdict == SEARCH_REFUSED) {
      s->refused = search_answer_lower_of(s->refused, step->value);
      if (s->refused_first <= 0)
        s->refused_first = step->value;
    }
  }
  if (s->high > 0 && s->undecided > s->high)
    s->undecided = 0;
  if (s->high > 0 && s->refused > s->high)
    s->refused = 0;
  s->hysteresis = search_answer_find_hysteresis(c->steps, c->n);
}

/* ---- phases ---- */

#define FIRST_SHARE 0.5
#define UP 1.3
#define DOWN 0.7
/* Shares of the ceiling between which rates are tried. */
#define SHARE_MIN 0.01
#define SHARE_MAX 3.0
/* Can the failure at the upper end be an accident? */
static bool search_is_doubtful(const struct course *c)
{
  return c->fails > 0 && course_against(c, c->fails) < SEARCH_AGAINST;
}

/* Has the lowest value failed beyond doubt, or is it undecided? */
static bool search_give_up(struct course *c)
{
  const unsigned held = search_course_held(c, c->s->lowest);
  unsigned failed = 0;

  for (size_t i = 0; i < c->n_results; i++)
    failed += c->result[i].value == c->s->lowest && c->result[i].against == 1;
  return course_end(c, failed >= SEARCH_AGAINST && failed >= 2 * held
                         ? SEARCH_NOWHERE
                         : SEARCH_UNDECIDED);
}

static bool search_find_ceiling(struct course *c)
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

static bool search_find_bracket(struct course *c)
{
  double value = course_tidy(c, course_is_rate(c) ? c->first * FIRST_SHARE : 1);
  bool held;

  for (;;) {
    const struct search_step *step;
    double next;

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
    next = course_tidy(c, value * (!held ? DOWN : course_is_rate(c) ? UP : 2));
    if (!held && (next < c->bottom || !course_is_rate(c))) {
      if (step->verdict == SEARCH_FAILED && search_is_doubtful(c))
        continue;
      return search_give_up(c);
    }
    if (held && next > c->top)
      return true; /* holds everywhere */
    value = next;
  }
}

/* The bracket takes half of the precision, one step down the rest. */
static double search_step_of(const struct course *c)
{
  return 1 + c->rules->precision / 2;
}

static bool search_is_narrow(const struct course *c)
{
  return c->fails == 0 || c->fails <= c->holds * search_step_of(c) ||
         (!course_is_rate(c) && c->fails <= c->holds + 1);
}

static bool search_bisect(struct course *c)
{
  bool held;

  while (!search_is_narrow(c)) {
    const double value = course_tidy(c, sqrt(c->holds * c->fails));

    /* Too coarse for a middle: 2 and 3, or five equal digits. */
    if (value <= c->holds || value >= c->fails)
      break;
    if (!course_measure(c, SEARCH_BISECT, value, &held))
      return false;
  }
  return true;
}

/* 0: none. */
static double search_below(const struct course *c, double value)
{
  double lower = course_tidy(c, value / search_step_of(c));

  if (!course_is_rate(c))
    lower = fmin(lower, value - 1);
  return lower >= c->bottom ? lower : 0;
}

/* In both orders; *ret_held: both held. */
static bool search_confirm_value(struct course *c, double value, bool *ret_held)
{
  const double lower = search_below(c, value);

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

static bool search_confirm(struct course *c, double *ret)
{
  double value = c->holds;
  bool held;

  for (;;) {
    if (!search_confirm_value(c, value, &held))
      return false;
    if (held)
      break;
    /* The lower value can be the failed one. */
    value = search_below(c, fmin(value, c->fails));
    if (value == 0)
      return search_give_up(c);
  }
  *ret = value;
  return true;
}

/* The value above the answer held after all. */
static bool search_climb(struct course *c)
{
  double step = search_step_of(c);
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
  return search_bisect(c);
}

static bool search_settle(struct course *c, double *ret)
{
  bool held;

  do {
    held = false;
    if (!search_confirm(c, ret))
      return false;
    while (!held && search_is_doubtful(c)) {
      if (!course_measure(c, SEARCH_BISECT, c->fails, &held))
        return false;
    }
    if (held && !search_climb(c))
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
  if (search_find_ceiling(&c) && search_find_bracket(&c) && search_bisect(&c) &&
      search_settle(&c, &found) && (c.since_reference == 0 || course_refer(&c)))
    ret->end = c.at == n ? SEARCH_FOUND : SEARCH_ALIEN;
  course_describe(&c, found > 0 ? found : c.holds);
}
