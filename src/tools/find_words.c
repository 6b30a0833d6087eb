/*
 * find_words.c - the answer of a search in words, and its steps as a table.
 */
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "tools/find.h"

const char *find_noun(const struct find *f)
{
  switch (f->rules.what) {
  case SEARCH_THREADS:
    return "number of threads";
  case SEARCH_CLIENTS:
    return "number of clients";
  default:
    return "rate";
  }
}

void find_value(const struct find *f, double value, struct strbuf *out)
{
  if (f->rules.what == SEARCH_RATE)
    strbuf_addf(out, "%.10g/s", value);
  else
    strbuf_addf(out, "%.0f %.*s%s", value,
                (int)strlen(search_what_name(f->rules.what)) - 1,
                search_what_name(f->rules.what), value == 1 ? "" : "s");
}

static void add_value(const struct find *f, struct strbuf *out,
                      const char *before, double value, const char *after)
{
  strbuf_adds(out, before);
  find_value(f, value, out);
  strbuf_adds(out, after);
}

static void say_found(const struct find *f, struct strbuf *out)
{
  const struct search *s = &f->search;

  strbuf_addf(out, "%s holds ", f->objective);
  add_value(f, out, "up to ", s->low, "");
  if (s->confirmed > 0)
    strbuf_addf(out, " (confirmed %u time%s)", s->confirmed,
                s->confirmed == 1 ? "" : "s");
  if (s->high > 0)
    add_value(f, out, ", and fails at ", s->high, "");
  else if (s->refused > 0)
    add_value(f, out, ", and ", s->refused, " could not start");
  else if (s->undecided == 0)
    strbuf_adds(out, ", the highest tried");
  strbuf_adds(out, ".\n");
  if (s->undecided > 0)
    add_value(f, out, "From ", s->undecided,
              " on it was not always decided; a longer --time makes the "
              "interval narrower.\n");
  if (s->refused > 0)
    add_value(f, out, "The messages of the step with ", s->refused_first,
              " say why. If the server has no more connections, raise its "
              "limit (max_connections); if files or processes are the limit, "
              "raise that of bench (ulimit).\n");
}

/* The value of the last step, which has ended the search. */
static double last_value(const struct find *f)
{
  return f->n > 0 ? f->step[f->n - 1].value : 0;
}

static void say_where(const struct find *f, struct strbuf *out)
{
  if (last_value(f) > 0)
    add_value(f, out, "at ", last_value(f), "");
  else
    strbuf_adds(out, "without a rate");
}

/* The events of the last step with the lowest value. */
static double lowest_events(const struct find *f)
{
  for (size_t i = f->n; i > 0; i--) {
    if (f->step[i - 1].value == f->search.lowest)
      return f->step[i - 1].events;
  }
  return 0;
}

static void say_undecided(const struct find *f, struct strbuf *out)
{
  const double events = lowest_events(f), needed = f->rules.events_min;

  strbuf_addf(out, "No %s was found: ", find_noun(f));
  add_value(f, out, "a step at ", f->search.lowest, " ");
  if (events < needed)
    strbuf_addf(out,
                "has %.0f event%s, and %s takes at least %.0f to decide; use a "
                "longer --time.\n",
                events, events == 1 ? "" : "s", f->objective, needed);
  else
    strbuf_addf(out, "is too short to decide %s; use a longer --time.\n",
                f->objective);
}

static void say_interrupted(struct strbuf *out)
{
  strbuf_adds(out, "The search did not come to its end, so there is no "
                   "answer.\n");
}

/* Steps at a value that have shown something, and those of them that held. */
static unsigned count_steps(const struct find *f, double value,
                            unsigned *ret_held)
{
  unsigned n = 0;

  *ret_held = 0;
  for (size_t i = 0; i < f->n; i++) {
    const struct search_step *s = &f->step[i];

    if (s->value != value || s->phase == SEARCH_REFERENCE ||
        (s->verdict != SEARCH_HELD && s->verdict != SEARCH_FAILED))
      continue;
    n++;
    *ret_held += s->verdict == SEARCH_HELD;
  }
  return n;
}

/* The next value above `value` that was decided; 0: there is none. */
static double next_seen(const struct find *f, double value)
{
  double next = 0;
  unsigned held;

  for (size_t i = 0; i < f->n; i++) {
    const double here = f->step[i].value;

    if (here > value && (next == 0 || here < next) &&
        count_steps(f, here, &held) > 0)
      next = here;
  }
  return next;
}

/* "Seen: held at 18891/s (2 of 2) and 19462/s (3 of 3), failed at 19622/s (1 of
 * 1)": the two highest values that held, and the lowest one that failed. */
