#include "run/mix/mixtest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "run/members.h"
#include "run/mix/choice.h"
#include "run/mix/list.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/class_stats.h"
#include "stats/report.h"

struct mixrun {
  const struct mixtest_cfg *cfg;
  const struct plan *plan;
  unsigned n;
  struct mix_weights weights;
  unsigned opened;
  void *of[MIX_MEMBERS_MAX];
};

/* ---- answers of the members ---- */

static const struct test_ops *mixrun_ops_of(const struct mixrun *run,
                                            unsigned member)
{
  return run->cfg->part[member].test->ops;
}

static void mixrun_interrupt(void *arg, enum interrupt_step step)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (mixrun_ops_of(run, i)->interrupt)
      mixrun_ops_of(run, i)->interrupt(run->of[i], step);
  }
}

/* If a member has a database, the report is one of statements. */
static const struct report_form *mixrun_form(void *arg)
{
  const struct mixrun *run = arg;
  const struct report_form *form = &form_events;

  for (unsigned i = 0; i < run->n && form == &form_events; i++) {
    if (mixrun_ops_of(run, i)->form)
      form = mixrun_ops_of(run, i)->form(run->of[i]);
  }
  return form;
}

static void mixrun_setup(void *arg, struct report_setup *setup)
{
  const struct mixrun *run = arg;
  bool sums = false;

  for (unsigned i = 0; i < run->n; i++) {
    if (mixrun_ops_of(run, i)->setup)
      mixrun_ops_of(run, i)->setup(run->of[i], setup);
    sums |= setup->sums;
  }
  setup->sums = sums;
}

static bool mixrun_in_process(void *arg)
{
  const struct mixrun *run = arg;
  bool in_process = true;

  for (unsigned i = 0; i < run->n; i++)
    in_process &= mixrun_ops_of(run, i)->in_process &&
                  mixrun_ops_of(run, i)->in_process(run->of[i]);
  return in_process;
}

static bool mixrun_server(void *arg, int *ret_pid, const char **ret_driver)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (mixrun_ops_of(run, i)->server &&
        mixrun_ops_of(run, i)->server(run->of[i], ret_pid, ret_driver))
      return true;
  }
  return false;
}

static void mixrun_tally(void *arg, struct tally *to)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (mixrun_ops_of(run, i)->tally)
      mixrun_ops_of(run, i)->tally(run->of[i], to);
  }
}

/* ---- details ---- */

static void mixrun_add_figures(struct facts *to, const char *name,
                               const struct facts *from)
{
  char key[512];

  for (size_t i = 0; i < from->n; i++) {
    const struct fact *f = &from->of[i];

    (void)snprintf(key, sizeof(key), "%s.%s", name, f->key);
    switch (f->type) {
    case FACT_TEXT:
      facts_text(to, key, f->text);
      break;
    case FACT_INT:
      facts_int(to, key, f->integer);
      break;
    case FACT_REAL:
      facts_real(to, key, f->real);
      break;
    case FACT_BOOL:
      facts_bool(to, key, f->integer != 0);
      break;
    }
  }
}

static void mixrun_add_error(struct test_details *to,
                             const struct error_count *e)
{
  for (size_t i = 0; i < to->n_errors; i++) {
    struct error_count *known = &to->error[i];

    if (strcmp(known->source, e->source) == 0 &&
        strcmp(known->code, e->code) == 0 &&
        strcmp(known->state, e->state) == 0) {
      known->count += e->count;
      return;
    }
  }
  to->error[to->n_errors++] = *e;
}

static void mixrun_add_errors(struct test_details *to,
                              const struct test_details *from)
{
  struct error_count *of = realloc(
    to->error, (to->n_errors + from->n_errors + 1) * sizeof(*of));

  if (!of)
    return; /* some are missing */
  to->error = of;
  for (size_t i = 0; i < from->n_errors; i++)
    mixrun_add_error(to, &from->error[i]);
}

static void mixrun_details(void *arg, struct test_details *ret)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    struct test_details own = { 0 };

    if (!mixrun_ops_of(run, i)->details)
      continue;
    mixrun_ops_of(run, i)->details(run->of[i], &own);
    if (own.has_database && !ret->has_database) {
      ret->has_database = true;
      ret->database = own.database; /* ownership moves */
      own.database = (struct facts){ 0 };
    }
    mixrun_add_figures(&ret->test, run->cfg->list->of[i].name, &own.test);
    mixrun_add_errors(ret, &own);
    facts_done(&own.database);
    facts_done(&own.test);
    free(own.error);
  }
}

static void mixrun_whole(void *arg, const struct test_details *whole)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (mixrun_ops_of(run, i)->take_whole)
      mixrun_ops_of(run, i)->take_whole(run->of[i], whole);
  }
}

