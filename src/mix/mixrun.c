/*
 * mixrun.c - puts the answers of the members of a mix together.
 */
#include "mix/mixrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "mix/mixtest.h"
#include "report/form.h"
#include "report/life.h"
#include "stats/report.h"

static const struct test_ops *ops_of(const struct mixrun *run, unsigned member)
{
  return run->cfg->part[member].test->ops;
}

void mixrun_interrupt(void *arg, enum interrupt_step step)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (ops_of(run, i)->interrupt)
      ops_of(run, i)->interrupt(run->of[i], step);
  }
}

/* One member that uses a database is enough to report statements. */
const struct report_form *mixrun_form(void *arg)
{
  const struct mixrun *run = arg;
  const struct report_form *form = &form_events;

  for (unsigned i = 0; i < run->n && form == &form_events; i++) {
    if (ops_of(run, i)->form)
      form = ops_of(run, i)->form(run->of[i]);
  }
  return form;
}

void mixrun_setup(void *arg, struct report_setup *setup)
{
  const struct mixrun *run = arg;
  bool sums = false;

  for (unsigned i = 0; i < run->n; i++) {
    if (ops_of(run, i)->setup)
      ops_of(run, i)->setup(run->of[i], setup);
    sums |= setup->sums;
  }
  setup->sums = sums;
}

bool mixrun_in_process(void *arg)
{
  const struct mixrun *run = arg;
  bool in_process = true;

  for (unsigned i = 0; i < run->n; i++)
    in_process &= ops_of(run, i)->in_process &&
                  ops_of(run, i)->in_process(run->of[i]);
  return in_process;
}

/* The members share the connections' settings, so the first one answers. */
bool mixrun_server(void *arg, int *ret_pid, const char **ret_driver)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (ops_of(run, i)->server &&
        ops_of(run, i)->server(run->of[i], ret_pid, ret_driver))
      return true;
  }
  return false;
}

void mixrun_tally(void *arg, struct tally *to)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (ops_of(run, i)->tally)
      ops_of(run, i)->tally(run->of[i], to);
  }
}

/* ---- details ---- */

/* Adds the figures of a member as a group with its name. */
static void add_figures(struct facts *to, const char *name,
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

/* Adds one error, to the count of the same code if there is one. */
static void add_error(struct test_details *to, const struct error_count *e)
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

static void add_errors(struct test_details *to, const struct test_details *from)
{
  struct error_count *of = realloc(
    to->error, (to->n_errors + from->n_errors + 1) * sizeof(*of));

  if (!of)
    return; /* it reports what it can */
  to->error = of;
  for (size_t i = 0; i < from->n_errors; i++)
    add_error(to, &from->error[i]);
}

/* All members have the same database. */
void mixrun_details(void *arg, struct test_details *ret)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    struct test_details own = { 0 };

    if (!ops_of(run, i)->details)
      continue;
    ops_of(run, i)->details(run->of[i], &own);
    if (own.has_database && !ret->has_database) {
      ret->has_database = true;
      ret->database = own.database; /* ownership moves */
      own.database = (struct facts){ 0 };
    }
    add_figures(&ret->test, run->cfg->list->of[i].name, &own.test);
    add_errors(ret, &own);
    facts_done(&own.database);
    facts_done(&own.test);
    free(own.error);
  }
}

void mixrun_whole(void *arg, const struct test_details *whole)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    if (ops_of(run, i)->take_whole)
      ops_of(run, i)->take_whole(run->of[i], whole);
  }
}

/* Several members doubt the same: it is said once. */
static void drop_repeated(struct doubts *d, size_t from)
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

void mixrun_doubts(void *arg, const struct report *total, struct doubts *to)
{
  const struct mixrun *run = arg;

  for (unsigned i = 0; i < run->n; i++) {
    const size_t from = to->n;

    if (ops_of(run, i)->doubts)
      ops_of(run, i)->doubts(run->of[i], total, to);
    drop_repeated(to, from);
  }
}

/* ---- times of statements ---- */

static void add_times(struct report_times *to, const struct report_times *from)
{
  if (from->count == 0)
    return;
  to->min_ns = to->count > 0 ? min_u64(to->min_ns, from->min_ns) : from->min_ns;
  if (from->max_ns > to->max_ns)
    to->max_ns = from->max_ns;
  to->count += from->count;
  to->sum_ns += from->sum_ns;
}

void mixrun_statement_times(void *arg, struct report *r)
{
  const struct mixrun *run = arg;

  r->execution = r->fetching = (struct report_times){ 0 };
  for (unsigned i = 0; i < run->n; i++) {
    struct report own = { 0 };

    if (!ops_of(run, i)->statement_times)
      continue;
    ops_of(run, i)->statement_times(run->of[i], &own);
    add_times(&r->execution, &own.execution);
    add_times(&r->fetching, &own.fetching);
  }
}
