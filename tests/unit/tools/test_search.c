/*
 * test_search.c - the search for the highest load, against servers that are
 * simulated: queues with c processors and exponential service, whose late
 * events have a chance that is known in closed form.
 */
#include <math.h>

#include "stats/decision.h"
#include "stats/rand/rng.h"
#include "tests/unit/tap.h"
#include "tools/search.h"

enum {
  SEARCHES = 100,
  STEP_S = 600, /* the usual time limit of a step */
  DRIFT_S = 1000,
};

#define SHARE 0.01 /* the objective: p99 <= limit */
#define CLUSTER 5.0

struct server {
  unsigned c;       /* processors */
  double service_s; /* the mean */
  double limit_s;   /* of the 99th percentile */
  double slowdown;  /* by each step */
  double drift;     /* 0.2: 20 % slower after DRIFT_S */
  double noise;     /* of the latencies of a step, as a deviation of logs */
  double freeze_s;  /* 0: never */
  double loss;      /* the share of the load that the client does not offer */
  double pause_s;   /* all events are late for so long, */
  double pauses;    /* in this share of the seconds */
  int step_s;       /* the time limit of a step; 0: the usual one */
  double disturbed; /* the share of steps that fail, whatever the load is */
};

struct simulation {
  const struct server *server;
  struct rng rng;
  double now_s;
  unsigned steps;
  /* Of steps of the same value of which none was decided. */
  struct decision_pool pool;
  double pool_value;
};

/* The chance that an event has to wait: Erlang's formula C. */
static double erlang_c(unsigned c, double load)
{
  double sum = 0, term = 1;

  for (unsigned k = 0; k < c; k++) {
    sum += term;
    term *= load / (k + 1);
  }
  term *= c / (c - load);
  return term / (sum + term);
}

/* The chance that waiting and service together take longer than t. */
static double late_chance(unsigned c, double mu, double rate, double t)
{
  const double free = c * mu - rate;
  double wait;

  if (free <= 0)
    return 1;
  wait = erlang_c(c, rate / mu);
  if (fabs(free - mu) < 1e-9 * mu)
    return exp(-mu * t) * (1 + wait * mu * t);
  return exp(-mu * t) +
         wait * mu / (free - mu) * (exp(-mu * t) - exp(-free * t));
}

/* The highest rate for which the objective holds. */
static double truth_of(const struct server *s)
{
  const double paused = s->pauses * s->pause_s;
  const double share = (SHARE - paused) / (1 - paused);
  double low = 0, high = s->c / s->service_s;

  for (int i = 0; i < 100; i++) {
    const double mid = (low + high) / 2;

    if (late_chance(s->c, 1 / s->service_s, mid, s->limit_s) <= share)
      low = mid;
    else
      high = mid;
  }
  return low;
}

static double normal(struct rng *rng)
{
  return sqrt(2 * rng_exponential(rng)) *
         cos(2 * 3.14159265358979 * rng_double(rng));
}

static uint64_t round_up(double x)
{
  return x > 0 ? (uint64_t)x : 0;
}

/* Late events of a second, in clusters. */
static uint64_t draw_late(struct rng *rng, double events, double chance)
{
  const double mean = events * chance / CLUSTER;
  const double clusters = round(mean + sqrt(mean) * normal(rng));
  double late = 0;

  if (chance > 0.5)
    return round_up(events);
  if (mean > 30) /* many: their sum is normal */
    late = clusters * CLUSTER + sqrt(fmax(clusters, 0)) * CLUSTER * normal(rng);
  else
    for (double at = rng_exponential(rng); at < mean;
         at += rng_exponential(rng))
      late += CLUSTER * rng_exponential(rng);
  return round_up(fmin(fmax(round(late), 0), events));
}

/* How much slower the server is now. */
static double slower(const struct simulation *s)
{
  return pow(1 + s->server->slowdown, s->steps) *
         (1 + s->server->drift * fmin(s->now_s / DRIFT_S, 1));
}

/* Late events of a second, those of a pause among them. */
static uint64_t late_in(struct simulation *s, double events, double chance)
{
  const struct server *v = s->server;
  const bool pauses = v->pauses > 0 && rng_double(&s->rng) < v->pauses;
  const double in_pause = pauses ? round(events * v->pause_s) : 0;

  return (uint64_t)in_pause + draw_late(&s->rng, events - in_pause, chance);
}