static void mixrun_drop_repeated(struct warnings *d, size_t from)
{
  size_t n = from;

  for (size_t i = from; i < d->n; i++) {
    size_t same = 0;

    while (same < n && (strcmp(d->of[same].code, d->of[i].code) != 0 ||
                        strcmp(d->of[same].text, d->of[i].text) != 0))
      same++;
    if (same == n)
      d->of[n++] = d->of[i];
  }
  d->n = n;
}

static void mixrun_doubts(void *arg, const struct report *total,
                          struct warnings *to)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    const size_t from = to->n;

    if (mixrun_ops_of(run, i)->warnings)
      mixrun_ops_of(run, i)->warnings(run->of[i], total, to);
    mixrun_drop_repeated(to, from);
  }
}

/* ---- times of statements ---- */

static void mixrun_add_times(struct report_times *to,
                             const struct report_times *from)
{
  if (from->count == 0)
    return;
  to->min_ns = to->count > 0 ? min_u64(to->min_ns, from->min_ns) : from->min_ns;
  if (from->max_ns > to->max_ns)
    to->max_ns = from->max_ns;
  to->count += from->count;
  to->sum_ns += from->sum_ns;
}

static void mixrun_statement_times(void *arg, struct report *r)
{
  const struct mixrun *run = arg;

  r->execution = r->fetching = (struct report_times){ 0 };
  for (unsigned i = 0; i < run->n; i++) {
    struct report own = { 0 };

    if (!mixrun_ops_of(run, i)->statement_times)
      continue;
    mixrun_ops_of(run, i)->statement_times(run->of[i], &own);
    mixrun_add_times(&r->execution, &own.execution);
    mixrun_add_times(&r->fetching, &own.fetching);
  }
}

static void mixtest_close_run(void *arg)
{
  struct mixrun *run = arg;

  for (unsigned i = 0; i < run->opened; i++) {
    if (mixrun_ops_of(run, i)->close)
      mixrun_ops_of(run, i)->close(run->of[i]);
  }
  mix_weights_done(&run->weights);
  free(run);
}

static int mixtest_open_run(const struct plan *plan, const void *cfg,
                            void **ret_run, struct err *err)
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
    mixtest_close_run(run);
    return rc;
  }
  *ret_run = run;
  return 0;
}

static void mixtest_describe(void *arg)
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

static void mixtest_mode_line(void *arg, struct strbuf *line)
{
  const struct mixrun *run = arg;

  if (mixrun_ops_of(run, 0)->mode_line)
    mixrun_ops_of(run, 0)->mode_line(run->of[0], line);
}

static void mixtest_stop_word(void *arg, _Atomic uint32_t *word)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (mixrun_ops_of(run, i)->stop_word)
      mixrun_ops_of(run, i)->stop_word(run->of[i], word);
  }
}

static int mixtest_begin_run(void *arg, struct err *err)
{
  const struct mixrun *run = arg;
  int rc = 0;

  for (unsigned i = 0; i < run->n && rc == 0; i++) {
    if (mixrun_ops_of(run, i)->begin)
      rc = mixrun_ops_of(run, i)->begin(run->of[i], err);
  }
  return rc;
}

