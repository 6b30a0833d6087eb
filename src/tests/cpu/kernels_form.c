/*
 * kernels_form.c - the reports of the kernels of the cpu test.
 *
 * The rounds of a kernel are a class of operations.  The time that threads
 * spent in it gives the time of an operation.  That and the number of threads
 * give the operations per second of all threads together while they use the
 * kernel.
 */
#include "tests/cpu/kernels_form.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "stats/report.h"

static const struct class_report *class_of(const struct report *r,
                                           const char *name)
{
  for (unsigned i = 0; i < r->classes.n; i++) {
    if (strcmp(r->classes.of[i].name, name) == 0)
      return &r->classes.of[i];
  }
  return NULL;
}

struct speed {
  uint64_t operations;
  double ns;    /* per operation, of one thread */
  double per_s; /* of all threads */
};

/* Returns false if the kernel has not run in this period. */
static bool speed_of(const struct report *r, const struct cpu_kernel *k,
                     struct speed *ret)
{
  const struct class_report *c = class_of(r, k->name);

  if (!c || c->count == 0 || c->sum_ns == 0)
    return false;
  ret->operations = c->count * k->operations;
  ret->ns = (double)c->sum_ns / (double)ret->operations;
  ret->per_s = (double)r->threads * (double)NS_PER_S / ret->ns;
  return true;
}

static void add_results(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  const struct kernels_chosen *chosen = setup->of_test;
  struct speed s;

  if (r->classes.n == 0) /* a checkpoint has no classes */
    return;
  strbuf_addf(b, "CPU kernels:\n    %-8s %16s %14s  %-14s %s\n", "kernel",
              "operations/s", "ns/operation", "operation", "code");
  for (unsigned i = 0; i < chosen->n; i++) {
    const struct cpu_kernel *k = chosen->kernel[i];

    if (!speed_of(r, k, &s))
      strbuf_addf(b, "    %-8s %16s %14s  %-14s %s\n", k->name, "-", "-",
                  k->unit, chosen->path[i]->name);
    else
      strbuf_addf(b, "    %-8s %16.0f %14.3f  %-14s %s\n", k->name, s.per_s,
                  s.ns, k->unit, chosen->path[i]->name);
  }
}

static void add_figures(const struct figures *to,
                        const struct report_setup *setup,
                        const struct report *r)
{
  const struct kernels_chosen *chosen = setup->of_test;
  struct speed s;

  to->begin(to->ctx, "cpu_kernels");
  for (unsigned i = 0; i < chosen->n; i++) {
    if (!speed_of(r, chosen->kernel[i], &s))
      continue;
    to->begin(to->ctx, chosen->kernel[i]->name);
    to->count(to->ctx, "operations", s.operations);
    to->real(to->ctx, "operations_per_s", s.per_s);
    to->real(to->ctx, "ns_per_operation", s.ns);
    to->end(to->ctx);
  }
  to->end(to->ctx);
}

static const char *column(const struct report_setup *setup, unsigned i)
{
  const struct kernels_chosen *chosen = setup->of_test;

  return i < chosen->n ? chosen->column[i] : NULL;
}

static double value(const struct report_setup *setup, const struct report *r,
                    unsigned i)
{
  const struct kernels_chosen *chosen = setup->of_test;
  struct speed s;

  return speed_of(r, chosen->kernel[i], &s) ? s.per_s : NAN;
}

const struct report_form kernels_form = {
  .interval = form_interval_events,
  .results = add_results,
  .figures = add_figures,
  .column = column,
  .value = value,
  .queue_mark = "",
  .classes = "Rounds of kernels",
  .class = "kernel",
  .measures_itself = true,
  .outcome = "operations per second are",
};
