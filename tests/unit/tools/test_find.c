/*
 * test_find.c - what the documents of steps show, the answer in words, and a
 * search that is written, read and replayed.
 */
#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "tools/find.h"
#include "tools/result.h"

/* Judge a step whose run has left that text of JSON, which is freed. */
static enum search_verdict judge_text(struct find *f, enum search_phase phase,
                                      struct strbuf *text)
{
  struct result run = { .period_s = 15, .events_per_s = 100, .events = 1000 };
  json_t *json = json_loads(strbuf_str(text), 0, NULL);

  MUST(json);
  run.json = json;
  find_judge(f, phase, phase == SEARCH_REFERENCE ? 0 : 100, &run);
  json_decref(json);
  strbuf_done(text);
  return f->step[f->n - 1].verdict;
}

/* A step of 10 s at a rate of 100/s.  `arrivals` is text of JSON. */
static enum search_verdict verdict_with(const char *end, const char *decision,
                                        const char *arrivals,
                                        const char *warning)
{
  struct find f = { .rules = { SEARCH_RATE, 0.03, 3 } };
  struct strbuf text = { 0 };
  enum search_verdict verdict;

  find_set_objective(&f, "errors<=10%,p99<=2ms");
  strbuf_addf(
    &text,
    "{\"run\": {\"end_reason\": \"%s\"}, \"rate\": {\"arrivals\": "
    "%s, \"offered_s\": 10}, \"warnings\": [{\"code\": \"%s\"}], \"decision\": "
    "{\"verdict\": \"%s\"}, \"slo\": {\"terms\": [{\"unit\": "
    "\"ratio\", \"limit\": 0.1, \"value\": 0}, {\"unit\": \"ns\", "
    "\"limit\": 2e6, \"value\": null}]}}",
    end, arrivals, warning, decision);
  verdict = judge_text(&f, SEARCH_BRACKET, &text);
  MUST(f.n == 1 && f.limit_ns == 2e6 && isinf(f.latency_ns[0]));
  return verdict;
}

static enum search_verdict verdict_of(const char *end, const char *decision,
                                      unsigned arrivals, const char *warning)
{
  char text[16];

  (void)snprintf(text, sizeof(text), "%u", arrivals);
  return verdict_with(end, decision, text, warning);
}

static void check_verdicts(void)
{
  struct find f = { .rules = { SEARCH_RATE, 0.03, 3 } };
  struct strbuf late = { 0 };

  OK(verdict_of("decided", "held", 1000, "trend") == SEARCH_HELD, "held");
  OK(verdict_of("decided", "failed", 1000, "trend") == SEARCH_FAILED, "failed");
  OK(verdict_of("time_limit", "open", 1000, "trend") == SEARCH_OPEN, "open");
  OK(verdict_of("forced", "failed", 1000, "trend") == SEARCH_FROZEN,
     "a run that was forced to end has frozen");
  OK(verdict_of("decided", "failed", 1000, "client_cpu") == SEARCH_CLIENT,
     "a busy client is the limit");
  OK(verdict_of("decided", "failed", 1000, "other_programs") == SEARCH_CLIENT,
     "so is one whose CPUs other programs use");
  OK(verdict_of("decided", "failed", 1000, "steal") == SEARCH_CLIENT,
     "or the hypervisor");
  OK(verdict_of("decided", "failed", 1000, "run_queue") == SEARCH_FAILED,
     "threads that share CPUs with the server are its load");
  OK(verdict_of("decided", "held", 1000, "client_cpu") == SEARCH_HELD,
     "unless the objective holds");
  OK(verdict_of("decided", "failed", 800, "trend") == SEARCH_CLIENT,
     "a client that offers less is the limit");
  OK(verdict_of("decided", "failed", 900, "trend") == SEARCH_FAILED,
     "arrivals vary by chance");
  OK(verdict_with("decided", "failed", "1800, \"member_arrivals\": 1000",
                  "trend") == SEARCH_CLIENT,
     "the arrivals of members with rates of their own do not hide it");
  OK(verdict_with("decided", "failed", "2000, \"member_arrivals\": 1000",
                  "trend") == SEARCH_FAILED,
     "nor are they missing");
  strbuf_adds(&late, "{\"run\": {\"end_reason\": \"decided\"}, \"rate\": "
                     "{\"arrivals\": 1000, \"offered_s\": 10}, \"decision\": "
                     "{\"verdict\": \"held\"}, \"slo\": {\"verdict\": "
                     "\"failed\"}}");
  OK(judge_text(&f, SEARCH_BRACKET, &late) == SEARCH_OPEN,
     "what ended after the decision was late");
  find_judge(&f, SEARCH_CEILING, 0, NULL);
  OK(f.step[1].verdict == SEARCH_NO_RESULT, "no document");
}

