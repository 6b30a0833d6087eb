#include "tools/find.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "run/runner.h"
#include "stats/decision.h"
#include "stats/slo.h"
#include "tools/result.h"

/* The client is the limit if it offers less than this share of the rate; chance
 * varies arrivals by some standard deviations. */
#define OFFERED_MIN 0.99
#define OFFERED_SIGMAS 4

void find_set_objective(struct find *f, const char *objective)
{
  const struct slo_sample none = { 0 };
  struct err ignored = { "" };

  f->objective = objective;
  f->rules.events_min = 0;
  f->slo = (struct slo){ 0 };
  if (slo_parse(objective, &f->slo, &ignored) < 0)
    return;
  for (unsigned i = 0; i < f->slo.n; i++) {
    uint64_t bad, all;
    double share;

    if (slo_count(&f->slo.term[i], &none, &bad, &all, &share))
      f->rules.events_min = fmax(f->rules.events_min,
                                 decision_events_min(share));
  }
}

static enum search_verdict find_verdict_named(const char *name)
{
  if (!name)
    return SEARCH_OPEN;
  if (strcmp(name, "held") == 0)
    return SEARCH_HELD;
  return strcmp(name, "failed") == 0 ? SEARCH_FAILED : SEARCH_OPEN;
}

static bool find_client_is_busy(const struct result *run)
{
  const json_t *list = json_object_get(run->json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *code = result_text_at(json_array_get(list, i), "code");

    if (code &&
        (strncmp(code, "client_", strlen("client_")) == 0 ||
         strcmp(code, "other_programs") == 0 || strcmp(code, "steal") == 0))
      return true;
  }
  return false;
}

/* Members of a mix with rates of their own add arrivals.  Nothing becomes due
 * while the last events end. */
static bool find_offers_less(const struct result *run, double rate)
{
  const double all = result_number_at(run->json, "rate.arrivals");
  const double others = result_number_at(run->json, "rate.member_arrivals");
  const double arrivals = isfinite(others) ? all - others : all;
  const double wanted = rate * result_number_at(run->json, "rate.offered_s");

  return arrivals < OFFERED_MIN * wanted - OFFERED_SIGMAS * sqrt(wanted);
}

static enum search_verdict find_verdict_of(const struct search_rules *rules,
                                           double value,
                                           const struct result *run)
{
  const char *end = run ? result_text_at(run->json, "run.end_reason") : NULL;
  const bool open_loop = rules->what == SEARCH_RATE && value > 0;
  enum search_verdict verdict;

  if (!end)
    return SEARCH_NO_RESULT;
  if (strcmp(end, "forced") == 0)
    return SEARCH_FROZEN;
  verdict = find_verdict_named(result_text_at(run->json, "decision.verdict"));
  if (verdict != SEARCH_HELD && value > 0 &&
      (find_client_is_busy(run) || (open_loop && find_offers_less(run, value))))
    return SEARCH_CLIENT;
  return verdict;
}