/* What the step says together with those that it repeats. */
static enum decision_verdict pooled(struct simulation *s, double value,
                                    const struct decision *d,
                                    enum decision_verdict verdict)
{
  const bool again = s->pool_value == value;

  if (!again)
    s->pool = (struct decision_pool){ 0 };
  decision_pool_add(&s->pool, &(struct decision_run){
                                .intervals = d->intervals,
                                .events = (double)d->total.events,
                                .late = (double)d->total.late,
                                .inflation = decision_inflation(d),
                                .clusters = decision_clusters(d),
                              });
  if (again)
    verdict = decision_pool_verdict(&s->pool, SHARE);
  s->pool_value = verdict == DECISION_OPEN ? value : 0;
  return verdict;
}

static void run_step(struct simulation *s, struct search_step *step)
{
  const struct server *v = s->server;
  const double noise = exp(v->noise * normal(&s->rng));
  const double offered = step->value * (1 - v->loss);
  const struct decision_waiting none = { 0 };
  const int step_s = v->step_s > 0 ? v->step_s : STEP_S;
  struct decision d;

  step->verdict = SEARCH_OPEN;
  if (step->value == 0) {
    step->throughput = v->c / (v->service_s * slower(s)) *
                       (1 + 0.01 * normal(&s->rng));
    step->events = 10 * step->throughput;
    s->now_s += 10;
    step->verdict = SEARCH_OPEN;
  }
  decision_init(&d, SHARE, offered * step_s);
  for (int i = 0; step->value > 0 && i < step_s; i++) {
    const double events = round(offered + sqrt(offered) * normal(&s->rng));
    const double chance = late_chance(v->c, 1 / (v->service_s * slower(s)),
                                      offered, v->limit_s / noise);
    enum decision_verdict verdict;

    decision_add(&d, (uint64_t)events, late_in(s, events, chance));
    s->now_s++;
    verdict = decision_verdict(&d, &none, i + 1 == step_s);
    if (verdict != DECISION_OPEN || i + 1 == step_s)
      verdict = pooled(s, step->value, &d, verdict);
    if (verdict == DECISION_OPEN && i + 1 == step_s)
      step->missing = decision_pool_missing(&s->pool, SHARE);
    if (verdict != DECISION_OPEN) {
      step->verdict = verdict == DECISION_HELD ? SEARCH_HELD : SEARCH_FAILED;
      break;
    }
    step->throughput = offered;
    step->events += events;
  }
  if (step->value > 0 && rng_double(&s->rng) < v->disturbed)
    step->verdict = SEARCH_FAILED;
  if (v->loss > 0.01 && step->value > 0)
    step->verdict = SEARCH_CLIENT;
  if (v->freeze_s > 0 && s->now_s > v->freeze_s)
    step->verdict = SEARCH_FROZEN;
  s->steps++;
}

struct record {
  struct search search;
  struct search_step step[SEARCH_STEPS_MAX];
  size_t n;
};

static const struct search_rules rates = { SEARCH_RATE, 0.03, 3, SEARCH_AGAIN };
static const struct search_rules rates_once = { SEARCH_RATE, 0.03, 3 };

static void find(const struct search_rules *rules, const struct server *server,
                 unsigned seed, struct record *r)
{
  struct simulation s = { .server = server };

  rng_seed(&s.rng, seed, RNG_INTERNAL, 0);
  r->n = 0;
  for (;;) {
    search_next(rules, r->step, r->n, &r->search);
    if (r->search.end != SEARCH_GOES_ON)
      return;
    r->step[r->n] = (struct search_step){ .phase = r->search.phase,
                                          .value = r->search.value };
    run_step(&s, &r->step[r->n++]);
  }
}

struct score {
  unsigned found, precise, kept, inside, ended[SEARCH_TOO_LONG + 1];
  double steps, seconds;
};

static struct score find_many(const struct server *server)
{
  static struct record r;
  const double truth = truth_of(server);
  struct score score = { 0 };