/* Judge a run with 1,000 events, so many of them late, and an average. */
static enum search_verdict judge_run(struct find *f, enum search_phase phase,
                                     const char *verdict, unsigned late,
                                     const char *average)
{
  struct strbuf text = { 0 };

  strbuf_addf(
    &text,
    "{\"run\": {\"end_reason\": \"time_limit\"}, \"rate\": {\"arrivals\": "
    "1000, \"offered_s\": 10}, \"decision\": {\"verdict\": \"%s\", "
    "\"intervals\": 100, \"terms\": [{\"verdict\": \"%s\", \"attempts\": 1000, "
    "\"beyond\": %u, "
    "\"waiting\": 0, \"inflation\": 1, \"clusters\": 5}, {\"verdict\": \"%s\", "
    "\"attempts\": "
    "0, \"beyond\": 0, \"waiting\": 0, \"inflation\": 1, \"clusters\": 0}]}}",
    verdict, verdict, late, average);
  return judge_text(f, phase, &text);
}

/* Runs that repeat one that was open are judged with it. */
static void check_repeats(void)
{
  struct find f = { .rules = { SEARCH_RATE, 0.03, 3, SEARCH_AGAIN } };

  find_set_objective(&f, "p99<=2ms,avg<=1ms");
  OK(judge_run(&f, SEARCH_CONFIRM, "open", 6, "held") == SEARCH_OPEN,
     "one run is open");
  (void)judge_run(&f, SEARCH_REFERENCE, "held", 0, "held");
  OK(judge_run(&f, SEARCH_CONFIRM, "failed", 6, "held") == SEARCH_OPEN,
     "another one may have failed by chance");
  OK(judge_run(&f, SEARCH_CONFIRM, "open", 3, "held") == SEARCH_HELD,
     "three of them have held");
  OK(judge_run(&f, SEARCH_CONFIRM, "open", 6, "held") == SEARCH_OPEN,
     "then it begins anew");
  OK(judge_run(&f, SEARCH_CONFIRM, "failed", 0, "failed") == SEARCH_FAILED,
     "an average has failed in whichever run");
  OK(judge_run(&f, SEARCH_BISECT, "failed", 6, "held") == SEARCH_FAILED,
     "what repeats none is judged alone");
  OK(judge_run(&f, SEARCH_CONFIRM, "open", 6, "open") == SEARCH_OPEN &&
       isinf(f.step[f.n - 1].missing),
     "no other run decides an average");
  OK(judge_run(&f, SEARCH_CONFIRM, "open", 0, "open") == SEARCH_OPEN,
     "which is not held because it has not failed");
}

/* A step with so many threads that failed. */
static enum search_verdict verdict_of_failed(double threads, const char *json)
{
  struct find f = { .rules = { SEARCH_THREADS, 0.03, 3 } };
  struct result run = { .period_s = NAN };

  run.json = json_loads(json, 0, NULL);
  MUST(run.json);
  find_judge_failed(&f, SEARCH_BRACKET, threads, &run);
  MUST(f.n == 1 && f.step[0].events == 0);
  json_decref((json_t *)run.json);
  return f.step[0].verdict;
}

static void check_failed(void)
{
  static const char never[] =
    "{\"run\": {\"end_reason\": \"error\"}, \"totals\": null}";
  static const char later[] =
    "{\"run\": {\"end_reason\": \"error\"}, \"totals\": {\"events\": 5}}";

  OK(verdict_of_failed(64, never) == SEARCH_REFUSED,
     "so many threads could not start");
  OK(verdict_of_failed(1, never) == SEARCH_NO_RESULT,
     "but it is not the number of one thread");
  OK(verdict_of_failed(64, later) == SEARCH_NO_RESULT,
     "nor a run that has begun");
}

