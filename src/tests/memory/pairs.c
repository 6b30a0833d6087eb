/*
 * pairs.c - the time in which a cache line moves from one processor to another:
 * the run and its reports.
 */
#include "tests/memory/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/memory/figure.h"
#include "tests/memory/latency.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/memory/summary.h"

enum {
  FIGURES_MAX = 28,   /* pairs reported as separate figures: of 8 processors */
  TEXT_CPUS_MAX = 32, /* larger matrices do not fit in the text */
};

/* The time without a time limit. */
#define USUAL_NS (10 * NS_PER_S)
#define SHARE 0.9 /* Share of the time for all pairs. */

static const char *const relation_words[PLACE_RELATIONS] = { "same core",
                                                             "same socket",
                                                             "other socket" };

size_t pairs_index(unsigned i, unsigned j)
{
  return (size_t)j * (j - 1) / 2 + i;
}

static void pairs_close(void *arg)
{
  struct pairs *p = arg;

  if (p)
    free(p->of);
  free(p);
}

static int pairs_open(const struct plan *plan, const void *cfg, void **ret_run,
                      struct err *err)
{
  struct pairs *p = calloc(1, sizeof(*p));
  int rc = 0;

  if (!p)
    return err_set(err, -ENOMEM, "cannot allocate the memory test");
  p->plan = plan;
  p->cfg = cfg;
  place_find_cpus(&p->cpus);
  p->n_pairs = pairs_index(0, p->cpus.n);
  p->of = calloc(p->n_pairs + 1, sizeof(*p->of));
  if (!p->of)
    rc = err_set(err, -ENOMEM, "cannot allocate the memory test");
  else if (p->cpus.n < 2)
    rc = err_set(err, -EINVAL,
                 "--memory-test=pairs needs two processors, and this process "
                 "may run on one only");
  else if (p->cfg->size_bytes > 0 || p->cfg->pages != PAGES_AUTO ||
           p->cfg->isa != ISA_BEST)
    rc = err_set(err, -EINVAL,
                 "--memory-test=pairs needs a single cache line: leave out "
                 "--memory-size, --memory-pages and --memory-isa");
  if (rc < 0)
    pairs_close(p);
  else
    *ret_run = p;
  return rc;
}

static void pairs_describe(void *arg)
{
  const struct pairs *p = arg;

  log_msg(LOG_NOTICE,
          "Running cache line exchange test with the following options:\n"
          "  processors: %u, %zu pair%s\n\n",
          p->cpus.n, p->n_pairs, p->n_pairs == 1 ? "" : "s");
}

static void pairs_setup(void *run, struct report_setup *setup)
{
  setup->of_test = run;
}

static int pairs_thread_open(void *arg, struct worker *w, void **ret_thr,
                             struct err *err)
{
  (void)w, (void)err;
  *ret_thr = arg;
  return 0;
}

static void pairs_thread_close(void *thr)
{
  (void)thr;
}

static int pairs_loop(void *thr, struct worker *w, struct err *err)
{
  struct pairs *p = thr;
  const uint64_t all_ns = p->plan->time_ns == PLAN_NO_LIMIT ? USUAL_NS
                                                            : p->plan->time_ns;
  const uint64_t each_ns = (uint64_t)((double)all_ns * SHARE /
                                      (double)p->n_pairs);

  if (!latency_await_measured(w))
    return 0;
  for (unsigned j = 1; j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j; i++) {
      const size_t at = pairs_index(i, j);
      const int rc = pairs_play(w, p->cpus.of[i], p->cpus.of[j], each_ns,
                                &p->of[at], err);

      if (rc < 0)
        return rc == -EINTR ? 0 : rc;
      atomic_store_explicit(&p->n, at + 1, memory_order_release);
    }
  }
  return 0;
}

/* ---- reports ---- */

static size_t pairs_done(const struct pairs *p)
{
  return atomic_load_explicit(&p->n, memory_order_acquire);
}

/* Returns NAN if it was not measured. */
static double ns_of(const struct pairs *p, unsigned i, unsigned j)
{
  const size_t at = i < j ? pairs_index(i, j) : pairs_index(j, i);

  return i != j && at < pairs_done(p) ? p->of[at].ns : NAN;
}

static void add_matrix(struct strbuf *b, const struct pairs *p)
{
  strbuf_addf(b, "\n    %6s", "");
  for (unsigned j = 0; j < p->cpus.n; j++)
    strbuf_addf(b, " %7d", p->cpus.of[j]);
  strbuf_adds(b, "   (ns one way)\n");
  for (unsigned i = 0; i < p->cpus.n; i++) {
    strbuf_addf(b, "    %6d", p->cpus.of[i]);
    for (unsigned j = 0; j < p->cpus.n; j++) {
      const double ns = ns_of(p, i, j);

      if (isfinite(ns))
        strbuf_addf(b, " %7.1f", ns);
      else
        strbuf_addf(b, " %7s", "-");
    }
    strbuf_adds(b, "\n");
  }
}