  for (unsigned i = 1; i <= SEARCHES; i++) {
    find(&rates, server, i, &r);
    score.ended[r.search.end]++;
    score.steps += (double)r.n / SEARCHES;
    if (r.search.end != SEARCH_FOUND)
      continue;
    score.found++;
    score.kept += r.search.low <= truth;
    score.precise += fabs(r.search.low / truth - 1) <= rates.precision;
    score.inside += r.search.low <= truth &&
                    (truth <= r.search.high || r.search.high <= 0);
  }
  printf("# truth %.1f/s: found %u, holds %u, within 3 %% %u, between %u; %.1f "
         "steps\n",
         truth, score.found, score.kept, score.precise, score.inside,
         score.steps);
  return score;
}

static void check_truth(void)
{
  /* One processor: exp(-(mu - rate) t) = 0.01. */
  const struct server one = { .c = 1, .service_s = 1e-4, .limit_s = 1e-3 };

  OK(fabs(truth_of(&one) - (1e4 - log(100) / 1e-3)) < 1e-3,
     "the closed form of several processors is that of one for one");
  OK(fabs(erlang_c(2, 1) - 1.0 / 3) < 1e-12, "Erlang's formula");
}

static void check_steady(void)
{
  static const struct server servers[] = {
    { .c = 1, .service_s = 1e-4, .limit_s = 1e-3 },
    { .c = 4, .service_s = 4e-4, .limit_s = 4e-3 },
    { .c = 16, .service_s = 1e-3, .limit_s = 6e-3 },
  };
  const struct server noisy = {
    .c = 1, .service_s = 1e-4, .limit_s = 1e-3, .noise = 0.2
  };
  const struct server ten = { .c = 10, .service_s = 1e-2, .limit_s = 6e-2 };
  const double disturbed[] = { 0.05, 0.1 };
  struct server shaken = ten;
  struct score s;

  for (int i = 0; i < 2; i++) {
    shaken.disturbed = disturbed[i];
    s = find_many(&shaken);
    OK(s.precise >= s.found * (1 - disturbed[i]),
       "on a disturbed machine, an answer is within the precision");
    OK(s.found >= 90, "and there is one");
  }
  for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
    s = find_many(&servers[i]);
    OK(s.found >= 95, "a steady server has an answer");
    OK(s.kept >= 95, "the objective holds at the answer");
    OK(s.precise >= 95, "the answer is within the precision");
    OK(s.inside >= 95, "the truth is between what held and what failed");
  }
  s = find_many(&noisy);
  OK(s.found >= 90 && s.kept >= s.found - 5,
     "with 20 % noise, the objective holds at the answer");
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

/* The answer below which one of twenty searches of a machine with pauses is,
 * as a share of the truth. */
static double low_answer(const struct search_rules *rules)
{
  /* Steps see two pauses on the average, which take 0.4 % of the time. */
  const struct server pauses = { .c = 1,
                                 .service_s = 1e-5,
                                 .limit_s = 1e-3,
                                 .pause_s = 0.2,
                                 .pauses = 0.02,
                                 .step_s = 100 };
  static struct record r;
  double answer[SEARCHES], steps = 0;
  unsigned kept = 0;

  for (unsigned i = 0; i < SEARCHES; i++) {
    find(rules, &pauses, i + 1, &r);
    answer[i] = r.search.end == SEARCH_FOUND ? r.search.low / truth_of(&pauses)
                                             : 0;
    kept += answer[i] <= 1.005;
    steps += (double)r.n / SEARCHES;
  }
  qsort(answer, SEARCHES, sizeof(answer[0]), by_value);
  printf("# pauses, %u times again: 5 of 100 below %.3f, half below %.3f of "
         "the truth, %u not above; %.1f steps\n",
         rules->again, answer[5], answer[SEARCHES / 2], kept, steps);
  /* Three of four confirmations may have seen no pause. */
  OK(kept >= 95, "and not above what holds between the pauses");
  return answer[5];
}

static void check_pauses(void)
{
  const double once = low_answer(&rates_once), usual = low_answer(&rates);

  OK(usual >= 0.9, "pauses of the machine do not lead far below the truth");
  OK(once < usual, "unless steps that they leave open are not measured again");
}

