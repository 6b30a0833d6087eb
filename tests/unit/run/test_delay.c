/*
 * test_delay.c - which events are measured, so that what this machine added to
 * their latency is known.
 */
#include "run/delay.h"

#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/unit/tap.h"

/* Only events take time. */
static uint64_t fake_now_ns = NS_PER_S;

uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void)
{
  return fake_now_ns;
}

/* A server that is slow at every n-th event of a client: as many of the
 * measured events are slow as of all, but for chance (four standard
 * deviations). */
static void test_slow_now_and_then(unsigned every, uint64_t slow_ns)
{
  static const struct test test;
  const struct plan plan = { .threads = 4 };
  struct run run = { .plan = &plan, .test = &test, .measured_ns = fake_now_ns };
  struct worker w = {
    .plan = &plan, .run = &run, .sample_at = UINT64_MAX, .sample_ns = UINT64_MAX
  };
  unsigned measured = 0, slow = 0;
  double wanted;
  struct client_delays got;
  struct err err;

  OK(delay_init(&run, &err) == 0, "delays are kept");
  delay_start(&w);
  for (unsigned i = 1; i <= 400000; i++) {
    const uint64_t took = i % every == 0 ? slow_ns : NS_PER_MS;
    bool is_measured;

    if (fake_now_ns >= w.sample_ns)
      delay_choose(&w, fake_now_ns);
    is_measured = w.iteration + 1 >= w.sample_at;
    if (is_measured)
      (void)delay_begin(&w);
    w.iteration++;
    fake_now_ns += took;
    if (is_measured) {
      delay_end(&w, took);
      measured++;
      slow += took == slow_ns;
    }
  }
  delay_measured(&run, &got);
  OK(got.events == measured, "each measured event is counted");
  OK(fabs((double)slow - (double)measured / every) <
       4 * sqrt((double)measured / every),
     "slow events are measured as often as others");
  wanted = (double)(fake_now_ns - run.measured_ns) /
           (double)run.delays.every_ns;
  OK(measured > 0.5 * wanted && measured < 1.1 * wanted,
     "and not more than are wanted, nor far fewer after stalls");
  printf("# one of %u: %u of %u\n", every, slow, measured);
  delay_done(&run);
}

int main(void)
{
  test_slow_now_and_then(50, 20 * NS_PER_MS);
  test_slow_now_and_then(8, 2 * NS_PER_MS);
  test_slow_now_and_then(100, 3 * NS_PER_MS);
  test_slow_now_and_then(400, 500 * NS_PER_MS);
  return TAP_EXIT();
}
