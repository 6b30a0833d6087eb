/*
 * latency_sample.c - samples of the time of a dependent access.
 */
#include "base/clock.h"
#include "run/worker.h"
#include "tests/memory/latency.h"
#include "tests/memory/summary.h"

enum {
  SAMPLES_MIN = 7,
  STEPS_FIRST = 512,
  STEPS_MIN = 64,
  ATTEMPTS_MAX = 256,
  WARM_STEPS = 4096, /* steps between checks of the clock */
};

#define SAMPLE_NS (100 * NS_PER_US)
#define SAMPLE_MIN_NS (10 * NS_PER_US)
/* Samples agree if the lower quartile is this close to the median. */
#define AGREE 0.01
/* A sample that took this multiple of its planned time was disturbed. */
#define LOST 20

static void adapt(struct latency_samples *s, double ns_per_step)
{
  const double steps = (double)s->sample_ns /
                       (ns_per_step > 0 ? ns_per_step : 1);

  s->steps = steps > STEPS_MIN ? (size_t)steps : STEPS_MIN;
}

bool latency_sample(struct latency_samples *s, struct chase *c,
                    struct worker *w)
{
  uint64_t begin_ns, took_ns;
  long before;
  size_t steps;

  if (!worker_more(w))
    return false;
  before = place_switches();
  worker_start(w);
  begin_ns = clock_now_ns();
  steps = chase_run(c, s->steps > 0 ? s->steps : STEPS_FIRST);
  took_ns = clock_now_ns() - begin_ns;
  worker_stop(w);
  if (s->steps == 0) { /* this finds out how many steps a sample needs */
    adapt(s, (double)took_ns / (double)steps);
    return true;
  }
  if (place_switches() != before || took_ns > LOST * s->sample_ns) {
    s->dropped++;
  } else if (s->n < LATENCY_SAMPLES_MAX) {
    s->ns[s->n++] = (double)took_ns / (double)steps;
    adapt(s, s->ns[s->n - 1]);
  }
  return true;
}

static void summarize(struct latency_samples *s, struct latency_point *ret)
{
  summary_sort(s->ns, s->n);
  ret->ns = summary_quantile(s->ns, s->n, 0.25);
  ret->median = summary_quantile(s->ns, s->n, 0.5);
  ret->kept = s->n;
  ret->dropped = s->dropped;
}

bool latency_measure(struct chase *c, struct worker *w, uint64_t for_ns,
                     struct latency_point *ret)
{
  const uint64_t until_ns = clock_now_ns() + for_ns;
  struct latency_samples s = { .sample_ns = for_ns / (2 * SAMPLES_MIN) };

  if (s.sample_ns > SAMPLE_NS)
    s.sample_ns = SAMPLE_NS;
  if (s.sample_ns < SAMPLE_MIN_NS)
    s.sample_ns = SAMPLE_MIN_NS;
  while (s.n + s.dropped < ATTEMPTS_MAX && s.n < LATENCY_SAMPLES_MAX) {
    if (!latency_sample(&s, c, w))
      return false;
    if (s.n < SAMPLES_MIN)
      continue;
    summarize(&s, ret);
    if (clock_now_ns() >= until_ns ||
        (s.n >= 3 * SAMPLES_MIN && ret->median - ret->ns < AGREE * ret->median))
      break;
  }
  summarize(&s, ret);
  return true;
}

bool latency_warm(struct chase *c, uint64_t for_ns)
{
  const uint64_t begin_ns = clock_now_ns();
  size_t done = 0;

  while (done < c->lines && clock_now_ns() - begin_ns < for_ns)
    done += chase_run(c, c->lines < WARM_STEPS ? c->lines : WARM_STEPS);
  return done >= c->lines;
}

bool latency_await_measured(struct worker *w)
{
  char line[2 * sizeof(void *)] __attribute__((aligned(sizeof(void *))));
  struct chase c;

  chase_init(&c, line, sizeof(line), 0);
  do {
    if (!worker_more(w))
      return false;
    worker_start(w);
    (void)chase_run(&c, 10000);
    worker_stop(w);
  } while (!w->counted);
  return true;
}