static void check_changing(void)
{
  const struct server base = { .c = 1, .service_s = 1e-4, .limit_s = 1e-3 };
  struct server s = base;
  struct score score;

  s.drift = 0.2;
  score = find_many(&s);
  OK(score.ended[SEARCH_UNSTEADY] == SEARCHES,
     "a server that becomes 20 % slower has no answer");
  s.drift = 0;
  s.slowdown = 0.02;
  score = find_many(&s);
  OK(score.ended[SEARCH_UNSTEADY] == SEARCHES,
     "a server that gets slower with each step has no answer");
  s.slowdown = -0.02;
  score = find_many(&s);
  OK(score.ended[SEARCH_UNSTEADY] == SEARCHES, "nor has one that gets faster");
  s = base;
  s.freeze_s = 100;
  score = find_many(&s);
  OK(score.ended[SEARCH_FROZEN_END] == SEARCHES, "nor one that freezes");
  s = base;
  s.loss = 0.02;
  score = find_many(&s);
  OK(score.ended[SEARCH_CLIENT_END] == SEARCHES,
     "a client that offers less is the limit");
}

/* Threads up to `most` hold.  [0: any] More than `room` cannot start. */
static void find_number(unsigned most, unsigned flaky, unsigned room,
                        struct record *r)
{
  static const struct search_rules rules = { SEARCH_THREADS, 0.03, 3,
                                             SEARCH_AGAIN };

  for (r->n = 0;; r->n++) {
    struct search_step *step = &r->step[r->n];

    search_next(&rules, r->step, r->n, &r->search);
    if (r->search.end != SEARCH_GOES_ON)
      return;
    *step = (struct search_step){ .phase = r->search.phase,
                                  .value = r->search.value,
                                  .throughput = 100 };
    step->verdict = step->value <= most ? SEARCH_HELD : SEARCH_FAILED;
    if (flaky > 0 && step->phase == SEARCH_CONFIRM && step->value >= flaky)
      step->verdict = SEARCH_OPEN;
    if (room > 0 && step->value > room)
      step->verdict = SEARCH_REFUSED;
  }
}

static void check_numbers(void)
{
  static const unsigned most[] = { 1, 2, 3, 7, 24, 32, 33, 47 };
  static struct record r;
  bool exact = true;

  for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
    find_number(most[i], 0, 0, &r);
    exact = exact && r.search.end == SEARCH_FOUND && r.search.low == most[i] &&
            r.search.high == most[i] + 1 && r.search.confirmed == 3;
  }
  OK(exact, "small numbers are found exactly");
  find_number(1000, 0, 0, &r);
  OK(r.search.end == SEARCH_FOUND && r.search.low <= 1000 &&
       r.search.high > 1000 && r.search.high <= 1000 * 1.03,
     "large ones to the precision");
  find_number(0, 0, 0, &r);
  OK(r.search.end == SEARCH_NOWHERE && r.search.lowest == 1 &&
       r.n == SEARCH_AGAINST,
     "one thread is the fewest, and a single failure may be an accident");
  find_number(SEARCH_NUMBER_MAX, 0, 0, &r);
  OK(r.search.end == SEARCH_FOUND && r.search.low == SEARCH_NUMBER_MAX &&
       r.search.high == 0,
     "an objective that always holds has no upper limit");
  find_number(24, 22, 0, &r);
  OK(r.search.end == SEARCH_FOUND && r.search.low == 21 &&
       r.search.undecided == 22 && r.search.high == 25,
     "what is not confirmed is no answer; what was not decided has not failed");
  find_number(1000, 0, 37, &r);
  OK(r.search.end == SEARCH_FOUND && r.search.low == 37 && r.search.high == 0 &&
       r.search.refused == 38 && r.search.refused_first == 64,
     "the highest number that can start is the answer");
  find_number(24, 0, 37, &r);
  OK(r.search.end == SEARCH_FOUND && r.search.low == 24 &&
       r.search.high == 25 && r.search.refused == 0,
     "unless fewer hold");
}

