/*
 * mixtest.c - several tests as one: the run, its workers and their events.
 */
#include "mix/mixtest.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "mix/choice.h"
#include "mix/list.h"
#include "mix/mixrun.h"
#include "run/members.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/class_stats.h"

static const struct test_ops *ops_of(const struct mixrun *run, unsigned member)
{
  return run->cfg->part[member].test->ops;
}

/* ---- the run ---- */

static void close_run(void *arg)
{
  struct mixrun *run = arg;

  for (unsigned i = 0; i < run->opened; i++) {
    if (ops_of(run, i)->close)
      ops_of(run, i)->close(run->of[i]);
  }
  mix_weights_done(&run->weights);
  free(run);
}

static int open_run(const struct plan *plan, const void *cfg, void **ret_run,
                    struct err *err)
{
  const struct mixtest_cfg *mix = cfg;
  struct mixrun *run = calloc(1, sizeof(*run));
  int rc;

  if (!run)
    return err_set(err, -ENOMEM, "not enough memory for the mix");
  run->cfg = mix;
  run->plan = plan;
  run->n = (unsigned)mix->list->n;
  rc = mix_weights_init(&run->weights, mix->list, mix->order, err);
  for (; rc == 0 && run->opened < run->n; run->opened++) {
    const struct mix_part *part = &mix->part[run->opened];

    rc = part->test->ops->open(plan, part->cfg, &run->of[run->opened], err);
    if (rc < 0)
      break;
  }
  if (rc < 0) {
    close_run(run);
    return rc;
  }
  *ret_run = run;
  return 0;
}

/* Prints the line of the mode block. */
static void describe(void *arg)
{
  const struct mixrun *run = arg;
  const struct mix_list *list = run->cfg->list;
  struct strbuf line = { 0 };

  for (size_t i = 0; i < list->n; i++) {
    const struct mix_member *m = &list->of[i];

    strbuf_addf(&line, "%s%s", i > 0 ? ", " : "Mix: ", m->name);
    if (m->weight > 0)
      strbuf_addf(&line, " %.4g%%",
                  100.0 * m->weight / (double)mix_list_weights(list));
    else
      strbuf_addf(&line, " %u client%s", m->clients, m->clients > 1 ? "s" : "");
    if (m->rate > 0.0)
      strbuf_addf(&line, " at %.10g/s", m->rate);
  }
  log_msg(LOG_NOTICE, "%s\n", strbuf_str(&line));
  strbuf_done(&line);
}

static void mode_line(void *arg, struct strbuf *line)
{
  const struct mixrun *run = arg;

  if (ops_of(run, 0)->mode_line) /* all have the same driver */
    ops_of(run, 0)->mode_line(run->of[0], line);
}

static void stop_word(void *arg, _Atomic uint32_t *word)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (ops_of(run, i)->stop_word)
      ops_of(run, i)->stop_word(run->of[i], word);
  }
}

static int begin_run(void *arg, struct err *err)
{
  const struct mixrun *run = arg;
  int rc = 0;

  for (unsigned i = 0; i < run->n && rc == 0; i++) {
    if (ops_of(run, i)->begin)
      rc = ops_of(run, i)->begin(run->of[i], err);
  }
  return rc;
}

/* All are ended; the first error counts. */
static int end_run(void *arg, struct err *err)
{
  const struct mixrun *run = arg;
  struct err later;
  int rc = 0;

  for (unsigned i = 0; i < run->n; i++) {
    struct err *to = rc == 0 ? err : &later;
    int own = ops_of(run, i)->end ? ops_of(run, i)->end(run->of[i], to) : 0;

    rc = rc == 0 ? own : rc;
  }
  return rc;
}

/* ---- threads that carry clients ---- */

struct group {
  struct mixrun *run;
  unsigned opened;
  void *of[MIX_MEMBERS_MAX];
};

static void group_close(void *arg)
{
  struct group *g = arg;

  for (unsigned i = 0; i < g->opened; i++)
    ops_of(g->run, i)->group_close(g->of[i]);
  free(g);
}

static int group_open(void *arg, void **ret_group, struct err *err)
{
  struct mixrun *run = arg;
  struct group *g = calloc(1, sizeof(*g));
  int rc = 0;

  if (!g)
    return err_set(err, -ENOMEM, "not enough memory for the mix");
  g->run = run;
  for (; rc == 0 && g->opened < run->n; g->opened++) {
    rc = ops_of(run, g->opened)
           ->group_open(run->of[g->opened], &g->of[g->opened], err);
    if (rc < 0)
      break;
  }
  if (rc < 0) {
    group_close(g);
    return rc;
  }
  *ret_group = g;
  return 0;
}

/* ---- workers ---- */

struct thread {
  struct mixrun *run;
  struct group *group; /* [opt] */
  struct worker *w;
  unsigned only; /* the only member; run->n: all of them */
  struct mix_choice choice;
  unsigned end;              /* the members below are open, except... */
  void *of[MIX_MEMBERS_MAX]; /* ...those that are NULL */
};

static bool has_member(const struct thread *t, unsigned member)
{
  return t->only == t->run->n || t->only == member;
}

static void thread_close(void *arg)
{
  struct thread *t = arg;

  for (unsigned i = 0; i < t->end; i++) {
    if (t->of[i])
      ops_of(t->run, i)->thread_close(t->of[i]);
  }
  mix_choice_done(&t->choice);
  free(t);
}

