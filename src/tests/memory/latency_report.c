/*
 * latency_report.c - the staircase of latencies, as text and for the files.
 */
#include "tests/memory/latency_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "report/warnings.h"
#include "stats/report.h"
#include "tests/memory/figure.h"
#include "tests/memory/latency.h"
#include "tests/memory/memory.h"

/* The allowed distance of the end of a plateau from a cache's size. */
#define EDGE_LOW (2.0 / 3)
#define EDGE_HIGH (4.0 / 3)

static const char *const kind_words[LATENCY_KINDS] = { "huge", "small" };

static size_t points_of(const struct latency *l, enum latency_kind kind)
{
  return atomic_load_explicit(&l->of[kind].n, memory_order_acquire);
}

size_t latency_levels(const struct latency *l, enum latency_kind kind,
                      struct level ret[LEVELS_MAX])
{
  const struct latency_point *of = l->of[kind].point;
  const size_t n = points_of(l, kind);
  double ns[LEVELS_POINTS_MAX];
  size_t last = 0; /* that counts; the first point does */

  for (size_t i = 0; i < n; i++) {
    if (!latency_counts(&of[i]))
      continue;
    ns[i] = of[i].ns;
    for (size_t k = last + 1; k < i; k++)
      ns[k] = ns[last] *
              pow(ns[i] / ns[last], (double)(k - last) / (double)(i - last));
    last = i;
  }
  return levels_find(ns, n, ret);
}

static uint64_t edge_bytes(const struct latency_point *points,
                           const struct level *of)
{
  const double bytes = (double)points[of->edge].bytes;

  if (of->past == 0)
    return points[of->edge].bytes;
  return (uint64_t)(bytes *
                    pow((double)points[of->edge + 1].bytes / bytes, of->past));
}

bool latency_has_edge(const struct latency_point *points,
                      const struct level *levels, size_t n, uint64_t bytes)
{
  for (size_t i = 0; i + 1 < n; i++) {
    const double ratio = (double)edge_bytes(points, &levels[i]) / (double)bytes;

    if (ratio > EDGE_LOW && ratio < EDGE_HIGH)
      return true;
  }
  return false;
}

/* ---- text ---- */

static void add_memory(struct strbuf *b, const struct latency *l)
{
  const char *start = "    memory:  ";

  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    if (points_of(l, kind) == 0)
      continue;
    strbuf_adds(b, start);
    pages_describe(&l->of[kind].pages, kind == LATENCY_HUGE, b);
    strbuf_adds(b, "\n");
    start = "             ";
  }
}

static void add_stairs(struct strbuf *b, const struct latency *l)
{
  char size[FMT_SIZE_SIZE];

  strbuf_addf(b, "\n    %10s", "size");
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    if (l->of[kind].wanted)
      strbuf_addf(b, " %9s pages", kind_words[kind]);
  }
  strbuf_adds(b, "   (ns per access)\n");
  for (size_t i = 0; i < l->n_points; i += LATENCY_PER_DOUBLING) {
    strbuf_addf(b, "    %10s", fmt_size(size, latency_size_at(i, 1)));
    for (int kind = 0; kind < LATENCY_KINDS; kind++) {
      if (!l->of[kind].wanted)
        continue;
      if (i < points_of(l, kind) && latency_counts(&l->of[kind].point[i]))
        strbuf_addf(b, " %15.2f", l->of[kind].point[i].ns);
      else
        strbuf_addf(b, " %15s", "-");
    }
    strbuf_adds(b, "\n");
  }
}

static void add_levels(struct strbuf *b, const struct latency *l,
                       enum latency_kind kind)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  char size[FMT_SIZE_SIZE];

  if (n == 0)
    return;
  strbuf_addf(b, "    %5s pages: ", kind_words[kind]);
  for (size_t i = 0; i < n; i++) {
    strbuf_addf(b, "%s%.2f ns", i > 0 ? ", " : "", levels[i].ns);
    if (i + 1 < n || levels[i].edge + 1 < points_of(l, kind))
      strbuf_addf(b, " up to %s",
                  fmt_size(size, edge_bytes(l->of[kind].point, &levels[i])));
  }
  if (levels[n - 1].edge + 1 < points_of(l, kind))
    strbuf_adds(b, ", more beyond");
  else if (n > 1)
    strbuf_adds(b, " beyond");
  strbuf_adds(b, "\n");
}

static void add_results(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  const struct latency *l = setup->of_test;
  char size[FMT_SIZE_SIZE];

  (void)r;
  strbuf_adds(b, "Memory latency:\n");
  add_memory(b, l);
  add_stairs(b, l);
  strbuf_adds(b, "\nPlateaus:\n");
  add_levels(b, l, LATENCY_HUGE);
  add_levels(b, l, LATENCY_SMALL);
  strbuf_adds(b, "    the system claims caches of: ");
  for (unsigned i = 0; i < l->caches.n; i++)
    strbuf_addf(b, "%s%s", i > 0 ? ", " : "",
                fmt_size(size, l->caches.of[i].bytes));
  strbuf_adds(b, l->caches.n > 0 ? "\n" : "unknown sizes\n");
}

/* ---- files ---- */

static void add_table(struct strbuf *b, const struct report_setup *setup)
{
  const struct latency *l = setup->of_test;

  strbuf_adds(b, "pages,bytes,ns,median_ns,samples,dropped\n");
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    for (size_t i = 0; i < points_of(l, kind); i++) {
      const struct latency_point *p = &l->of[kind].point[i];

      if (!latency_counts(p))
        continue;
      strbuf_addf(b, "%s,%" PRIu64 ",%.3f,%.3f,%u,%u\n", kind_words[kind],
                  p->bytes, p->ns, p->median, p->kept, p->dropped);
    }
  }
}

