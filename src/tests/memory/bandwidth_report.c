/*
 * bandwidth_report.c - the bandwidth of loops, as text and for the files.
 */
#include "tests/memory/bandwidth_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "report/text_num.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "tests/memory/bandwidth.h"
#include "tests/memory/figure.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/memory/pages.h"
#include "tests/memory/summary.h"

void bandwidth_figures(const struct bandwidth *b, enum stream s,
                       struct bandwidth_figures *ret)
{
  const uint64_t rounds = atomic_load_explicit(&b->of[s].n,
                                               memory_order_acquire);
  const size_t n = rounds < BANDWIDTH_ROUNDS_MAX ? rounds
                                                 : BANDWIDTH_ROUNDS_MAX;
  double *sorted = calloc(2 * n + 1, sizeof(*sorted));

  *ret = (struct bandwidth_figures){ 0 };
  if (!sorted || n < BANDWIDTH_ROUNDS_MIN) {
    free(sorted);
    return;
  }
  memcpy(sorted, b->of[s].bytes_per_s, n * sizeof(*sorted));
  summary_sort(sorted, n);
  ret->rounds = rounds;
  ret->best = sorted[n - 1];
  ret->median = summary_quantile(sorted, n, 0.5);
  ret->mad = summary_mad(sorted, n, sorted + n);
  ret->owned = ret->median * (double)stream_owned_bytes(s, b->loops.words) /
               (double)stream_counted_bytes(s, b->loops.words);
  free(sorted);
}

/* Adds up all blocks as one. */
static struct pages all_pages(const struct bandwidth *b)
{
  const uint64_t bytes = b->loops.words * sizeof(double) * b->plan->threads;

  return (struct pages){ .bytes = bytes,
                         .in_huge = atomic_load(&b->huge_bytes),
                         .look_failed = atomic_load(&b->look_failed) != 0 };
}

static void add_results(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  const struct bandwidth *run = setup->of_test;
  const struct pages pages = all_pages(run);

  (void)r;
  strbuf_adds(b, "Memory bandwidth:\n"
                 "    memory:                              ");
  pages_describe(&pages, run->cfg->pages != PAGES_SMALL, b);
  strbuf_addf(b,
              "\n    instructions:                        %s\n\n"
              "    %-14s %12s %12s %8s %12s %8s\n",
              run->loops.streams->name, "loop", "best MiB/s", "median", "+-",
              "with owned", "rounds");
  for (unsigned i = 0; i < run->loops.n; i++) {
    struct bandwidth_figures f;

    bandwidth_figures(run, run->loops.of[i], &f);
    if (f.rounds == 0) {
      strbuf_addf(b, "    %-14s %12s\n", stream_words[run->loops.of[i]],
                  "none");
      continue;
    }
    strbuf_addf(b, "    %-14s %12.0f %12.0f %6.1f %% %12.0f %8" PRIu64 "\n",
                stream_words[run->loops.of[i]], f.best / TEXT_MIB,
                f.median / TEXT_MIB, 100 * f.mad / f.median, f.owned / TEXT_MIB,
                f.rounds);
  }
  strbuf_adds(b, "\n    Counted are the bytes that a loop reads and writes. "
                 "\"with owned\" is the median with\n    the lines that "
                 "processors read before plain stores to them.\n");
}

static void add_table(struct strbuf *b, const struct report_setup *setup)
{
  const struct bandwidth *run = setup->of_test;

  strbuf_adds(b, "loop,best_bytes_per_s,median_bytes_per_s,mad_bytes_per_s,"
                 "owned_bytes_per_s,rounds\n");
  for (unsigned i = 0; i < run->loops.n; i++) {
    struct bandwidth_figures f;

    bandwidth_figures(run, run->loops.of[i], &f);
    if (f.rounds > 0)
      strbuf_addf(b, "%s,%.0f,%.0f,%.0f,%.0f,%" PRIu64 "\n",
                  stream_words[run->loops.of[i]], f.best, f.median, f.mad,
                  f.owned, f.rounds);
  }
}

void bandwidth_report_details(void *arg, struct test_details *ret)
{
  const struct bandwidth *b = arg;
  const struct pages pages = all_pages(b);

  facts_text(&ret->test, "memory_test", "bandwidth");
  facts_text(&ret->test, "bandwidth.instructions", b->loops.streams->name);
  facts_int(&ret->test, "bandwidth.bytes", (int64_t)pages.bytes);
  if (!pages.look_failed)
    facts_int(&ret->test, "bandwidth.huge_bytes", (int64_t)pages.in_huge);
  for (unsigned i = 0; i < b->loops.n; i++) {
    const char *name = stream_words[b->loops.of[i]];
    struct bandwidth_figures f;
    char key[96];

    bandwidth_figures(b, b->loops.of[i], &f);
    if (f.rounds == 0)
      continue;
#define FACT(what, value)                                             \
  (void)snprintf(key, sizeof(key), "bandwidth.loops.%s." what, name); \
  facts_real(&ret->test, key, value)
    FACT("best_bytes_per_s", f.best);
    FACT("median_bytes_per_s", f.median);
    FACT("mad_bytes_per_s", f.mad);
    FACT("owned_bytes_per_s", f.owned);
#undef FACT
    (void)snprintf(key, sizeof(key), "bandwidth.loops.%s.rounds", name);
    facts_int(&ret->test, key, (int64_t)f.rounds);
    figure_add(&ret->test, FIGURE_BYTES_PER_S, f.median, "%s", name);
  }
}

void bandwidth_report_doubts(void *run, const struct report *total,
                             struct warnings *to)
{
  const struct bandwidth *b = run;
  struct strbuf names = { 0 };
  unsigned n = 0;

  (void)total;
  for (unsigned i = 0; i < b->loops.n; i++) {
    if (atomic_load(&b->of[b->loops.of[i]].n) < BANDWIDTH_ROUNDS_MIN)
      strbuf_addf(&names, "%s%s", n++ > 0 ? ", " : "",
                  stream_words[b->loops.of[i]]);
  }
  if (n > 0)
    warnings_add(
      to, true, "unfinished",
      "the bandwidth of %s was not measured, because the run was over; "
      "give it more --time",
      strbuf_str(&names));
  strbuf_done(&names);
}

const struct report_form memory_bandwidth_form = {
  .interval = form_interval_events,
  .results = add_results,
  .table = add_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the bandwidth is",
};
