#include "run/stall.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "report/form.h"
#include "run/arrivals.h"
#include "run/plan.h"
#include "run/run.h"
#include "run/test.h"
#include "stats/outage_report.h"

/* Mean times between successes, without errors. */
#define USUAL_GAPS 10

struct view {
  uint64_t served_ns; /* the last success */
  uint64_t wanted_ns; /* UINT64_MAX: none waits */
  unsigned waiting;
  const struct service_error *fault; /* after served_ns; or NULL */
};

static bool stall_has_service(const struct test *test)
{
  return test->ops->in_process || (test->form && test->form->has_statements);
}

int stall_init(struct run *run, struct err *err)
{
  const bool watched = stall_has_service(run->test);
  struct outages *o = &run->outages;
  int rc = outages_init(o, watched ? run->plan->stall_ns : 0, err);

  if (rc < 0)
    return rc;
  for (unsigned i = 0; o->limit_ns > 0 && i < run->plan->threads; i++)
    run->recorders.of[i].service.all = o;
  return 0;
}

void stall_start(struct run *run, uint64_t now_ns)
{
  for (unsigned i = 0; i < run->plan->threads; i++)
    service_start(&run->recorders.of[i].service, now_ns);
  atomic_store(&run->outages.recent_ns, now_ns);
}

static uint64_t stall_last_of(const struct service *s)
{
  return atomic_load_explicit(&s->last_ns, memory_order_relaxed);
}

/* `ended`: after the loops, given-up events count. */
static bool stall_waits(const struct worker *w, bool ended, uint64_t *ret_since)
{
  const struct service *s = &w->recorder->service;
  const uint64_t unserved = atomic_load_explicit(&s->unserved_ns,
                                                 memory_order_relaxed);
  const uint32_t phase = atomic_load_explicit(&w->phase, memory_order_relaxed);

  *ret_since = service_wants_since(s);
  if (phase == WORKER_EVENT || phase == WORKER_BETWEEN)
    return true;
  if (!ended || unserved < stall_last_of(s) || unserved == 0)
    return false;
  *ret_since = unserved;
  return true;
}

/* Or shortly before. */
static void stall_note_fault(struct view *v, const struct service *s,
                             uint64_t from_ns)
{
  const struct service_error *f = &s->fault;

  if (f->at_ns == 0 || f->at_ns + s->all->limit_ns < from_ns)
    return;
  if (!v->fault || f->at_ns < v->fault->at_ns)
    v->fault = f;
}

/* Under the lock. */
static void stall_look(const struct run *run, bool ended, struct view *v)
{
  *v = (struct view){ .wanted_ns = UINT64_MAX };
  for (unsigned i = 0; i < run->plan->threads; i++) {
    const struct worker *w = &run->workers[i];
    uint64_t since;

    v->served_ns = max_u64(v->served_ns, stall_last_of(&w->recorder->service));
    if (!stall_waits(w, ended, &since))
      continue;
    v->wanted_ns = min_u64(v->wanted_ns, since);
    v->waiting++;
  }
  for (unsigned i = 0; i < run->plan->threads; i++)
    stall_note_fault(v, &run->workers[i].recorder->service, v->served_ns);
}

static uint64_t stall_limit(const struct run *run, const struct view *v,
                            uint64_t now_ns)
{
  const uint64_t events = recorders_events(&run->recorders);
  const uint64_t limit_ns = run->outages.limit_ns;

  if (v->fault)
    return limit_ns;
  return max_u64(limit_ns,
                 (now_ns - run->start_ns) / (events + 1) * USUAL_GAPS);
}

/* UINT64_MAX: no stall. */
static uint64_t stall_stalled_since(const struct run *run, const struct view *v,
                                    uint64_t now_ns)
{
  uint64_t from;

  if (v->wanted_ns == UINT64_MAX)
    return UINT64_MAX;
  from = max_u64(v->served_ns, v->wanted_ns);
  return now_ns > from && now_ns - from > stall_limit(run, v, now_ns)
           ? from
           : UINT64_MAX;
}

/* Under the lock.  The warm-up does not count. */
static void stall_keep(struct run *run, const struct view *v, uint64_t now_ns,
                       int64_t ended_by)
{
  uint64_t from = stall_stalled_since(run, v, now_ns);
  struct stall s;

  if (from == UINT64_MAX || now_ns <= run->measured_ns)
    return;
  from = max_u64(from, run->measured_ns);
  s = (struct stall){ .from_ns = from,
                      .to_ns = now_ns,
                      .clients = v->waiting,
                      .ended_by = ended_by };
  if (v->fault)
    s.fault = *v->fault;
  outages_keep(&run->outages, &s);
}

/* A success after an outage. */
static void stall_back(struct service *s, const struct run *run, uint64_t last,
                       uint64_t now_ns)
{
  const uint64_t noticed = max_u64(s->fault.at_ns, run->measured_ns);

  last = max_u64(last, run->measured_ns);
  if (now_ns <= last)
    return;
  s->outages++;
  s->down_ns += now_ns - last;
  s->longest_ns = max_u64(s->longest_ns, now_ns - last);
  if (now_ns > noticed)
    s->noticed_ns = max_u64(s->noticed_ns, now_ns - noticed);
}