/* Computes the median over the pairs of one kind; returns their number. */
static size_t median_of(const struct pairs *p, int relation, double *ret)
{
  double *ns = calloc(p->n_pairs + 1, sizeof(*ns));
  size_t n = 0;

  for (unsigned j = 1; ns && j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j; i++) {
      if (isfinite(ns_of(p, i, j)) &&
          (int)place_relate("", p->cpus.of[i], p->cpus.of[j]) == relation)
        ns[n++] = ns_of(p, i, j);
    }
  }
  if (ns)
    summary_sort(ns, n);
  *ret = ns ? summary_quantile(ns, n, 0.5) : NAN;
  free(ns);
  return n;
}

static void count_samples(const struct pairs *p, uint64_t *kept,
                          uint64_t *dropped)
{
  const size_t n = pairs_done(p);

  *kept = *dropped = 0;
  for (size_t i = 0; i < n; i++) {
    *kept += p->of[i].kept;
    *dropped += p->of[i].dropped;
  }
}

static void pairs_results(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r)
{
  const struct pairs *p = setup->of_test;
  uint64_t kept, dropped;

  (void)r;
  count_samples(p, &kept, &dropped);
  strbuf_adds(b, "Exchange of a cache line between processors:\n");
  if (p->cpus.n <= TEXT_CPUS_MAX)
    add_matrix(b, p);
  strbuf_adds(b, "\n");
  for (int k = 0; k < PLACE_RELATIONS; k++) {
    double ns;
    const size_t n = median_of(p, k, &ns);

    if (n > 0)
      strbuf_addf(b, "    %-13s %8.1f ns, median of %zu pair%s\n",
                  relation_words[k], ns, n, n == 1 ? "" : "s");
  }
  strbuf_addf(b,
              "    samples:      %llu, and %llu dropped because a processor "
              "was taken away\n",
              (unsigned long long)kept, (unsigned long long)dropped);
}

static void pairs_table(struct strbuf *b, const struct report_setup *setup)
{
  const struct pairs *p = setup->of_test;
  const size_t n = pairs_done(p);

  strbuf_adds(b, "processor,other,relation,ns,mad_ns,samples,dropped\n");
  for (unsigned j = 1; j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j && pairs_index(i, j) < n; i++) {
      const struct pair *of = &p->of[pairs_index(i, j)];
      const int a = p->cpus.of[i], z = p->cpus.of[j];

      if (of->kept > 0)
        strbuf_addf(b, "%d,%d,%s,%.2f,%.2f,%u,%u\n", a, z,
                    relation_words[place_relate("", a, z)], of->ns, of->mad,
                    of->kept, of->dropped);
    }
  }
}

static void add_pair(const struct pairs *p, unsigned i, unsigned j,
                     struct facts *to)
{
  const struct pair *pair = &p->of[pairs_index(i, j)];
  const int a = p->cpus.of[i], b = p->cpus.of[j];
  char key[96];

  facts_real(to, FIGURE_KEY(key, "pairs.of.%d-%d.ns", a, b), pair->ns);
  facts_real(to, FIGURE_KEY(key, "pairs.of.%d-%d.mad_ns", a, b), pair->mad);
  facts_int(to, FIGURE_KEY(key, "pairs.of.%d-%d.kept", a, b), pair->kept);
  facts_int(to, FIGURE_KEY(key, "pairs.of.%d-%d.dropped", a, b), pair->dropped);
  facts_text(to, FIGURE_KEY(key, "pairs.of.%d-%d.relation", a, b),
             relation_words[place_relate("", a, b)]);
  if (p->n_pairs <= FIGURES_MAX)
    figure_add(to, FIGURE_NS, pair->ns, "processors %d and %d", a, b);
}

static void pairs_details(void *run, struct test_details *ret)
{
  const struct pairs *p = run;

  facts_text(&ret->test, "memory_test", "pairs");
  facts_int(&ret->test, "pairs.processors", p->cpus.n);
  for (unsigned j = 1; j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j && pairs_index(i, j) < pairs_done(p); i++)
      add_pair(p, i, j, &ret->test);
  }
  for (int k = 0; k < PLACE_RELATIONS; k++) {
    double ns;

    if (median_of(p, k, &ns) > 0)
      figure_add(&ret->test, FIGURE_NS, ns, "%s", relation_words[k]);
  }
}

static void pairs_doubts(void *run, const struct report *total,
                         struct warnings *to)
{
  const struct pairs *p = run;
  uint64_t kept, dropped;

  (void)total;
  count_samples(p, &kept, &dropped);
  if (pairs_done(p) < p->n_pairs)
    warnings_add(
      to, true, "unfinished",
      "only %zu of %zu pairs were measured, because the run was over; "
      "give it more --time",
      pairs_done(p), p->n_pairs);
  if (dropped > kept)
    warnings_add(
      to, true, "dropped_samples",
      "%.0f%% of the samples were dropped, because something else had "
      "a processor meanwhile",
      100.0 * (double)dropped / (double)(kept + dropped));
}

const struct test_ops memory_pairs_ops = {
  .open = pairs_open,
  .setup = pairs_setup,
  .describe = pairs_describe,
  .close = pairs_close,
  .thread_open = pairs_thread_open,
  .thread_close = pairs_thread_close,
  .loop = pairs_loop,
  .details = pairs_details,
  .warnings = pairs_doubts,
};

const struct report_form memory_pairs_form = {
  .interval = form_interval_events,
  .results = pairs_results,
  .table = pairs_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .measures_times = true,
};