static int mixtest_end_run(void *arg, struct err *err)
{
  const struct mixrun *run = arg;
  struct err later;
  int rc = 0;

  for (unsigned i = 0; i < run->n; i++) {
    struct err *to = rc == 0 ? err : &later;
    int own = mixrun_ops_of(run, i)->end
                ? mixrun_ops_of(run, i)->end(run->of[i], to)
                : 0;

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

static void mixtest_group_close(void *arg)
{
  struct group *g = arg;

  for (unsigned i = 0; i < g->opened; i++)
    mixrun_ops_of(g->run, i)->group_close(g->of[i]);
  free(g);
}

static int mixtest_group_open(void *arg, void **ret_group, struct err *err)
{
  struct mixrun *run = arg;
  struct group *g = calloc(1, sizeof(*g));
  int rc = 0;

  if (!g)
    return err_set(err, -ENOMEM, "not enough memory for the mix");
  g->run = run;
  for (; rc == 0 && g->opened < run->n; g->opened++) {
    rc = mixrun_ops_of(run, g->opened)
           ->group_open(run->of[g->opened], &g->of[g->opened], err);
    if (rc < 0)
      break;
  }
  if (rc < 0) {
    mixtest_group_close(g);
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
  unsigned only; /* run->n: all */
  struct mix_choice choice;
  unsigned end; /* members below are open, unless NULL */
  void *of[MIX_MEMBERS_MAX];
};

static bool mixtest_has_member(const struct thread *t, unsigned member)
{
  return t->only == t->run->n || t->only == member;
}

static void mixtest_thread_close(void *arg)
{
  struct thread *t = arg;

  for (unsigned i = 0; i < t->end; i++) {
    if (t->of[i])
      mixrun_ops_of(t->run, i)->thread_close(t->of[i]);
  }
  mix_choice_done(&t->choice);
  free(t);
}

static int mixtest_open_members(struct thread *t, struct err *err)
{
  struct worker *w = t->w;
  int rc = 0;

  for (; t->end < t->run->n && rc == 0; t->end++) {
    if (!mixtest_has_member(t, t->end))
      continue;
    w->group = t->group ? t->group->of[t->end] : NULL;
    rc = mixrun_ops_of(t->run, t->end)
           ->thread_open(t->run->of[t->end], w, &t->of[t->end], err);
  }
  w->group = t->group;
  return rc;
}

static int mixtest_thread_open(void *arg, struct worker *w, void **ret_thr,
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
    rc = mixtest_open_members(t, err);
  if (rc < 0) {
    mixtest_thread_close(t);
    return rc;
  }
  *ret_thr = t;
  return 0;
}

static uint64_t mixtest_counted(const struct worker *w, enum counter c)
{
  return atomic_load_explicit(&w->recorder->counter[c], memory_order_relaxed);
}

static int mixtest_run_event(struct thread *t, struct err *err)
{
  struct worker *w = t->w;
  const unsigned member = t->only < t->run->n
                            ? t->only
                            : mix_choose(&t->choice, &t->run->weights);
  const uint64_t errors = mixtest_counted(w, COUNTER_ERROR);
  const uint64_t reconnects = mixtest_counted(w, COUNTER_RECONNECT);
  int rc;

  worker_give(w, member);
  rc = mixrun_ops_of(t->run, member)->turn(t->of[member], w, err);
  if (mixtest_counted(w, COUNTER_ERROR) != errors ||
      mixtest_counted(w, COUNTER_RECONNECT) != reconnects)
    class_add_trouble(w->members, member,
                      mixtest_counted(w, COUNTER_ERROR) - errors,
                      mixtest_counted(w, COUNTER_RECONNECT) - reconnects);
  return rc;
}

static bool mixtest_has_loop(const struct thread *t)
{
  return t->only < t->run->n && mixrun_ops_of(t->run, t->only)->loops &&
         mixrun_ops_of(t->run, t->only)->loops(t->of[t->only]);
}

static int mixtest_run_whole(struct thread *t, struct err *err)
{
  struct worker *w = t->w;
  const uint64_t errors = mixtest_counted(w, COUNTER_ERROR);
  const uint64_t reconnects = mixtest_counted(w, COUNTER_RECONNECT);
  int rc;

  w->member = t->only;
  rc = mixrun_ops_of(t->run, t->only)->loop(t->of[t->only], w, err);
  class_add_trouble(w->members, t->only,
                    mixtest_counted(w, COUNTER_ERROR) - errors,
                    mixtest_counted(w, COUNTER_RECONNECT) - reconnects);
  return rc;
}

static int mixtest_thread_loop(void *arg, struct worker *w, struct err *err)
{
  struct thread *t = arg;
  const bool in_turn = t->run->plan->carriers > 0;
  int rc = 0;

  if (mixtest_has_loop(t))
    return mixtest_run_whole(t, err);
  while (in_turn ? worker_step_in_turn(w) : worker_step(w)) {
    rc = mixtest_run_event(t, err);
    if (rc < 0 || (!w->open && !w->skipped))
      break;
  }
  worker_abandon(w);
  return rc;
}

static bool mixtest_holds(void *arg)
{
  const struct thread *t = arg;

  for (unsigned i = 0; i < t->end; i++) {
    const struct test_ops *ops = mixrun_ops_of(t->run, i);

    if (t->of[i] && ops->holds && ops->holds(t->of[i]))
      return true;
  }
  return false;
}

static int mixtest_drain(void *arg, struct worker *w, struct err *err)
{
  struct thread *t = arg;
  struct err later;
  int rc = 0;

  for (unsigned i = 0; i < t->end; i++) {
    const struct test_ops *ops = mixrun_ops_of(t->run, i);
    const int own = t->of[i] && ops->drain
                      ? ops->drain(t->of[i], w, rc == 0 ? err : &later)
                      : 0;

    rc = rc == 0 ? own : rc;
  }
  return rc;
}

const struct test_ops mixtest_ops = {
  .open = mixtest_open_run,
  .describe = mixtest_describe,
  .mode_line = mixtest_mode_line,
  .stop_word = mixtest_stop_word,
  .begin = mixtest_begin_run,
  .end = mixtest_end_run,
  .end_is_code = true,
  .close = mixtest_close_run,
  .group_open = mixtest_group_open,
  .group_close = mixtest_group_close,
  .thread_open = mixtest_thread_open,
  .thread_close = mixtest_thread_close,
  .loop = mixtest_thread_loop,
  .holds = mixtest_holds,
  .drain = mixtest_drain,
  .interrupt = mixrun_interrupt,
  .form = mixrun_form,
  .setup = mixrun_setup,
  .in_process = mixrun_in_process,
  .server = mixrun_server,
  .tally = mixrun_tally,
  .details = mixrun_details,
  .take_whole = mixrun_whole,
  .warnings = mixrun_doubts,
  .statement_times = mixrun_statement_times,
};