/* Each choice follows from the steps before it. */
static void check_replay(void)
{
  const struct server one = { .c = 1, .service_s = 1e-4, .limit_s = 1e-3 };
  static struct record r;
  struct search again;
  bool same = true;
  double before;

  find(&rates, &one, 1, &r);
  for (size_t i = 0; i < r.n; i++) {
    search_next(&rates, r.step, i, &again);
    same = same && again.end == SEARCH_GOES_ON &&
           again.phase == r.step[i].phase && again.value == r.step[i].value;
  }
  OK(same && r.n > 10, "a search can be replayed from its steps");
  before = r.step[3].value;
  r.step[3].value += 1;
  search_next(&rates, r.step, r.n, &again);
  OK(again.end == SEARCH_ALIEN, "steps of another search are noticed");
  r.step[3].value = before;
  r.step[2].verdict = SEARCH_NO_RESULT;
  search_next(&rates, r.step, 3, &again);
  OK(again.end == SEARCH_STEP_END, "a step without result ends the search");
}

static double tidy_middle(double low, double high)
{
  char text[32];

  (void)snprintf(text, sizeof(text), "%.5g", sqrt(low * high));
  return strtod(text, NULL);
}

/* A closed loop is the highest load. */
static bool is_after_more(const struct record *r)
{
  const struct search_step *step = &r->step[r->n];

  return r->n > 1 && (step[-1].value == 0 || step[-1].value > step->value);
}

/* A server that recovers slowly: what it holds depends on the load before. */
static void check_hysteresis(void)
{
  static struct record r;

  for (r.n = 0;; r.n++) {
    struct search_step *step = &r.step[r.n];

    search_next(&rates, r.step, r.n, &r.search);
    if (r.search.end != SEARCH_GOES_ON)
      break;
    *step = (struct search_step){ r.search.phase, r.search.value, SEARCH_HELD,
                                  r.n > 5 ? 940 : 1000, 1e6 };
    if (step->value > (is_after_more(&r) ? 645 : 650))
      step->verdict = SEARCH_FAILED;
  }
  OK(r.search.end == SEARCH_FOUND && r.search.low <= 650,
     "what fails once is no answer");
  OK(r.search.hysteresis == 650, "the way to a value may matter");
  OK(fabs(r.search.drift + 0.06) < 1e-9, "references may differ a little");
}

/* Steps whose value is at most this one have these verdicts in turn ('h':
 * held; the last one counts for all others); higher values fail. */
static void find_lowest(const struct search_rules *rules, double most,
                        const char *verdicts, struct record *r)
{
  for (r->n = 0;; r->n++) {
    struct search_step *step = &r->step[r->n];

    search_next(rules, r->step, r->n, &r->search);
    if (r->search.end != SEARCH_GOES_ON)
      return;
    *step = (struct search_step){ r->search.phase, r->search.value,
                                  SEARCH_FAILED, 1000, 1e6 };
    if (step->phase == SEARCH_REFERENCE || step->value == 0 ||
        step->value > most)
      continue;
    step->verdict = *verdicts == 'h' ? SEARCH_HELD : SEARCH_FAILED;
    verdicts += verdicts[1] != '\0';
  }
}

/* Short steps may fail by accident. */
static void check_lowest(void)
{
  static const struct search_rules threads = { SEARCH_THREADS, 0.03, 3,
                                               SEARCH_AGAIN };
  static struct record r;
  unsigned failed = 0;

  find_lowest(&threads, 2, "fh", &r);
  OK(r.search.end == SEARCH_FOUND && r.search.low == 2,
     "one thread that failed once may hold");
  find_lowest(&rates, 15, "fh", &r);
  OK(r.search.end == SEARCH_FOUND && r.search.low > 14 && r.search.low <= 15,
     "and so may the lowest rate");
  find_lowest(&rates, 15, "fhfhf", &r);
  OK(r.search.end == SEARCH_UNDECIDED && r.search.lowest < 15,
     "three failures and two steps that held decide nothing");
  find_lowest(&rates, 15, "f", &r);
  for (size_t i = 0; i < r.n; i++)
    failed += r.step[i].value == r.search.lowest;
  OK(r.search.end == SEARCH_NOWHERE && failed == SEARCH_AGAINST,
     "three failures are no accident");
}

/* The answer with these verdicts, one for each step; the rest hold. */
static enum search_end end_of(enum search_verdict verdict)
{
  static struct record r;