static void check_words(void)
{
  static const struct {
    struct search search;
    double last; /* value */
    const char *text;
    int status;
  } row[] = {
    { { .end = SEARCH_FOUND, .low = 800, .high = 820.5, .confirmed = 3 },
      0,
      "p99<=1ms holds up to 800/s (confirmed 3 times), and fails at 820.5/s.\n",
      0 },
    { { .end = SEARCH_FOUND, .low = 800, .undecided = 810, .confirmed = 1 },
      0,
      "p99<=1ms holds up to 800/s (confirmed 1 time).\nFrom 810/s on it was "
      "not always decided; a longer --time makes the interval narrower.\n",
      0 },
    { { .end = SEARCH_FOUND, .low = 800, .drift = -0.07, .hysteresis = 820 },
      0,
      "p99<=1ms holds up to 800/s, the highest tried.\nThe throughput of the "
      "reference step has changed by -7 % during the search.\nWhat came before "
      "matters: 820/s held after a lower load and failed after a higher one.\n",
      0 },
    { { .end = SEARCH_NOWHERE, .lowest = 10 },
      0,
      "No rate holds p99<=1ms: it fails even at 10/s.\n",
      4 },
    { { .end = SEARCH_UNDECIDED, .lowest = 10 },
      0,
      "No rate was found: a step at 10/s is too short to decide p99<=1ms; use "
      "a longer --time.\n",
      5 },
    { { .end = SEARCH_FOUND,
        .low = 37,
        .refused = 38,
        .refused_first = 64,
        .confirmed = 3 },
      0,
      "p99<=1ms holds up to 37/s (confirmed 3 times), and 38/s could not "
      "start.\nSee the messages of the step with 64/s. If the server has no "
      "more "
      "connections, raise its limit (max_connections); if files or "
      "processes are the limit, raise that of bench (ulimit).\n",
      0 },
    { { .end = SEARCH_UNSTEADY, .drift = -0.2 },
      0,
      "Not stationary: the throughput of the reference step has changed by "
      "-20 %, so there is no answer; use --find-drift if that is usual "
      "here.\n",
      5 },
    { { .end = SEARCH_CLIENT_END },
      500,
      "The client is the limit: at 500/s it was too busy, had to share its "
      "CPUs with other programs, or offered less load than intended, so there "
      "is no answer about the server.\n",
      5 },
    { { .end = SEARCH_FROZEN_END },
      0,
      "The server has frozen: without a rate events did not end, so there is "
      "no answer.\n",
      5 },
    { { .end = SEARCH_GOES_ON, .high = 700 },
      500,
      "The search did not finish, so there is no answer.\n",
      5 },
    { { .end = SEARCH_STEP_END },
      500,
      "A step failed: at 500/s there is no result, so there is no answer.\n",
      1 },
  };

  for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
    struct find f = { .rules = { SEARCH_RATE, 0.03, 3 },
                      .objective = "p99<=1ms",
                      .search = row[i].search,
                      .n = 1 };
    struct strbuf out = { 0 };

    f.step[0].value = row[i].last;
    f.step[0].verdict = SEARCH_CLIENT;
    find_say(&f, &out);
    OK_STR(strbuf_str(&out), row[i].text, "the answer in words");
    OK(find_status(&f) == row[i].status, "its exit status");
    strbuf_done(&out);
  }
}

/* Without an answer, what was seen is told. */
static void check_seen(void)
{
  struct find f = {
    .rules = { SEARCH_RATE, 0.03, 3 },
    .objective = "p99<=1ms",
    .search = { .end = SEARCH_UNSTEADY, .drift = -0.2, .low = 19462 },
    .step = { { SEARCH_CEILING, 0, SEARCH_OPEN },
              { SEARCH_BRACKET, 12000, SEARCH_HELD },
              { SEARCH_BRACKET, 30000, SEARCH_FAILED },
              { SEARCH_BISECT, 18891, SEARCH_HELD },
              { SEARCH_BISECT, 19622, SEARCH_FAILED },
              { SEARCH_BISECT, 19462, SEARCH_HELD },
              { SEARCH_CONFIRM, 18891, SEARCH_HELD },
              { SEARCH_CONFIRM, 19462, SEARCH_FAILED },
              { SEARCH_CONFIRM, 19462, SEARCH_HELD },
              { SEARCH_REFERENCE, 0, SEARCH_OPEN } },
    .n = 10,
  };
  struct strbuf out = { 0 };

  find_say(&f, &out);
  OK_STR(strchr(strbuf_str(&out), '\n') + 1,
         "Seen: held at 18891/s (2 of 2) and 19462/s (2 of 3), failed at "
         "19622/s (1 of 1).\n",
         "what was seen");
  strbuf_clear(&out);
  f.n = 5;
  f.step[1].verdict = f.step[3].verdict = SEARCH_OPEN;
  find_say(&f, &out);
  OK_STR(strchr(strbuf_str(&out), '\n') + 1,
         "Seen: failed at 19622/s (1 of 1).\n", "nothing held");
  strbuf_clear(&out);
  f.n = 1;
  find_say(&f, &out);
  OK_STR(strchr(strbuf_str(&out), '\n') + 1, "", "nothing was seen");
  strbuf_done(&out);
}

