/*
 * find.c - what the steps of a search have shown, and the answer in words.
 */
#include "tools/find.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "run/runner.h"
#include "stats/decision.h"
#include "stats/slo.h"
#include "tools/result.h"

/* A client that offers less than this share of the rate is the limit; by
 * chance the arrivals vary by some standard deviations. */
#define OFFERED_MIN 0.99
#define OFFERED_SIGMAS 4

void find_set_objective(struct find *f, const char *objective)
{
  const struct slo_sample none = { 0 };
  struct err ignored = { "" };
  struct slo slo = { 0 };

  f->objective = objective;
  f->rules.events_min = 0;
  if (slo_parse(objective, &slo, &ignored) < 0)
    return;
  for (unsigned i = 0; i < slo.n; i++) {
    uint64_t bad, all;
    double share;

    if (slo_count(&slo.term[i], &none, &bad, &all, &share))
      f->rules.events_min = fmax(f->rules.events_min,
                                 decision_events_min(share));
  }
}

static const char *verdict_in(const struct result *run)
{
  const char *text = result_text_at(run->json, "decision.verdict");

  return text ? text : "open";
}

/* Has the run a warning that the client was busy with itself? */
static bool client_is_busy(const struct result *run)
{
  const json_t *list = json_object_get(run->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    if (code && strncmp(code, "client_", strlen("client_")) == 0)
      return true;
  }
  return false;
}

/* Members of a mix with rates of their own have arrivals beside those of the
 * rate. */
static bool offers_less(const struct result *run, double rate)
{
  const double all = result_number_at(run->json, "rate.arrivals");
  const double others = result_number_at(run->json, "rate.member_arrivals");
  const double arrivals = isfinite(others) ? all - others : all;
  const double wanted = rate * run->period_s;

  return arrivals < OFFERED_MIN * wanted - OFFERED_SIGMAS * sqrt(wanted);
}

static enum search_verdict judge(const struct search_rules *rules, double value,
                                 const struct result *run)
{
  const char *end = run ? result_text_at(run->json, "run.end_reason") : NULL;
  const bool open_loop = rules->what == SEARCH_RATE && value > 0;

  if (!end)
    return SEARCH_NO_RESULT;
  if (strcmp(end, "forced") == 0)
    return SEARCH_FROZEN;
  if (strcmp(verdict_in(run), "held") == 0)
    return SEARCH_HELD;
  if (value > 0 &&
      (client_is_busy(run) || (open_loop && offers_less(run, value))))
    return SEARCH_CLIENT;
  return strcmp(verdict_in(run), "failed") == 0 ? SEARCH_FAILED : SEARCH_OPEN;
}

/* The first term with a limit of time. */
static void read_latency(struct find *f, double *ret_ns,
                         const struct result *run)
{
  const json_t *terms = run ? result_at(run->json, "slo.terms") : NULL;

  *ret_ns = NAN;
  for (size_t i = 0; i < json_array_size(terms); i++) {
    const json_t *t = json_array_get(terms, i);
    const char *unit = result_text_at(t, "unit");

    if (!unit || strcmp(unit, "ns") != 0)
      continue;
    f->limit_ns = result_number_at(t, "limit");
    *ret_ns = result_number_at(t, "value");
    if (!isfinite(*ret_ns))
      *ret_ns = INFINITY;
    return;
  }
}

static void add_step(struct find *f, enum search_phase phase, double value,
                     enum search_verdict verdict, const struct result *run)
{
  f->step[f->n] = (struct search_step){
    .phase = phase,
    .value = value,
    .verdict = verdict,
    .events = run && isfinite(run->events) ? run->events : 0,
    .throughput = run && isfinite(run->events_per_s) ? run->events_per_s : 0,
  };
  read_latency(f, &f->latency_ns[f->n], run);
  f->n++;
}

void find_judge(struct find *f, enum search_phase phase, double value,
                const struct result *run)
{
  add_step(f, phase, value, judge(&f->rules, value, run), run);
}

bool find_never_began(const struct result *run)
{
  const char *end = result_text_at(run->json, "run.end_reason");

  return end && strcmp(end, "error") == 0 &&
         json_is_null(json_object_get(run->json, "totals"));
}

/* One client would not have started either if it were not for the number, and
 * that one was tried first. */
void find_judge_failed(struct find *f, enum search_phase phase, double value,
                       const struct result *run)
{
  const bool refused = f->rules.what != SEARCH_RATE && value > 1 && run &&
                       find_never_began(run);

  add_step(f, phase, value, refused ? SEARCH_REFUSED : SEARCH_NO_RESULT, NULL);
}

void find_choose(struct find *f)
{
  search_next(&f->rules, f->step, f->n, &f->search);
}

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
    strbuf_addf(out, "%.5g/s", value);
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
    strbuf_addf(out,
                "Not stationary: the throughput of the reference step has "
                "changed by %+.0f %%, so there is no answer.\n",
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
    strbuf_adds(out, "The search did not come to its end.\n");
    break;
  }
}

void find_say(const struct find *f, struct strbuf *out)
{
  const struct search *s = &f->search;

  say_end(f, out);
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
      strbuf_addf(out, "%.5g", s->value);
    strbuf_addf(out, " | %s | %.0f | %.2f | ",
                is_free ? "" : search_verdict_name(s->verdict), s->events,
                s->throughput);
    if (f->latency_ns[i] > 0 && isfinite(f->latency_ns[i]))
      strbuf_addf(out, "%.3f", f->latency_ns[i] / 1e6);
    strbuf_adds(out, " |\n");
  }
}

int find_status(const struct find *f)
{
  switch (f->search.end) {
  case SEARCH_FOUND:
    return EXIT_OK;
  case SEARCH_NOWHERE:
    return SLO_EXIT_STATUS;
  case SEARCH_STEP_END:
    return EXIT_FAILED;
  default:
    return FIND_EXIT_NO_ANSWER;
  }
}