  for (r.n = 0;; r.n++) {
    search_next(&rates, r.step, r.n, &r.search);
    if (r.search.end != SEARCH_GOES_ON)
      return r.search.end;
    r.step[r.n] = (struct search_step){ r.search.phase, r.search.value, verdict,
                                        1000 };
  }
}

/* What follows from a ceiling of 1000/s and a reference of so many. */
static enum search_end end_after_reference(double events, double throughput)
{
  static struct record r;

  for (r.n = 0;; r.n++) {
    const bool again = r.n > 0 && r.step[r.n - 1].phase == SEARCH_REFERENCE;

    search_next(&rates, r.step, r.n, &r.search);
    if (r.search.end != SEARCH_GOES_ON || again)
      return r.search.end;
    r.step[r.n] = (struct search_step){
      r.search.phase, r.search.value, SEARCH_HELD,
      r.search.phase == SEARCH_REFERENCE ? throughput : 1000, events
    };
  }
}

/* A search of steps that are not decided, which have so many events. */
static struct search undecided_with(double events, size_t *ret_steps)
{
  struct search_rules rules = rates;
  static struct record r;

  rules.events_min = 459;
  for (r.n = 0;; r.n++) {
    search_next(&rules, r.step, r.n, &r.search);
    *ret_steps = r.n;
    if (r.search.end != SEARCH_GOES_ON)
      return r.search;
    r.step[r.n] = (struct search_step){ r.search.phase, r.search.value,
                                        SEARCH_OPEN, 1000, events };
  }
}

/* Lower rates have fewer events still. */
static void check_undecided(void)
{
  size_t steps;
  struct search s = undecided_with(458, &steps);

  OK(s.end == SEARCH_UNDECIDED && s.lowest == 500 && steps == 2,
     "a step with too few events ends the search");
  s = undecided_with(459, &steps);
  OK(s.end == SEARCH_UNDECIDED && s.lowest < 20 && steps > 10,
     "one that has enough events is followed by lower rates");
}

static void check_empty(void)
{
  const struct search_rules threads = { .what = SEARCH_THREADS,
                                        .precision = 0.03 };
  const struct search_step ceiling = { SEARCH_CEILING, 0, SEARCH_OPEN, 0, 0 };
  const struct search_step one = { SEARCH_BRACKET, 1, SEARCH_OPEN, 0, 0 };
  struct search s;

  search_next(&rates, &ceiling, 1, &s);
  OK(s.end == SEARCH_EMPTY_END, "a ceiling without events ends the search");
  search_next(&threads, &one, 1, &s);
  OK(s.end == SEARCH_EMPTY_END, "and so does one thread without events");
}

static void check_ends(void)
{
  const struct search_step up_and_down[] = {
    { SEARCH_CEILING, 0, SEARCH_OPEN, 100, 1e6 },
    { SEARCH_BRACKET, 50, SEARCH_HELD, 50, 1e6 },
    { SEARCH_BRACKET, 65, SEARCH_FAILED, 65, 1e6 },
    { SEARCH_BISECT, tidy_middle(50, 65), SEARCH_HELD, 57, 1e6 },
  };
  struct search s;

  OK(end_of(SEARCH_FAILED) == SEARCH_NOWHERE, "no rate holds it");
  OK(end_of(SEARCH_OPEN) == SEARCH_UNDECIDED, "no rate is decided");
  OK(end_of(SEARCH_HELD) == SEARCH_FOUND, "each rate holds it");
  search_next(&rates, up_and_down, 4, &s);
  OK(end_after_reference(1e6, 850) == SEARCH_UNSTEADY &&
       end_after_reference(1e6, 950) == SEARCH_GOES_ON,
     "a reference that differs by 15 % ends the search");
  OK(end_after_reference(100, 850) == SEARCH_GOES_ON,
     "unless that may be chance");
  OK(s.end == SEARCH_GOES_ON && s.phase == SEARCH_BISECT && s.low > 57 &&
       s.high == 65 && s.hysteresis == 0,
     "a bracket becomes narrower");
}

int main(void)
{
  check_truth();
  check_steady();
  check_pauses();
  check_changing();
  check_numbers();
  check_replay();
  check_hysteresis();
  check_ends();
  check_lowest();
  check_undecided();
  check_empty();
  return TAP_EXIT();
}
