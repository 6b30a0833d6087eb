/*
 * loaded_report.c - latency by bandwidth, as text and for the files.
 */
#include "tests/memory/loaded_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "report/text_num.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "stats/report.h"
#include "tests/memory/figure.h"
#include "tests/memory/loaded.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/memory/pages.h"
#include "tests/memory/streams.h"

#define KNEE 1.5 /* A multiple of the latency without load. */

size_t loaded_knee(const struct loaded_point *of, size_t n)
{
  size_t best = 0;

  for (size_t i = 1; i < n; i++) {
    if (loaded_counts(&of[i]) && of[i].ns <= KNEE * of[0].ns &&
        (best == 0 || of[i].bytes_per_s > of[best].bytes_per_s))
      best = i;
  }
  return best;
}

static size_t points_of(const struct loaded *l)
{
  return atomic_load_explicit(&l->n, memory_order_acquire);
}

static struct pages all_pages(const struct loaded *l)
{
  const unsigned loads = l->plan->threads - 1;

  return (struct pages){ .bytes = l->chase_bytes + loads * l->load_bytes,
                         .in_huge = atomic_load(&l->huge_bytes) };
}

static void add_delay(struct strbuf *b, uint32_t turns)
{
  if (turns == UINT32_MAX)
    strbuf_addf(b, "    %8s", "no load");
  else
    strbuf_addf(b, "    %8" PRIu32, turns);
}

static void add_results(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  const struct loaded *l = setup->of_test;
  const struct pages pages = all_pages(l);
  const size_t n = points_of(l), knee = loaded_knee(l->point, n);

  (void)r;
  strbuf_adds(b, "Memory latency under load:\n    memory:  ");
  pages_describe(&pages, l->cfg->pages != PAGES_SMALL, b);
  strbuf_addf(b, "\n\n    %8s %12s %12s\n", "delay", "MiB/s", "latency ns");
  for (size_t i = 0; i < n; i++) {
    add_delay(b, loaded_delays[i]);
    if (!loaded_counts(&l->point[i])) {
      strbuf_addf(b, " %12s %12s\n", "-", "-");
      continue;
    }
    strbuf_addf(b, " %12.0f %12.2f%s\n", l->point[i].bytes_per_s / TEXT_MIB,
                l->point[i].ns, knee > 0 && i == knee ? "   knee" : "");
  }
  strbuf_adds(b, "\n    Counted are the bytes that the loads read and write. "
                 "The knee has the most bandwidth at\n    which latency is at "
                 "most 1.5 times that without load.\n");
}

static void add_table(struct strbuf *b, const struct report_setup *setup)
{
  const struct loaded *l = setup->of_test;
  const size_t n = points_of(l);

  strbuf_adds(b, "delay,bytes_per_s,ns,samples,dropped\n");
  for (size_t i = 0; i < n; i++) {
    const struct loaded_point *p = &l->point[i];

    if (!loaded_counts(p))
      continue;
    if (loaded_delays[i] == UINT32_MAX)
      strbuf_adds(b, "none");
    else
      strbuf_addf(b, "%" PRIu32, loaded_delays[i]);
    strbuf_addf(b, ",%.0f,%.3f,%u,%u\n", p->bytes_per_s, p->ns, p->kept,
                p->dropped);
  }
}

void loaded_report_details(void *run, struct test_details *ret)
{
  const struct loaded *l = run;
  const struct pages pages = all_pages(l);
  const size_t n = points_of(l), knee = loaded_knee(l->point, n);
  char key[96];

  facts_text(&ret->test, "memory_test", "loaded");
  facts_text(&ret->test, "loaded.instructions", l->streams->name);
  facts_int(&ret->test, "loaded.bytes", (int64_t)pages.bytes);
  facts_int(&ret->test, "loaded.huge_bytes", (int64_t)pages.in_huge);
  for (size_t i = 0; i < n; i++) {
    char name[16] = "none";

    if (!loaded_counts(&l->point[i]))
      continue;
    if (loaded_delays[i] != UINT32_MAX)
      (void)snprintf(name, sizeof(name), "%" PRIu32, loaded_delays[i]);
    facts_real(&ret->test,
               FIGURE_KEY(key, "loaded.delays.%s.bytes_per_s", name),
               l->point[i].bytes_per_s);
    facts_real(&ret->test, FIGURE_KEY(key, "loaded.delays.%s.ns", name),
               l->point[i].ns);
  }
  if (knee > 0)
    facts_real(&ret->test, "loaded.knee_bytes_per_s",
               l->point[knee].bytes_per_s);
  if (n > 0 && loaded_counts(&l->point[0]))
    figure_add(&ret->test, FIGURE_NS, l->point[0].ns, "latency without load");
  if (n == LOADED_POINTS && loaded_counts(&l->point[n - 1])) {
    figure_add(&ret->test, FIGURE_NS, l->point[n - 1].ns,
               "latency under full load");
    figure_add(&ret->test, FIGURE_BYTES_PER_S, l->point[n - 1].bytes_per_s,
               "bandwidth of full load");
  }
  if (knee > 0)
    figure_add(&ret->test, FIGURE_BYTES_PER_S, l->point[knee].bytes_per_s,
               "bandwidth at the knee");
}

void loaded_report_doubts(void *run, const struct report *total,
                          struct warnings *to)
{
  const struct loaded *l = run;
  const size_t n = points_of(l);
  size_t stalled = 0;

  (void)total;
  for (size_t i = 0; i < n; i++)
    stalled += !loaded_counts(&l->point[i]);
  if (n < LOADED_POINTS)
    warnings_add(
      to, true, "unfinished",
      "only %zu of %d loads were measured, because the run was over; "
      "give it more --time",
      n, LOADED_POINTS);
  if (stalled > 0)
    warnings_add(to, true, "stalled_loads",
                 "%zu of %zu points are left out, because the loads had no "
                 "processor while they were measured; stop the other programs",
                 stalled, n);
  if (l->plan->threads > l->cpus.n)
    warnings_add(to, true, "shared_processors",
                 "%u threads share %u processors, so loads wait for each other",
                 l->plan->threads, l->cpus.n);
}

const struct report_form memory_loaded_form = {
  .interval = form_interval_events,
  .results = add_results,
  .table = add_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .measures_times = true,
};