void stall_over(struct worker *w, uint64_t now_ns)
{
  struct service *s = &w->recorder->service;
  struct run *run = w->run;
  struct outages *o = &run->outages;
  const uint64_t last = stall_last_of(s);
  struct view v;

  if (now_ns <= last) /* the clock was corrected */
    return;
  if (s->down) {
    (void)pthread_mutex_lock(&o->lock);
    stall_back(s, run, last, now_ns);
    s->down = false;
    s->patience_ns = o->limit_ns;
    (void)pthread_mutex_unlock(&o->lock);
  }
  if (now_ns - last <= o->limit_ns)
    return;
  /* Most clients that pause see that another was served. */
  if (now_ns <=
      atomic_load_explicit(&o->recent_ns, memory_order_relaxed) + o->limit_ns)
    return;
  (void)pthread_mutex_lock(&o->lock);
  if (now_ns >
      atomic_load_explicit(&o->recent_ns, memory_order_relaxed) + o->limit_ns) {
    stall_look(run, false, &v);
    stall_keep(run, &v, now_ns, (int64_t)run->plan->first_thread + w->tid);
    /* Others skip it. */
    atomic_store_explicit(&s->last_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&o->recent_ns, now_ns, memory_order_relaxed);
  }
  (void)pthread_mutex_unlock(&o->lock);
}

uint64_t stall_sum_ns(struct run *run, uint64_t now_ns)
{
  struct outages *o = &run->outages;
  uint64_t sum, from;
  struct view v;

  if (o->limit_ns == 0)
    return 0;
  (void)pthread_mutex_lock(&o->lock);
  sum = atomic_load_explicit(&o->sum_ns, memory_order_relaxed);
  stall_look(run, false, &v);
  from = stall_stalled_since(run, &v, now_ns);
  if (from != UINT64_MAX && now_ns > run->measured_ns)
    sum += now_ns - max_u64(from, run->measured_ns);
  (void)pthread_mutex_unlock(&o->lock);
  return sum;
}

/* Under the lock. */
static void stall_add_client(const struct run *run, struct service *s,
                             uint64_t end_ns, struct outage_report *ret)
{
  const uint64_t last = stall_last_of(s);

  if (s->down && end_ns > last && end_ns > run->measured_ns) {
    stall_back(s, run, last, end_ns);
    ret->still_down++;
  }
  ret->outages += s->outages;
  ret->unserved_ns += s->down_ns;
  ret->affected += s->outages > 0;
}

static void stall_add_clients(struct run *run, uint64_t end_ns,
                              struct outage_report *ret)
{
  uint64_t *all;
  unsigned n = 0;

  for (unsigned i = 0; i < run->plan->threads; i++)
    stall_add_client(run, &run->recorders.of[i].service, end_ns, ret);
  all = ret->affected > 0 ? calloc(ret->affected, 2 * sizeof(*all)) : NULL;
  free(run->outages.longest);
  run->outages.longest = all;
  if (!all)
    return;
  for (unsigned i = 0; i < run->plan->threads; i++) {
    const struct service *s = &run->recorders.of[i].service;

    if (s->outages == 0)
      continue;
    all[n] = s->longest_ns;
    all[ret->affected + n++] = s->noticed_ns;
  }
  ret->unavailable = outage_spread_of(all, n);
  ret->noticed = outage_spread_of(all + ret->affected, n);
  ret->n_longest = n;
  ret->longest_of = all;
  ret->noticed_of = all + ret->affected;
}

void stall_report(struct run *run, uint64_t end_ns, struct outage_report *ret)
{
  /* Only events take longer. */
  const uint64_t in_time_ns = min_u64(end_ns, run->end_ns);
  struct outages *o = &run->outages;
  struct view v;

  /* Stalls begin at run->measured_ns at the earliest. */
  *ret = (struct outage_report){ .base_ns = min_u64(run->measured_ns,
                                                    run->life.measured_ns),
                                 .end_ns = end_ns,
                                 .limit_ns = o->limit_ns,
                                 .open_loop = arrivals_any(run),
                                 .clients = run->plan->threads };
  (void)pthread_mutex_lock(&o->lock);
  stall_look(run, true, &v);
  stall_keep(run, &v, atomic_load(&run->forced) ? end_ns : in_time_ns, -1);
  outages_sort(o);
  arrivals_in_stalls(run, o->of, o->n);
  for (unsigned i = 0; i < o->n; i++) {
    ret->longest_ns = max_u64(ret->longest_ns,
                              o->of[i].to_ns - o->of[i].from_ns);
    ret->arrivals += o->of[i].arrivals;
  }
  ret->n_stalls = o->n;
  ret->stalls = o->of;
  ret->count = atomic_load(&o->count);
  ret->stalled_ns = atomic_load(&o->sum_ns);
  stall_add_clients(run, end_ns, ret);
  memcpy(ret->phases, o->phases, sizeof(ret->phases));
  (void)pthread_mutex_unlock(&o->lock);
  brownouts_report(&run->brownouts, ret);
}