/* The first term with a limit of time. */
static void find_read_latency(struct find *f, double *ret_ns,
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

static void find_add_step(struct find *f, enum search_phase phase, double value,
                          enum search_verdict verdict, const struct result *run)
{
  f->step[f->n] = (struct search_step){
    .phase = phase,
    .value = value,
    .verdict = verdict,
    .events = run && isfinite(run->events) ? run->events : 0,
    .throughput = run && isfinite(run->events_per_s) ? run->events_per_s : 0,
  };
  find_read_latency(f, &f->latency_ns[f->n], run);
  f->n++;
}

static bool find_repeats(const struct find *f, enum search_phase phase,
                         double value)
{
  size_t i = f->n;

  while (i > 0 && f->step[i - 1].phase == SEARCH_REFERENCE)
    i--;
  return i > 0 && f->step[i - 1].phase == phase &&
         f->step[i - 1].value == value && f->step[i - 1].verdict == SEARCH_OPEN;
}

static bool find_is_judgement(enum search_verdict verdict)
{
  return verdict == SEARCH_HELD || verdict == SEARCH_FAILED ||
         verdict == SEARCH_OPEN;
}

/* *ret_missing: further runs needed for a decision. A term that counts no
 * events is decided by each run alone. */
static enum search_verdict find_judge_term(const struct decision_pool *pool,
                                           const struct slo_term *term,
                                           const json_t *last,
                                           double *ret_missing)
{
  const struct slo_sample none = { 0 };
  uint64_t bad, all;
  double share;

  if (!slo_count(term, &none, &bad, &all, &share)) {
    *ret_missing = INFINITY;
    return find_verdict_named(result_text_at(last, "verdict"));
  }
  *ret_missing = decision_pool_missing(pool, share);
  return find_verdict_named(decision_name(decision_pool_verdict(pool, share)));
}

static enum search_verdict
find_judge_pool(struct find *f, const struct result *run, double *ret_missing)
{
  const json_t *terms = result_at(run->json, "decision.terms");
  enum search_verdict all = SEARCH_HELD;

  *ret_missing = INFINITY;
  if (json_array_size(terms) != f->slo.n)
    return SEARCH_OPEN;
  *ret_missing = 0;
  for (unsigned i = 0; i < f->slo.n; i++) {
    const json_t *t = json_array_get(terms, i);
    enum search_verdict one;
    double missing;

    decision_pool_add(
      &f->pool[i],
      &(struct decision_run){
        .intervals = result_number_at(run->json, "decision.intervals"),
        .events = result_number_at(t, "attempts"),
        .late = result_number_at(t, "beyond"),
        .waiting = result_number_at(t, "waiting"),
        .inflation = result_number_at(t, "inflation"),
        .clusters = result_number_at(t, "clusters"),
      });
    one = find_judge_term(&f->pool[i], &f->slo.term[i], t, &missing);
    if (one == SEARCH_FAILED)
      all = SEARCH_FAILED;
    else if (one == SEARCH_OPEN && all == SEARCH_HELD)
      all = SEARCH_OPEN;
    if (one == SEARCH_OPEN)
      *ret_missing = fmax(*ret_missing, missing);
  }
  return all;
}

static bool find_ends_late(const struct result *run)
{
  return find_verdict_named(result_text_at(run->json, "slo.verdict")) ==
         SEARCH_FAILED;
}

void find_judge(struct find *f, enum search_phase phase, double value,
                const struct result *run)
{
  enum search_verdict verdict = find_verdict_of(&f->rules, value, run);
  double missing = 0;

  if (phase != SEARCH_REFERENCE && find_is_judgement(verdict)) {
    const bool again = find_repeats(f, phase, value);
    enum search_verdict all;

    if (!again)
      memset(f->pool, 0, sizeof(f->pool));
    all = find_judge_pool(f, run, &missing);
    if (again)
      verdict = all;
    if (verdict == SEARCH_HELD && find_ends_late(run))
      verdict = SEARCH_OPEN;
  }
  find_add_step(f, phase, value, verdict, run);
  if (verdict == SEARCH_OPEN)
    f->step[f->n - 1].missing = missing;
}

bool find_never_began(const struct result *run)
{
  const char *end = result_text_at(run->json, "run.end_reason");

  return end && strcmp(end, "error") == 0 &&
         json_is_null(json_object_get(run->json, "totals"));
}

/* A single client could start, so their number is the reason. */
void find_judge_failed(struct find *f, enum search_phase phase, double value,
                       const struct result *run)
{
  const bool refused = f->rules.what != SEARCH_RATE && value > 1 && run &&
                       find_never_began(run);

  find_add_step(f, phase, value, refused ? SEARCH_REFUSED : SEARCH_NO_RESULT,
                NULL);
}

void find_choose(struct find *f)
{
  search_next(&f->rules, f->step, f->n, &f->search);
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

/* ---- document ---- */

static json_t *find_step_json(const struct find *f, size_t i)
{
  const struct search_step *s = &f->step[i];
  struct jobj o = jobj_new();

  jobj_text(&o, "phase", search_phase_name(s->phase));
  jobj_real(&o, "value", s->value);
  jobj_text(&o, "verdict", search_verdict_name(s->verdict));
  jobj_int(&o, "events", (uint64_t)s->events);
  jobj_real(&o, "events_per_s", s->throughput);
  jobj_positive(&o, "latency_ns", f->latency_ns[i]);
  if (s->verdict == SEARCH_OPEN && isfinite(s->missing))
    jobj_real(&o, "missing_runs", s->missing);
  else if (s->verdict == SEARCH_OPEN)
    jobj_null(&o, "missing_runs");
  return jobj_take(&o);
}

json_t *find_json(const struct find *f)
{
  const struct search *s = &f->search;
  struct jobj o = jobj_new();
  json_t *steps = json_array();

  for (size_t i = 0; i < f->n; i++) {
    if (!jobj_array_add(steps, find_step_json(f, i)))
      o.failed = true;
  }
  jobj_text(&o, "find", search_what_name(f->rules.what));
  jobj_text(&o, "objective", f->objective);
  jobj_positive(&o, "limit_ns", f->limit_ns);
  jobj_real(&o, "precision", f->rules.precision);
  jobj_int(&o, "confirm", f->rules.confirm);
  jobj_int(&o, "again", f->rules.again);
  jobj_text(&o, "end", search_end_name(s->end));
  if (f->rules.drift_max > 0)
    jobj_real(&o, "drift_max", f->rules.drift_max);
  jobj_positive(&o, "low", s->low);
  jobj_positive(&o, "high", s->high);
  jobj_positive(&o, "undecided", s->end == SEARCH_FOUND ? s->undecided : 0);
  jobj_positive(&o, "refused", s->end == SEARCH_FOUND ? s->refused : 0);
  jobj_int(&o, "confirmed", s->end == SEARCH_FOUND ? s->confirmed : 0);
  jobj_real(&o, "drift", s->drift);
  jobj_positive(&o, "hysteresis", s->hysteresis);
  jobj_add(&o, "steps", steps);
  return jobj_take(&o);
}

static unsigned find_number_of(const char *name,
                               const char *(*name_of)(unsigned), unsigned none)
{
  for (unsigned i = 0; name && i < none; i++) {
    if (strcmp(name, name_of(i)) == 0)
      return i;
  }
  return none;
}

/* null: many runs; older documents lack the member. */
static double find_read_missing(const json_t *step)
{
  const json_t *missing = json_object_get(step, "missing_runs");

  if (!missing)
    return 0;
  return json_is_number(missing) ? json_number_value(missing) : INFINITY;
}

static bool find_read_step(struct find *f, const json_t *json)
{
  struct search_step *s = &f->step[f->n];
  const unsigned phase = find_number_of(
    result_text_at(json, "phase"), search_phase_name, SEARCH_REFERENCE + 1);
  const unsigned verdict = find_number_of(
    result_text_at(json, "verdict"), search_verdict_name, SEARCH_NO_RESULT + 1);
  double *latency = &f->latency_ns[f->n];

  if (phase > SEARCH_REFERENCE || verdict > SEARCH_NO_RESULT)
    return false;
  *s = (struct search_step){
    .phase = (enum search_phase)phase,
    .verdict = (enum search_verdict)verdict,
    .value = result_number_at(json, "value"),
    .events = result_number_at(json, "events"),
    .throughput = result_number_at(json, "events_per_s"),
  };
  *latency = result_number_at(json, "latency_ns");
  s->missing = find_read_missing(json);
  f->n++;
  return isfinite(s->value) && s->value >= 0 && isfinite(s->throughput) &&
         isfinite(s->events);
}

static bool find_read_rules(struct find *f, const json_t *json)
{
  const double confirm = result_number_at(json, "confirm");
  const double again = result_number_at(json, "again");
  const double drift = result_number_at(json, "drift_max");
  const unsigned what = find_number_of(result_text_at(json, "find"),
                                       search_what_name, SEARCH_THREADS + 1);
  const char *objective = result_text_at(json, "objective");

  f->limit_ns = result_number_at(json, "limit_ns");
  f->rules.precision = result_number_at(json, "precision");
  if (!objective || what == SEARCH_OFF || what > SEARCH_THREADS ||
      !(f->rules.precision > 0) || !(confirm >= 0 && confirm <= 1000) ||
      again < 0 || again > 1000)
    return false;
  f->rules.what = (enum search_what)what;
  f->rules.confirm = (unsigned)confirm;
  /* Older documents lack the member. */
  f->rules.again = isfinite(again) ? (unsigned)again : 0;
  f->rules.drift_max = isfinite(drift) ? drift : 0;
  find_set_objective(f, objective);
  return true;
}

int find_read(struct find *f, const json_t *json, struct err *err)
{
  const json_t *steps = json_object_get(json, "steps");
  const char *end = result_text_at(json, "end");
  bool good;

  *f = (struct find){ .n = 0 };
  good = end && find_read_rules(f, json) &&
         json_array_size(steps) <= SEARCH_STEPS_MAX;
  for (size_t i = 0; good && i < json_array_size(steps); i++)
    good = find_read_step(f, json_array_get(steps, i));
  if (!good)
    return err_set(err, -EINVAL, "its search cannot be read");
  find_choose(f);
  if (strcmp(end, search_end_name(f->search.end)) != 0 ||
      f->search.end == SEARCH_ALIEN)
    return err_set(err, -EINVAL,
                   "its search does not follow from its steps (\"%s\", and "
                   "not \"%s\")",
                   search_end_name(f->search.end), end);
  return 0;
}

/* ---- words ---- */

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

static void find_add_value(const struct find *f, struct strbuf *out,
                           const char *before, double value, const char *after)
{
  strbuf_adds(out, before);
  find_value(f, value, out);
  strbuf_adds(out, after);
}

static void find_say_found(const struct find *f, struct strbuf *out)
{
  const struct search *s = &f->search;

  strbuf_addf(out, "%s holds ", f->objective);
  find_add_value(f, out, "up to ", s->low, "");
  if (s->confirmed > 0)
    strbuf_addf(out, " (confirmed %u time%s)", s->confirmed,
                s->confirmed == 1 ? "" : "s");
  if (s->high > 0)
    find_add_value(f, out, ", and fails at ", s->high, "");
  else if (s->refused > 0)
    find_add_value(f, out, ", and ", s->refused, " could not start");
  else if (s->undecided == 0)
    strbuf_adds(out, ", the highest tried");
  strbuf_adds(out, ".\n");
  if (s->undecided > 0)
    find_add_value(f, out, "From ", s->undecided,
                   " on it was not always decided; a longer --time makes the "
                   "interval narrower.\n");
  if (s->refused > 0)
    find_add_value(
      f, out, "See the messages of the step with ", s->refused_first,
      ". If the server has no more connections, raise its "
      "limit (max_connections); if files or processes are the limit, "
      "raise that of bench (ulimit).\n");
}

static double find_last_value(const struct find *f)
{
  return f->n > 0 ? f->step[f->n - 1].value : 0;
}

static void find_say_where(const struct find *f, struct strbuf *out)
{
  if (find_last_value(f) > 0)
    find_add_value(f, out, "at ", find_last_value(f), "");
  else
    strbuf_adds(out, "without a rate");
}

static double find_lowest_events(const struct find *f)
{
  for (size_t i = f->n; i > 0; i--) {
    if (f->step[i - 1].value == f->search.lowest)
      return f->step[i - 1].events;
  }
  return 0;
}

/* Decided steps at `value`; *ret_held: steps that held. */
static unsigned find_count_steps(const struct find *f, double value,
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

static void find_say_undecided(const struct find *f, struct strbuf *out)
{
  const double events = find_lowest_events(f), needed = f->rules.events_min;
  unsigned held;
  const unsigned n = find_count_steps(f, f->search.lowest, &held);

  strbuf_addf(out, "No %s was found: ", find_noun(f));
  if (held > 0) {
    find_add_value(f, out, "at ", f->search.lowest, " ");
    strbuf_addf(out, "%s held in %u of %u steps; use a longer --time.\n",
                f->objective, held, n);
    return;
  }
  find_add_value(f, out, "a step at ", f->search.lowest, " ");
  if (events < needed)
    strbuf_addf(out,
                "has %.0f event%s, and %s takes at least %.0f to decide; use a "
                "longer --time.\n",
                events, events == 1 ? "" : "s", f->objective, needed);
  else
    strbuf_addf(out, "is too short to decide %s; use a longer --time.\n",
                f->objective);
}

static void find_say_interrupted(struct strbuf *out)
{
  strbuf_adds(out, "The search did not finish, so there is no answer.\n");
}

static double find_next_seen(const struct find *f, double value)
{
  double next = 0;
  unsigned held;

  for (size_t i = 0; i < f->n; i++) {
    const double here = f->step[i].value;

    if (here > value && (next == 0 || here < next) &&
        find_count_steps(f, here, &held) > 0)
      next = here;
  }
  return next;
}

/* "Seen: held at 18891/s (2 of 2) and 19462/s (3 of 3), failed at 19622/s (1
 * of 1)": the two highest that held, the lowest that failed. */
static void find_say_seen(const struct find *f, struct strbuf *out)
{
  double held_at[2] = { 0, 0 }, failed_at = 0;
  const char *before = "Seen: held at ";
  unsigned held, n;

  for (double v = find_next_seen(f, 0); v > 0; v = find_next_seen(f, v)) {
    n = find_count_steps(f, v, &held);
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
    find_add_value(f, out, before, held_at[i], "");
    n = find_count_steps(f, held_at[i], &held);
    strbuf_addf(out, " (%u of %u)", held, n);
    before = " and ";
  }
  if (failed_at > 0) {
    find_add_value(f, out, held_at[1] > 0 ? ", failed at " : "Seen: failed at ",
                   failed_at, "");
    n = find_count_steps(f, failed_at, &held);
    strbuf_addf(out, " (%u of %u)", n - held, n);
  }
  if (held_at[1] > 0 || failed_at > 0)
    strbuf_adds(out, ".\n");
}

static void find_say_end(const struct find *f, struct strbuf *out)
{
  const struct search *s = &f->search;

  switch (s->end) {
  case SEARCH_FOUND:
    find_say_found(f, out);
    break;
  case SEARCH_NOWHERE:
    strbuf_addf(out, "No %s holds %s: ", find_noun(f), f->objective);
    find_add_value(f, out, "it fails even at ", s->lowest, ".\n");
    break;
  case SEARCH_UNDECIDED:
    find_say_undecided(f, out);
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
    find_say_where(f, out);
    strbuf_adds(out, " it was too busy, had to share its CPUs with other "
                     "programs, or offered less load than intended, so there "
                     "is no answer about the server.\n");
    break;
  case SEARCH_FROZEN_END:
    strbuf_adds(out, "The server has frozen: ");
    find_say_where(f, out);
    strbuf_adds(out, " events did not end, so there is no answer.\n");
    break;
  case SEARCH_EMPTY_END:
    strbuf_adds(out, "No events: ");
    find_say_where(f, out);
    strbuf_adds(out, " none has ended within a step, so there is no answer; "
                     "use a longer --time, or a test whose events end.\n");
    break;
  case SEARCH_STEP_END:
    strbuf_adds(out, "A step failed: ");
    find_say_where(f, out);
    strbuf_adds(out, " there is no result, so there is no answer.\n");
    break;
  case SEARCH_TOO_LONG:
    strbuf_addf(out,
                "No answer after %d steps: the steps contradict each "
                "other.\n",
                (int)SEARCH_STEPS_MAX);
    break;
  default:
    find_say_interrupted(out);
    break;
  }
}

void find_say(const struct find *f, struct strbuf *out)
{
  const struct search *s = &f->search;

  find_say_end(f, out);
  if (s->end != SEARCH_FOUND && s->end != SEARCH_NOWHERE)
    find_say_seen(f, out);
  if (s->end == SEARCH_FOUND && fabs(s->drift) > SEARCH_DRIFT_SAID)
    strbuf_addf(out,
                "The throughput of the reference step has changed by %+.0f %% "
                "during the search.\n",
                100 * s->drift);
  if (s->hysteresis > 0)
    find_add_value(f, out, "What came before matters: ", s->hysteresis,
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
