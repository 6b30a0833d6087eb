#include "run/storm.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/storm_report.h"

/* The client writes, the report reads. */
struct guest {
  _Atomic uint64_t connected_ns; /* since its storm began; 0: not yet */
  _Atomic uint64_t served_ns;    /* likewise */
};

struct wave {
  struct storm_wave set;
  struct guest *guests; /* [set.clients] of storms.guests */
  pthread_mutex_t lock; /* protects the rest */
  unsigned failed;
  char reason[STORM_REASON];
};

struct storms {
  unsigned n;
  struct wave *of;             /* owned; [n] */
  struct guest *guests;        /* owned; of all storms */
  struct storm_report *report; /* owned; [n] */
};

int storms_new(struct storms **ret, const struct plan *plan, struct err *err)
{
  struct storms *s = calloc(1, sizeof(*s));
  struct guest *next;

  if (s) {
    s->of = calloc(plan->storm.n, sizeof(*s->of));
    s->guests = calloc(plan->storm.clients, sizeof(*s->guests));
    s->report = calloc(plan->storm.n, sizeof(*s->report));
  }
  if (!s || !s->of || !s->guests || !s->report) {
    storms_free(s);
    return err_set(err, -ENOMEM, "cannot allocate %u clients of storms",
                   plan->storm.clients);
  }
  next = s->guests;
  for (; s->n < plan->storm.n; s->n++) {
    struct wave *wave = &s->of[s->n];

    (void)pthread_mutex_init(&wave->lock, NULL);
    wave->set = plan->storm.of[s->n];
    wave->guests = next;
    next += wave->set.clients;
  }
  *ret = s;
  return 0;
}

void storms_free(struct storms *s)
{
  if (!s)
    return;
  for (unsigned i = 0; i < s->n; i++)
    (void)pthread_mutex_destroy(&s->of[i].lock);
  free(s->of);
  free(s->guests);
  free(s->report);
  free(s);
}

/* `guest`: a number among the clients of all storms. */
static struct wave *find_wave(struct storms *s, unsigned guest)
{
  struct wave *wave = s->of;

  while (guest >= wave->set.clients) {
    guest -= wave->set.clients;
    wave++;
  }
  return wave;
}

static void storm_note_failed(struct wave *wave, const struct err *why)
{
  (void)pthread_mutex_lock(&wave->lock);
  if (wave->failed++ == 0)
    (void)snprintf(wave->reason, sizeof(wave->reason), "%.*s", STORM_REASON - 1,
                   why->text);
  (void)pthread_mutex_unlock(&wave->lock);
}

/* 0: did not happen. */
static void storm_note_time(_Atomic uint64_t *to, uint64_t now_ns,
                            uint64_t due_ns)
{
  atomic_store_explicit(to, now_ns > due_ns ? now_ns - due_ns : 1,
                        memory_order_release);
}

int storm_loop(struct worker *w, void *thr, struct err *err)
{
  const struct test_ops *ops = w->run->test->ops;
  const unsigned number = w->tid - plan_clients(w->plan);
  struct storms *s = w->run->storms;
  struct wave *wave = find_wave(s, number);
  struct guest *guest = &s->guests[number];
  const uint64_t due = w->run->measured_ns + wave->set.at_ns,
                 now = clock_now_ns();
  uint64_t last;
  int rc;

  if (!worker_linger(w, due > now ? due - now : 0) || !worker_return(w))
    return 0;
  rc = ops->arrive(thr, w, err);
  if (rc < 0) {
    if (rc != -ECANCELED) /* else the run has ended */
      storm_note_failed(wave, err);
    err->text[0] = '\0';
    return 0;
  }
  storm_note_time(&guest->connected_ns, clock_now_ns(), due);
  rc = ops->loop(thr, w, err);
  last = atomic_load_explicit(&w->recorder->service.last_ns,
                              memory_order_relaxed);
  if (last > due)
    storm_note_time(&guest->served_ns, last, due);
  return rc;
}

/* `none` of `of` are 0. */
static void storm_fill_times(struct storm_times *ret, uint64_t *of, unsigned n)
{
  unsigned none = 0;
  const uint64_t *have;

  qsort(of, n, sizeof(of[0]), order_u64);
  while (none < n && of[none] == 0)
    none++;
  have = of + none;
  n -= none;
  *ret = (struct storm_times){ .count = n };
  if (n == 0)
    return;
  ret->p50_ns = have[(n - 1) / 2];
  ret->p99_ns = have[(unsigned)ceil(0.99 * n) - 1];
  ret->max_ns = have[n - 1];
}

static void report_wave(struct wave *wave, struct storm_report *ret)
{
  const unsigned n = wave->set.clients;
  uint64_t *times = calloc(n, sizeof(*times));

  *ret = (struct storm_report){ .at_ns = wave->set.at_ns, .clients = n };
  (void)pthread_mutex_lock(&wave->lock);
  ret->failed = wave->failed;
  memcpy(ret->reason, wave->reason, sizeof(ret->reason));
  (void)pthread_mutex_unlock(&wave->lock);
  if (!times)
    return;
  for (unsigned i = 0; i < n; i++)
    times[i] = atomic_load_explicit(&wave->guests[i].connected_ns,
                                    memory_order_acquire);
  storm_fill_times(&ret->connected, times, n);
  for (unsigned i = 0; i < n; i++)
    times[i] = atomic_load_explicit(&wave->guests[i].served_ns,
                                    memory_order_acquire);
  storm_fill_times(&ret->served, times, n);
  free(times);
}

const struct storm_report *storms_report(struct storms *s)
{
  for (unsigned i = 0; i < s->n; i++)
    report_wave(&s->of[i], &s->report[i]);
  return s->report;
}