static void say_seen(const struct find *f, struct strbuf *out)
{
  double held_at[2] = { 0, 0 }, failed_at = 0;
  const char *before = "Seen: held at ";
  unsigned held, n;

  for (double v = next_seen(f, 0); v > 0; v = next_seen(f, v)) {
    n = count_steps(f, v, &held);
    if (2 * held > n) {
      held_at[0] = held_at[1];
      held_at[1] = v;
    } else if (failed_at == 0) {
      failed_at = v;
    }
  }
  for (int i = 0; i < 2; i++) {
    if (held_at[i] == 0)
      continue;
    add_value(f, out, before, held_at[i], "");
    n = count_steps(f, held_at[i], &held);
    strbuf_addf(out, " (%u of %u)", held, n);
    before = " and ";
  }
  if (failed_at > 0) {
    add_value(f, out, held_at[1] > 0 ? ", failed at " : "Seen: failed at ",
              failed_at, "");
    n = count_steps(f, failed_at, &held);
    strbuf_addf(out, " (%u of %u)", n - held, n);
  }
  if (held_at[1] > 0 || failed_at > 0)
    strbuf_adds(out, ".\n");
}

static void say_end(const struct find *f, struct strbuf *out)
{
  const struct search *s = &f->search;

  switch (s->end) {
  case SEARCH_FOUND:
    say_found(f, out);
    break;
  case SEARCH_NOWHERE:
    strbuf_addf(out, "No %s holds %s: ", find_noun(f), f->objective);
    add_value(f, out, "it fails even at ", s->lowest, ".\n");
    break;
  case SEARCH_UNDECIDED:
    say_undecided(f, out);
    break;
  case SEARCH_UNSTEADY:
    strbuf_addf(
      out,
      "Not stationary: the throughput of the reference step has "
      "changed by %+.0f %%, so there is no answer; use --find-drift if that "
      "is usual here.\n",
      100 * s->drift);
    break;
  case SEARCH_CLIENT_END:
    strbuf_adds(out, "The client is the limit: ");
    say_where(f, out);
    strbuf_adds(out, " it was too busy or offered less load than intended, so "
                     "there is no answer about the server.\n");
    break;
  case SEARCH_FROZEN_END:
    strbuf_adds(out, "The server has frozen: ");
    say_where(f, out);
    strbuf_adds(out, " events did not end, so there is no answer.\n");
    break;
  case SEARCH_EMPTY_END:
    strbuf_adds(out, "No events: ");
    say_where(f, out);
    strbuf_adds(out, " none has ended within a step, so there is no answer; "
                     "use a longer --time, or a test whose events end.\n");
    break;
  case SEARCH_STEP_END:
    strbuf_adds(out, "A step failed: ");
    say_where(f, out);
    strbuf_adds(out, " there is no result, so there is no answer.\n");
    break;
  case SEARCH_TOO_LONG:
    strbuf_addf(out,
                "No answer after %d steps: the steps contradict each "
                "other.\n",
                (int)SEARCH_STEPS_MAX);
    break;
  default:
    say_interrupted(out);
    break;
  }
}

void find_say(const struct find *f, struct strbuf *out)
{
  const struct search *s = &f->search;

  say_end(f, out);
  if (s->end != SEARCH_FOUND && s->end != SEARCH_NOWHERE)
    say_seen(f, out);
  if (s->end == SEARCH_FOUND && fabs(s->drift) > SEARCH_DRIFT_SAID)
    strbuf_addf(out,
                "The throughput of the reference step has changed by %+.0f %% "
                "during the search.\n",
                100 * s->drift);
  if (s->hysteresis > 0)
    add_value(f, out, "What came before matters: ", s->hysteresis,
              " held after a lower load and failed after a higher one.\n");
}

void find_table(const struct find *f, struct strbuf *out)
{
  strbuf_addf(out,
              "| step | phase | %s | verdict | events | events/s | latency ms "
              "|\n|---:|---|---:|---|---:|---:|---:|\n",
              search_what_name(f->rules.what));
  for (size_t i = 0; i < f->n; i++) {
    const struct search_step *s = &f->step[i];
    const bool is_free = f->rules.what == SEARCH_RATE && s->value == 0;

    strbuf_addf(out, "| %zu | %s | ", i + 1, search_phase_name(s->phase));
    if (is_free)
      strbuf_adds(out, "closed loop");
    else
      strbuf_addf(out, "%.10g", s->value);
    strbuf_addf(out, " | %s | %.0f | %.2f | ",
                is_free ? "" : search_verdict_name(s->verdict), s->events,
                s->throughput);
    if (f->latency_ns[i] > 0 && isfinite(f->latency_ns[i]))
      strbuf_addf(out, "%.3f", f->latency_ns[i] / 1e6);
    strbuf_adds(out, " |\n");
  }
}