/* Each member finds its own group in the worker. */
static int open_members(struct thread *t, struct err *err)
{
  struct worker *w = t->w;
  int rc = 0;

  for (; t->end < t->run->n && rc == 0; t->end++) {
    if (!has_member(t, t->end))
      continue;
    w->group = t->group ? t->group->of[t->end] : NULL;
    rc = ops_of(t->run, t->end)
           ->thread_open(t->run->of[t->end], w, &t->of[t->end], err);
  }
  w->group = t->group;
  return rc;
}

static int thread_open(void *arg, struct worker *w, void **ret_thr,
                       struct err *err)
{
  struct mixrun *run = arg;
  struct thread *t = calloc(1, sizeof(*t));
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "not enough memory for %s %u",
                   plan_worker_word(w->plan),
                   plan_worker_number(w->plan, w->tid));
  t->run = run;
  t->w = w;
  t->group = w->group;
  t->only = run_members_only(run->cfg->members, w->tid);
  w->one_member = t->only < run->n;
  rc = mix_choice_init(&t->choice, &run->weights, run->plan->seed,
                       run->plan->first_thread + w->tid, err);
  if (rc == 0)
    rc = open_members(t, err);
  if (rc < 0) {
    thread_close(t);
    return rc;
  }
  *ret_thr = t;
  return 0;
}

static uint64_t counted(const struct worker *w, enum counter c)
{
  return atomic_load_explicit(&w->recorder->counter[c], memory_order_relaxed);
}

/* The event is open; it ends with the next step of the worker. */
static int run_event(struct thread *t, struct err *err)
{
  struct worker *w = t->w;
  const unsigned member = t->only < t->run->n
                            ? t->only
                            : mix_choose(&t->choice, &t->run->weights);
  const uint64_t errors = counted(w, COUNTER_ERROR);
  const uint64_t reconnects = counted(w, COUNTER_RECONNECT);
  int rc;

  worker_give(w, member);
  rc = ops_of(t->run, member)->turn(t->of[member], w, err);
  if (counted(w, COUNTER_ERROR) != errors ||
      counted(w, COUNTER_RECONNECT) != reconnects)
    class_add_trouble(w->members, member, counted(w, COUNTER_ERROR) - errors,
                      counted(w, COUNTER_RECONNECT) - reconnects);
  return rc;
}

/* The only member has a loop of its own, in which all events are its. */
static bool has_loop(const struct thread *t)
{
  return t->only < t->run->n && ops_of(t->run, t->only)->loops &&
         ops_of(t->run, t->only)->loops(t->of[t->only]);
}

static int run_whole(struct thread *t, struct err *err)
{
  struct worker *w = t->w;
  const uint64_t errors = counted(w, COUNTER_ERROR);
  const uint64_t reconnects = counted(w, COUNTER_RECONNECT);
  int rc;

  w->member = t->only;
  rc = ops_of(t->run, t->only)->loop(t->of[t->only], w, err);
  class_add_trouble(w->members, t->only, counted(w, COUNTER_ERROR) - errors,
                    counted(w, COUNTER_RECONNECT) - reconnects);
  return rc;
}

static int thread_loop(void *arg, struct worker *w, struct err *err)
{
  struct thread *t = arg;
  const bool in_turn = t->run->plan->carriers > 0;
  int rc = 0;

  if (has_loop(t))
    return run_whole(t, err);
  while (in_turn ? worker_step_in_turn(w) : worker_step(w)) {
    rc = run_event(t, err);
    if (rc < 0 || (!w->open && !w->skipped))
      break;
  }
  worker_abandon(w);
  return rc;
}

static bool holds(void *arg)
{
  const struct thread *t = arg;

  for (unsigned i = 0; i < t->end; i++) {
    const struct test_ops *ops = ops_of(t->run, i);

    if (t->of[i] && ops->holds && ops->holds(t->of[i]))
      return true;
  }
  return false;
}

/* All of them wind up; the first error counts. */
static int drain(void *arg, struct worker *w, struct err *err)
{
  struct thread *t = arg;
  struct err later;
  int rc = 0;

  for (unsigned i = 0; i < t->end; i++) {
    const struct test_ops *ops = ops_of(t->run, i);
    const int own = t->of[i] && ops->drain
                      ? ops->drain(t->of[i], w, rc == 0 ? err : &later)
                      : 0;

    rc = rc == 0 ? own : rc;
  }
  return rc;
}

const struct test_ops mixtest_ops = {
  .open = open_run,
  .describe = describe,
  .mode_line = mode_line,
  .stop_word = stop_word,
  .begin = begin_run,
  .end = end_run,
  .end_is_code = true,
  .close = close_run,
  .group_open = group_open,
  .group_close = group_close,
  .thread_open = thread_open,
  .thread_close = thread_close,
  .loop = thread_loop,
  .holds = holds,
  .drain = drain,
  .interrupt = mixrun_interrupt,
  .form = mixrun_form,
  .setup = mixrun_setup,
  .in_process = mixrun_in_process,
  .server = mixrun_server,
  .tally = mixrun_tally,
  .details = mixrun_details,
  .take_whole = mixrun_whole,
  .doubts = mixrun_doubts,
  .statement_times = mixrun_statement_times,
};
