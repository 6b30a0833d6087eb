/*
 * test_plan.c - from the input to the plan of a run.
 */
#include <math.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"
#include "loop/loop.h"
#include "run/peers.h"
#include "run/plan.h"
#include "stats/rand/options.h"
#include "tests/unit/tap.h"

static struct run_cfg cfg;
static struct report_setup report;
static struct rand_cfg rnd;

/* An input with the default values from above. */
static struct plan_input usual(void)
{
  cfg = (struct run_cfg){ .threads = 4,
                          .events = 10,
                          .time_s = 10,
                          .thread_stack_size = 64 << 10,
                          .rate = 90 };
  report = (struct report_setup){ .percentile = 95 };
  rnd = (struct rand_cfg){ .spec_iter = 12, .pareto_h = 0.2, .seed = 7 };
  return (struct plan_input){ .run = &cfg, .report = &report, .rand = &rnd };
}

static struct plan plan_of(const struct plan_input *in)
{
  struct plan plan;
  struct err err = { "" };

  OK(plan_init(&plan, in, &err) == 0, "a plan");
  return plan;
}

static void test_alone(void)
{
  const struct plan_input in = usual();
  struct plan plan = plan_of(&in);

  OK(plan.part == 0 && plan.parts == 1 && !plan.peers, "one process");
  OK(plan.first_thread == 0 && plan.all_threads == 4, "with all threads");
  OK(plan.events == 10 && plan.rate == 90 && plan.cfg.rate == 90,
     "all events, and the whole rate");
  OK(plan.seed == 7, "and the seed");
  OK(plan.grace_auto && plan.grace_ns == 30 * NS_PER_S, "30 s of grace");
  plan_done(&plan);
}

/* The automatic deadline belongs to a limit that somebody has set. */
static void test_patience(void)
{
  struct plan_input in = usual();
  struct plan plan = plan_of(&in);

  OK(plan.patient, "the default time limit throws no events away");
  plan_done(&plan);
  in.time_given = true;
  plan = plan_of(&in);
  OK(!plan.patient, "one that was given does");
  plan_done(&plan);
  in.time_given = false;
  (void)forced_shutdown_parse("5", &cfg.forced_shutdown);
  plan = plan_of(&in);
  OK(!plan.patient, "and so does a deadline that was given");
  plan_done(&plan);
}

static void test_clients(void)
{
  struct plan_input in = usual();
  struct plan plan;

  in.clients = true;
  cfg.clients = 0;
  plan = plan_of(&in);
  OK(!plan.clients && plan.carriers == 0 && plan.threads == 4, "threads");
  plan_done(&plan);
  cfg.clients = 5;
  plan = plan_of(&in);
  OK(plan.clients && plan.carriers == 4 && plan.threads == 5,
     "four threads carry five clients");
  plan_done(&plan);
  cfg.clients = 4;
  plan = plan_of(&in);
  OK(plan.clients && plan.carriers == 0 && plan.threads == 4,
     "four clients have a thread each");
  plan_done(&plan);
  in.share = true;
  plan = plan_of(&in);
  OK(plan.carriers == 4, "but not if they share connections");
  plan_done(&plan);
  in.share = false;
  cfg.client_engine = LOOP_EPOLL;
  plan = plan_of(&in);
  OK(plan.carriers == 4, "nor if a loop is wanted");
  plan_done(&plan);
  cfg.client_engine = LOOP_AUTO;
  (void)storm_plan_parse("1@2", &cfg.storm);
  plan = plan_of(&in);
  OK(plan.carriers == 4 && plan.threads == 5, "nor with a storm of one more");
  plan_done(&plan);
  in.clients = false;
  cfg.storm = (struct storm_plan){ 0 };
  plan = plan_of(&in);
  OK(!plan.clients && plan.carriers == 0, "a command has no clients");
  plan_done(&plan);
}

static void test_needs(void)
{
  struct plan_input in = usual();
  struct plan plan;

  in.no_deadline = true;
  in.own_limit = true;
  cfg.thread_stack_size = 20 << 10;
  plan = plan_of(&in);
  OK(plan.grace_auto && plan.grace_ns == PLAN_NO_LIMIT,
     "a test without a time limit has no automatic deadline");
  OK(plan.events == PLAN_NO_LIMIT, "a test with its own limit has no other");
  OK(plan.stack_bytes == 64 << 10, "a stack as large as threads need");
  plan_done(&plan);

  cfg.thread_stack_size = 1 << 20;
  (void)forced_shutdown_parse("5", &cfg.forced_shutdown);
  plan = plan_of(&in);
  OK(plan.stack_bytes == 1 << 20, "a larger stack stays");
  OK(plan.grace_ns == 5 * NS_PER_S, "and so does a deadline that was given");
  plan_done(&plan);
}

static void test_part(void)
{
  static const struct {
    uint64_t events;
    unsigned parts;
  } row[] = { { 1, 3 },         { 10, 3 }, { 12, 3 },
              { INT64_MAX, 7 }, { 5, 8 },  { 1, 1 } };
  const struct peers peers = { NULL };
  const uint64_t seed = 42;
  struct plan_part part = { .peers = &peers, .seed = &seed };
  struct plan_input in = usual();

  in.part = &part;
  for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
    uint64_t sum = 0, min = UINT64_MAX, max = 0;

    cfg.events = row[i].events;
    part.parts = row[i].parts;
    part.all_threads = 4 * row[i].parts;
    for (part.part = 0; part.part < part.parts; part.part++) {
      struct plan plan;

      part.first_thread = 4 * part.part;
      plan = plan_of(&in);
      sum += plan.events;
      min = plan.events < min ? plan.events : min;
      max = plan.events > max ? plan.events : max;
      OK(fabs(plan.rate * part.parts - 90) < 1e-9 && plan.cfg.rate == 90,
         "a share of the rate");
      OK(plan.threads == 4 && plan.first_thread == 4 * part.part &&
           plan.all_threads == 4 * part.parts,
         "the threads of this part");
      OK(plan.seed == 42 && plan.peers == &peers, "the seed of process 0");
      plan_done(&plan);
    }
    OK(sum == row[i].events, "the sum of the shares is the whole");
    OK(max - min <= 1, "shares differ by one at most");
  }
}

static void test_no_limit(void)
{
  struct plan_part part = { .parts = 3, .all_threads = 12 };
  struct plan_input in = usual();
  struct plan plan;

  in.part = &part;
  cfg.events = 0;
  plan = plan_of(&in);
  OK(plan.events == PLAN_NO_LIMIT, "a part of a run without a limit has none");
  plan_done(&plan);
}

int main(void)
{
  test_alone();
  test_patience();
  test_clients();
  test_needs();
  test_part();
  test_no_limit();
  return TAP_EXIT();
}