static void add_points(const struct latency *l, enum latency_kind kind,
                       struct facts *to)
{
  const struct latency_stairs *stairs = &l->of[kind];
  const size_t n = points_of(l, kind);
  char key[96];

  if (n == 0)
    return;
  facts_int(to, FIGURE_KEY(key, "latency.%s_pages.bytes", kind_words[kind]),
            (int64_t)stairs->pages.bytes);
  if (!stairs->pages.look_failed)
    facts_int(to,
              FIGURE_KEY(key, "latency.%s_pages.huge_bytes", kind_words[kind]),
              (int64_t)stairs->pages.in_huge);
  for (size_t i = 0; i < n; i++) {
    const struct latency_point *p = &stairs->point[i];

    if (!latency_counts(p))
      continue;
    facts_real(to,
               FIGURE_KEY(key, "latency.%s_pages.ns.%" PRIu64, kind_words[kind],
                          p->bytes),
               p->ns);
    if (i % LATENCY_PER_DOUBLING == 0)
      figure_add(to, FIGURE_NS, p->ns, "%s pages %" PRIu64 " KiB",
                 kind_words[kind], p->bytes / 1024);
  }
}

static void add_plateaus(const struct latency *l, enum latency_kind kind,
                         struct facts *to)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  char key[96];

  for (size_t i = 0; i < n; i++) {
    facts_real(to,
               FIGURE_KEY(key, "latency.%s_pages.plateaus.%zu.ns",
                          kind_words[kind], i + 1),
               levels[i].ns);
    if (i + 1 < n || levels[i].edge + 1 < points_of(l, kind))
      facts_int(to,
                FIGURE_KEY(key, "latency.%s_pages.plateaus.%zu.bytes",
                           kind_words[kind], i + 1),
                (int64_t)edge_bytes(l->of[kind].point, &levels[i]));
  }
}

void latency_report_details(void *run, struct test_details *ret)
{
  const struct latency *l = run;
  char key[96];

  facts_text(&ret->test, "memory_test", "latency");
  facts_int(&ret->test, "latency.line_bytes", l->caches.line_bytes);
  for (unsigned i = 0; i < l->caches.n; i++)
    facts_int(
      &ret->test,
      FIGURE_KEY(key, "latency.claimed_caches.%u", l->caches.of[i].level),
      (int64_t)l->caches.of[i].bytes);
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    add_points(l, kind, &ret->test);
    add_plateaus(l, kind, &ret->test);
  }
}

/* ---- doubts ---- */

static void describe_edges(struct strbuf *b, const struct latency *l,
                           enum latency_kind kind)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  char size[FMT_SIZE_SIZE];

  for (size_t i = 0; i + 1 < n; i++)
    strbuf_addf(b, "%s%s",
                i == 0      ? ""
                : i + 2 < n ? ", "
                            : " and ",
                fmt_size(size, edge_bytes(l->of[kind].point, &levels[i])));
  if (n < 2)
    strbuf_adds(b, "no size");
}

/* Only caches well within the measured range can be seen or missed. */
static void doubt_caches(const struct latency *l, enum latency_kind kind,
                         struct warnings *to)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  const uint64_t reached = l->of[kind].point[points_of(l, kind) - 1].bytes;
  struct strbuf edges = { 0 };
  char size[FMT_SIZE_SIZE];

  describe_edges(&edges, l, kind);
  for (unsigned i = 0; i < l->caches.n; i++) {
    const uint64_t bytes = l->caches.of[i].bytes;

    if (bytes < 2 * (uint64_t)LATENCY_MIN_BYTES || bytes * 2 > reached ||
        latency_has_edge(l->of[kind].point, levels, n, bytes))
      continue;
    warnings_add(to, true, "cache_size",
                 "the system claims a level %u cache of %s, but latencies rise "
                 "at %s; caches shared with other machines or programs are "
                 "smaller than they seem",
                 l->caches.of[i].level, fmt_size(size, bytes),
                 strbuf_str(&edges));
  }
  strbuf_done(&edges);
}

static size_t counted(const struct latency *l, enum latency_kind kind)
{
  size_t n = 0;

  for (size_t i = 0; i < points_of(l, kind); i++)
    n += latency_counts(&l->of[kind].point[i]);
  return n;
}

static void doubt_points(const struct latency *l, enum latency_kind kind,
                         struct warnings *to)
{
  const size_t n = points_of(l, kind);
  char size[FMT_SIZE_SIZE];

  if (n == 0)
    warnings_add(to, true, "unfinished",
                 "latencies with %s pages were not measured, because the run "
                 "was over; give it more --time",
                 kind_words[kind]);
  else if (counted(l, kind) < l->n_points)
    warnings_add(
      to, true, "unfinished",
      "latencies with %s pages were measured at %zu of %zu sizes, up "
      "to %s, because the time was too short for the others; give it "
      "more --time",
      kind_words[kind], counted(l, kind), l->n_points,
      fmt_size(size, l->of[kind].point[n - 1].bytes));
}

void latency_report_doubts(void *run, const struct report *total,
                           struct warnings *to)
{
  const struct latency *l = run;
  bool looked = false;

  (void)total;
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    const size_t n = points_of(l, kind);

    if (!l->of[kind].wanted)
      continue;
    doubt_points(l, kind, to);
    if (n > 0 && !looked && counted(l, kind) == n)
      doubt_caches(l, kind, to);
    looked = looked || n > 0;
  }
}

const struct report_form memory_latency_form = {
  .interval = form_interval_events,
  .results = add_results,
  .table = add_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .measures_times = true,
};
