/*
 * test_churn.c - how long connections live: what the options accept, and the
 * lives that follow.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "db/churn.h"
#include "tests/unit/tap.h"

static const struct {
  const char *text;
  int rc;
  uint64_t min, max;
} events[] = {
  { "off", 0, 0, 0 },         { "1", 0, 1, 1 },
  { "5..9", 0, 5, 9 },        { "5..5", 0, 5, 5 },
  { "0", -EINVAL, 7, 7 },     { "", -EINVAL, 7, 7 },
  { "9..5", -EINVAL, 7, 7 },  { "5..", -EINVAL, 7, 7 },
  { "..5", -EINVAL, 7, 7 },   { "1.5", -EINVAL, 7, 7 },
  { "1..2..3", -EINVAL, 7, 7 }, { "-1", -EINVAL, 7, 7 },
}, times[] = {
  { "off", 0, 0, 0 },
  { "1", 0, NS_PER_S, NS_PER_S },
  { "500ms..1m", 0, NS_PER_S / 2, 60 * NS_PER_S },
  { "1.5..2.5", 0, 3 * NS_PER_S / 2, 5 * NS_PER_S / 2 },
  { "0", -EINVAL, 7, 7 },
  { "169h", -EINVAL, 7, 7 },
  { "2s..1s", -EINVAL, 7, 7 },
  { "nan", -EINVAL, 7, 7 },
}, units[] = {
  { "30s", 0, 30 * NS_PER_S, 30 * NS_PER_S },
  { "500ms..1m", 0, NS_PER_S / 2, 60 * NS_PER_S },
  { "10..30s", 0, 10 * NS_PER_S, 30 * NS_PER_S },
};

static bool is_range(struct churn_range r, uint64_t min, uint64_t max)
{
  return r.min == min && r.max == max;
}

/* A unit makes a time of a number. */
static void test_parse(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
    const uint64_t before = events[i].rc < 0 ? 7 : 0;
    struct churn_cfg c = { { 7, 7 }, { 7, 7 } };

    OK(churn_parse(events[i].text, &c) == events[i].rc &&
         is_range(c.events, events[i].min, events[i].max) &&
         is_range(c.time_ns, before, before),
       events[i].text);
  }
  for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
    struct churn_range r = { 7, 7 };

    OK(churn_parse_time(times[i].text, &r) == times[i].rc &&
         is_range(r, times[i].min, times[i].max),
       times[i].text);
  }
  for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
    struct churn_cfg c = { { 7, 7 }, { 7, 7 } };

    OK(churn_parse(units[i].text, &c) == 0 && is_range(c.events, 0, 0) &&
         is_range(c.time_ns, units[i].min, units[i].max),
       units[i].text);
  }
}

/* Events until the next life begins. */
static unsigned live(struct churn *c, uint64_t now)
{
  unsigned n = 1;

  while (!churn_is_due(c, now))
    n++;
  churn_begin(c, now);
  return n;
}

static void test_events(void)
{
  const struct churn_cfg cfg = { .events = { 3, 5 } };
  unsigned first[6] = { 0 }, later[6] = { 0 };

  for (uint64_t client = 0; client < 3000; client++) {
    struct churn c;

    churn_init(&c, &cfg, 1, client, 0);
    first[live(&c, 0)]++;
    later[live(&c, 0)]++;
  }
  OK(first[1] > 500 && first[2] > 500 && first[3] > 500 && first[5] > 100,
     "the first lives are parts of whole ones");
  OK(later[1] == 0 && later[2] == 0 && later[3] > 900 && later[4] > 900 &&
       later[5] > 900,
     "later ones are as long as was asked for");
}

static void test_time(void)
{
  const struct churn_cfg cfg = { .time_ns = { 100, 200 } };
  uint64_t early = 0;
  bool right = true;

  for (uint64_t client = 0; client < 1000; client++) {
    struct churn c;

    churn_init(&c, &cfg, 1, client, 5000);
    early += churn_is_due(&c, 5060);
    right &= churn_is_due(&c, 5200);
    churn_begin(&c, 6000);
    right &= !churn_is_due(&c, 6099) && churn_is_due(&c, 6200);
  }
  OK(right, "a life ends between its limits");
  OK(early > 250 && early < 600, "the first ones are parts of whole ones");
}

int main(void)
{
  test_parse();
  test_events();
  test_time();
  return TAP_EXIT();
}
