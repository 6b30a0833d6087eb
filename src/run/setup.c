/*
 * setup.c - makes what a run needs before its first thread, and frees it after
 * the last one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "rand/rng.h"
#include "rand/stream.h"
#include "report/reporter.h"
#include "run/conductor.h"
#include "run/members.h"
#include "run/plan.h"
#include "run/schedule.h"
#include "run/slo_stop.h"
#include "run/stall.h"
#include "run/test.h"
#include "run/workers.h"
#include "stats/class_stats.h"
#include "stats/event_ring.h"

/* Make the places where classes of operations are counted, if they are
 * wanted. */
static int make_classes(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  int rc = 0;

  if (plan->classes)
    rc = class_set_new(&run->classes, plan_event_threads(plan), err);
  if (rc == 0 && plan->report.details &&
      (plan_rated_by(plan) || run_members_rated(run->test->members))) {
    rc = class_set_new(&run->rated, plan_event_threads(plan), err);
    if (rc == 0) {
      (void)class_id(run->rated, "service_time", strlen("service_time"));
      (void)class_id(run->rated, "lag", strlen("lag"));
    }
  }
  return rc;
}

static int make_schedule(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;

  if (plan->curve)
    return schedule_new_curve(&run->schedule, plan->curve, plan->warmup_ns,
                              plan->seed, plan->part, plan->parts, err);
  if (plan->rate > 0.0)
    return schedule_new(&run->schedule, plan->rate, plan->seed, plan->part,
                        err);
  return 0;
}

static int make_workers(struct run *run, struct err *err)
{
  const struct plan *plan = run->plan;
  int rc;

  rc = recorders_init(&run->recorders, plan->threads, plan->percentiles, err);
  if (rc == 0)
    rc = stall_init(run, err);
  if (rc == 0)
    rc = delay_init(run, err);
  if (rc == 0)
    rc = make_classes(run, err);
  if (rc == 0)
    rc = make_schedule(run, err);
  if (rc < 0)
    return rc;
  run->workers = mem_aligned(plan->threads, sizeof(*run->workers), CACHE_LINE);
  run->streams = mem_aligned(plan->threads, sizeof(*run->streams), CACHE_LINE);
  if (!run->workers || !run->streams)
    return err_set(err, -ENOMEM, "cannot allocate %u %ss", plan->threads,
                   plan_worker_word(plan));
  for (unsigned i = 0; i < plan->threads; i++) {
    struct worker *w = &run->workers[i];

    rand_stream_init(&run->streams[i], plan->rand, plan->seed, RNG_WORKLOAD,
                     plan->first_thread + i,
                     plan->all_threads + plan->storm.clients);
    rng_seed(&w->think, plan->seed, RNG_THINK, plan->first_thread + i);
    w->tid = i;
    w->rand = &run->streams[i];
    w->recorder = &run->recorders.of[i];
    w->recorders = &run->recorders;
    w->plan = plan;
    w->run = run;
    w->event_class = EVENT_NO_CLASS;
    atomic_init(&w->queue_ns, UINT64_MAX);
    if (plan->event_rings)
      w->events = &plan->event_rings->of[i];
    if (run->classes)
      w->classes = class_recorder_of(run->classes, plan_event_thread(plan, i));
    if (run->rated)
      w->rated = class_recorder_of(run->rated, plan_event_thread(plan, i));
    w->sample_ns = UINT64_MAX;
    w->watched = w->events || w->rated || plan->warmup_ns > 0;
    w->late = storm_has(plan, i);
    /* Its event is due when its storm is. */
    w->schedule = w->late ? NULL : run->schedule;
  }
  if (plan->storm.n > 0)
    rc = storms_new(&run->storms, plan, err);
  if (rc == 0)
    rc = workers_make_clients(run, err);
  if (rc < 0)
    return rc;
  atomic_store(&run->tickets, plan->events);
  atomic_store(&run->decided_ns, UINT64_MAX);
  return members_make(run, err);
}

void conductor_done(struct conductor *c)
{
  struct run *run = &c->run;

  if (c->opened && run->test->ops->close)
    run->test->ops->close(run->test_run);
  periods_done(&c->periods);
  slo_stop_free(run->slo_stop);
  schedule_free(run->schedule);
  members_done(run);
  recorders_done(&run->recorders);
  outages_done(&run->outages);
  class_set_free(run->classes);
  class_set_free(run->rated);
  delay_done(run);
  life_done(run);
  storms_free(run->storms);
  free(run->workers);
  for (unsigned i = 0; run->streams && i < run->plan->threads; i++)
    rand_stream_done(&run->streams[i]);
  free(run->streams);
  workers_drop_clients(run);
}

int conductor_set_up(struct conductor *c, const void *cfg, struct err *err)
{
  struct run *run = &c->run;
  const struct test_ops *ops = run->test->ops;
  struct strbuf mode = { 0 }, extra = { 0 };
  int rc;

  rc = ops->open(run->plan, cfg, &run->test_run, err);
  if (rc < 0)
    return rc;
  c->opened = true;
  run->report_setup.form = run->test->form;
  if (run->test->members) {
    run->report_setup.n_members = run->test->members->n;
    run->report_setup.members = run->test->members->of;
  }
  if (run_members_rated(run->test->members))
    run->report_setup.rate = true;
  if (ops->setup)
    ops->setup(run->test_run, &run->report_setup);
  rc = reporters_begin(run->reporters, run->n_reporters, &run->report_setup,
                       err);
  if (rc < 0)
    return rc;
  if (ops->mode_line)
    ops->mode_line(run->test_run, &extra);
  plan_describe(run->plan, strbuf_str(&extra), &mode);
  log_msg(LOG_NOTICE, "%s", strbuf_str(&mode));
  strbuf_done(&mode);
  strbuf_done(&extra);
  if (ops->describe)
    ops->describe(run->test_run);
  if (ops->stop_word)
    ops->stop_word(run->test_run, &run->stop);
  if (ops->begin) {
    rc = ops->begin(run->test_run, err);
    if (rc < 0)
      return rc;
  }
  rc = make_workers(run, err);
  if (rc == 0)
    rc = periods_init(&c->periods, &run->recorders,
                      &(struct periods_want){
                        .per_thread = run->plan->cfg.debug,
                        .details = run->plan->report.details,
                        .classes = run->classes,
                        .rated = run->rated,
                        .members = run->members,
                        .tally = { run->test->ops->tally, run->test_run },
                        .sums = run->report_setup.sums,
                      },
                      err);
  run->periods = &c->periods;
  if (rc == 0 && run->plan->cfg.until_decided && run->plan->report.slo.n > 0 &&
      !run->plan->peers)
    rc = slo_stop_new(&run->slo_stop, run, err);
  return rc;
}