/* The lowest rate has failed as well as held. */
static void check_contradictory(void)
{
  const struct find f = {
    .rules = { SEARCH_RATE, 0.03, 3 },
    .objective = "p99<=1ms",
    .search = { .end = SEARCH_UNDECIDED, .lowest = 10 },
    .step = { { SEARCH_BRACKET, 10, SEARCH_FAILED },
              { SEARCH_BRACKET, 10, SEARCH_HELD },
              { SEARCH_BRACKET, 10, SEARCH_FAILED } },
    .n = 3,
  };
  struct strbuf out = { 0 };

  find_say(&f, &out);
  OK_STR(strbuf_str(&out),
         "No rate was found: at 10/s p99<=1ms held in 1 of 3 steps; use a "
         "longer --time.\nSeen: failed at 10/s (2 of 3).\n",
         "steps that contradict each other");
  strbuf_done(&out);
}

/* Rates up to 700/s hold. */
static void run_all(struct find *f)
{
  for (;;) {
    struct search_step *s = &f->step[f->n];

    find_choose(f);
    if (f->search.end != SEARCH_GOES_ON)
      return;
    *s = (struct search_step){ f->search.phase, f->search.value, SEARCH_HELD,
                               1000.0 / 3, 1e6 };
    if (s->value > 700.0 / 3)
      s->verdict = SEARCH_FAILED;
    if (f->n == 3 && f->rules.again > 0)
      s->verdict = SEARCH_OPEN;
    f->latency_ns[f->n++] = s->value > 300 ? INFINITY : 1e6;
  }
}

/* A document that says nothing of repeated steps is an older one. */
static void check_older(void)
{
  struct find f = { .rules = { SEARCH_RATE, 0.03, 3 },
                    .objective = "p99<=1ms",
                    .limit_ns = 1e6 };
  struct find again;
  struct err err = { "" };
  json_t *json;

  run_all(&f);
  json = find_json(&f);
  MUST(json_object_del(json, "again") == 0);
  OK(find_read(&again, json, &err) == 0 && again.n == f.n,
     "an older document is replayed");
  json_decref(json);
  f.n = 0;
  f.rules.again = SEARCH_AGAIN;
  run_all(&f);
  OK(f.step[3].value == f.step[4].value, "what is open is measured again");
  json = find_json(&f);
  OK(find_read(&again, json, &err) == 0, "which is replayed, too");
  (void)json_object_del(json, "again");
  OK(find_read(&again, json, &err) == -22, "and was never done before");
  (void)json_object_set_new(json, "again", json_integer(-1));
  OK(find_read(&again, json, &err) == -22, "-1 times again is nothing");
  json_decref(json);
}

static void check_replay(void)
{
  struct find f = { .rules = { SEARCH_RATE, 0.03, 3 },
                    .objective = "p99<=1ms",
                    .limit_ns = 1e6 };
  struct find again;
  struct err err = { "" };
  json_t *json, *read, *step;
  char *text;

  run_all(&f);
  json = find_json(&f);
  text = json_dumps(json, JSON_REAL_PRECISION(15));
  read = json_loads(text, 0, NULL);
  MUST(read);
  OK(find_read(&again, read, &err) == 0, "a document is replayed");
  OK(again.search.end == SEARCH_FOUND && again.search.low == f.search.low &&
       again.search.high == f.search.high && again.n == f.n,
     "the answer is the same");
  OK(f.search.low <= 700.0 / 3 && f.search.high > 700.0 / 3, "and right");
  step = json_array_get(json_object_get(read, "steps"), 2);
  (void)json_object_set_new(step, "verdict", json_string("failed"));
  OK(find_read(&again, read, &err) == -22, "another verdict is noticed");
  OK_STR(err.text,
         "its search does not follow from its steps (\"alien\", and not "
         "\"found\")",
         "with a message");
  (void)json_object_set_new(step, "verdict", json_string("perhaps"));
  OK(find_read(&again, read, &err) == -22, "so is one that does not exist");
  free(text);
  json_decref(read);
  json_decref(json);
}

int main(void)
{
  check_verdicts();
  check_failed();
  check_repeats();
  check_words();
  check_seen();
  check_contradictory();
  check_replay();
  check_older();
  return TAP_EXIT();
}
