/*
 * test_storm.c - clients that come all at once: what --storm accepts, who they
 * are, and the report of some that did not come, and of two that did.
 */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/storm.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/storm_report.h"
#include "tests/unit/tap.h"

#define SIXTEEN \
  "1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1,1@1"

static const struct {
  const char *text;
  int rc;
  struct storm_plan plan;
} texts[] = {
  { "off", 0, { 0 } },
  { "1@0", 0, { .n = 1, .clients = 1, .of = { { 0, 1 } } } },
  { "500@10s",
    0,
    { .n = 1, .clients = 500, .of = { { 10 * NS_PER_S, 500 } } } },
  { "7@250ms", 0, { .n = 1, .clients = 7, .of = { { NS_PER_S / 4, 7 } } } },
  /* In the order of their moments. */
  { "2@20,3@1m,1@1.5",
    0,
    { .n = 3,
      .clients = 6,
      .of = { { NS_PER_S * 3 / 2, 1 },
              { 20 * NS_PER_S, 2 },
              { 60 * NS_PER_S, 3 } } } },
  { "99999@1,1@2",
    0,
    { .n = 2,
      .clients = 100000,
      .of = { { NS_PER_S, 99999 }, { 2 * NS_PER_S, 1 } } } },
  { "", -EINVAL, { 0 } },
  { "5", -EINVAL, { 0 } },
  { "@5", -EINVAL, { 0 } },
  { "5@", -EINVAL, { 0 } },
  { "0@5", -EINVAL, { 0 } },
  { "-1@5", -EINVAL, { 0 } },
  { "5@-1", -EINVAL, { 0 } },
  { "5@nan", -EINVAL, { 0 } },
  { "5@1e300", -EINVAL, { 0 } },
  { "5@1,", -EINVAL, { 0 } },
  { ",5@1", -EINVAL, { 0 } },
  { "5@1@2", -EINVAL, { 0 } },
  { "100001@1", -EINVAL, { 0 } },
  { "99999@1,2@2", -EINVAL, { 0 } },
  { "99999999999999999999@1", -EINVAL, { 0 } },
  { SIXTEEN "," SIXTEEN ",1@1", -EINVAL, { 0 } },
  { "00000000000000000000000000000000000000000000001@1", -EINVAL, { 0 } },
};

static bool same(const struct storm_plan *a, const struct storm_plan *b)
{
  bool all = a->n == b->n && a->clients == b->clients;

  for (unsigned i = 0; all && i < a->n; i++)
    all = a->of[i].at_ns == b->of[i].at_ns &&
          a->of[i].clients == b->of[i].clients;
  return all;
}

static void test_parse(void)
{
  struct storm_plan many;

  for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
    struct storm_plan got = { 0 };

    OK(storm_plan_parse(texts[i].text, &got) == texts[i].rc, texts[i].text);
    OK(same(&got, &texts[i].plan), "its storms");
  }
  OK(storm_plan_parse(SIXTEEN "," SIXTEEN, &many) == 0 && many.n == STORM_WAVES,
     "as many storms as there may be");
}

static void test_who(void)
{
  const struct plan plan = { .threads = 10, .storm = { .n = 1, .clients = 6 } };

  OK(plan_clients(&plan) == 4, "storms add to the clients");
}

static void test_nobody(void)
{
  struct plan plan = { .threads = 6 };
  const struct storm_report *r;
  struct storms *s = NULL;
  struct err err;

  (void)storm_plan_parse("2@1,3@2", &plan.storm);
  OK(storms_new(&s, &plan, &err) == 0, "there is memory");
  r = storms_report(s);
  OK(r[0].at_ns == NS_PER_S && r[0].clients == 2 && r[1].clients == 3,
     "what was planned");
  OK(r[0].connected.count == 0 && r[0].served.count == 0 && r[0].failed == 0 &&
       r[0].reason[0] == '\0',
     "nobody has come");
  storms_free(s);
}

static int connect_at_once(void *thr, struct worker *w, struct err *err)
{
  (void)thr, (void)w, (void)err;
  return 0;
}

static int no_events(void *thr, struct worker *w, struct err *err)
{
  (void)thr, (void)w, (void)err;
  return 0;
}

/* Two of a storm connect, one at once and the other half a minute after it. */
static void test_times(void)
{
  static const struct test_ops ops = { .arrive = connect_at_once,
                                       .loop = no_events };
  static const struct test test = { .ops = &ops };
  static const uint64_t ago_ns[] = { 30 * NS_PER_S, NS_PER_MS };
  struct plan plan = { .threads = 2 };
  struct run run = { .plan = &plan, .test = &test, .end_ns = UINT64_MAX };
  const struct storm_times *t;
  struct recorders recorders;
  struct err err = { "" };

  (void)storm_plan_parse("2@0", &plan.storm);
  MUST(storms_new(&run.storms, &plan, &err) == 0 &&
       recorders_init(&recorders, 1, false, &err) == 0);
  for (unsigned i = 0; i < 2; i++) {
    struct worker w = { .tid = i,
                        .run = &run,
                        .plan = &plan,
                        .counted = true,
                        .recorder = &recorders.of[0] };

    run.measured_ns = clock_now_ns() - ago_ns[i];
    MUST(storm_loop(&w, NULL, &err) == 0);
  }
  t = &storms_report(run.storms)->connected;
  OK(t->count == 2 && t->p50_ns >= NS_PER_MS && t->p50_ns < 30 * NS_PER_S &&
       t->p99_ns >= 30 * NS_PER_S && t->max_ns == t->p99_ns,
     "the median of two is the first, their 99th percentile the last");
  OK(storms_report(run.storms)->served.count == 0, "nobody was served");
  recorders_done(&recorders);
  storms_free(run.storms);
}

int main(void)
{
  test_parse();
  test_who();
  test_nobody();
  test_times();
  return TAP_EXIT();
}
