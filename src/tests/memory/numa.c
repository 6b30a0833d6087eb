/*
 * numa.c - latency and bandwidth from each node to the memory of each.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "report/text_num.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/figure.h"
#include "tests/memory/latency.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/memory/streams.h"
#include "tests/tests.h"

enum {
  CACHES_TIMES = 4,
  PASSES_MIN = 3,
  PASSES_MAX = 256,
};

#define SHARE 0.6 /* of the time */

struct numa_cell {
  double ns, bytes_per_s;
};

struct numa {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  const struct streams *streams;
  struct place_cpus cpus;
  struct place_nodes nodes;
  uint64_t bytes;
  unsigned line_bytes;

  /* In the order first node to all, second to all, and so on. The worker
   * writes; readers use the first `n` (acquire, release). */
  _Atomic size_t n;
  struct numa_cell *of; /* owned; [nodes.n * nodes.n] */
};

static void numa_close(void *arg)
{
  struct numa *m = arg;

  if (m)
    free(m->of);
  free(m);
}

static int numa_choose_size(struct numa *m, struct err *err)
{
  struct place_caches caches;
  char size[FMT_SIZE_SIZE];
  int rc;

  place_find_caches("", m->cpus.of[0], &caches);
  m->line_bytes = caches.line_bytes;
  rc = pages_choose(m->cfg, caches.n > 0 ? caches.of[caches.n - 1].bytes : 0,
                    CACHES_TIMES, &m->bytes, err);
  if (rc == 0 && stream_words_in(m->bytes) == 0)
    rc = err_set(err, -EINVAL,
                 "Invalid value for --memory-size: %s (--memory-test=numa "
                 "needs at least 4 KiB)",
                 fmt_size(size, m->bytes));
  return rc;
}

static int numa_open(const struct plan *plan, const void *cfg, void **ret_run,
                     struct err *err)
{
  int rc = 0;
  struct numa *m = memory_new(plan, cfg, sizeof(*m), &rc, err);

  if (!m)
    return rc;
  m->plan = plan;
  m->cfg = cfg;
  m->streams = m->cfg->baseline ? streams_baseline() : streams_best();
  place_find_cpus(&m->cpus);
  place_find_nodes("", &m->cpus, &m->nodes);
  if (m->nodes.n == 0) {
    m->nodes.n = 1;
    m->nodes.of[0].id = 0;
    m->nodes.of[0].cpu = m->cpus.of[0];
  }
  m->of = calloc((size_t)m->nodes.n * m->nodes.n, sizeof(*m->of));
  rc = m->of ? numa_choose_size(m, err)
             : err_set(err, -ENOMEM, "cannot allocate the memory test");
  if (rc < 0)
    numa_close(m);
  else
    *ret_run = m;
  return rc;
}

static void numa_describe(void *arg)
{
  const struct numa *m = arg;
  char size[FMT_SIZE_SIZE];

  log_msg(LOG_NOTICE,
          "Running NUMA memory test with the following options:\n"
          "  nodes: %u\n"
          "  memory: %s\n\n",
          m->nodes.n, fmt_size(size, m->bytes));
}

/* The median of passes over all of the memory. False: the run is over. */
static bool numa_read_all(const struct numa *m, const struct pages *p,
                          struct worker *w, uint64_t for_ns, double *ret)
{
  const struct stream_block b = { .words = (double *)(void *)p->at,
                                  .n = stream_words_in(p->bytes) };
  const uint64_t until_ns = clock_now_ns() + for_ns;
  double rates[PASSES_MAX];
  size_t n = 0;

  while (n < PASSES_MAX && (n < PASSES_MIN || clock_now_ns() < until_ns)) {
    uint64_t begin_ns, took_ns, sum;

    if (!worker_more(w))
      return false;
    worker_start(w);
    begin_ns = clock_now_ns();
    sum = m->streams->run[STREAM_READ](&b);
    OPAQUE(sum); /* or the sum is not computed */
    took_ns = clock_now_ns() - begin_ns;
    worker_stop(w);
    rates[n++] = (double)stream_counted_bytes(STREAM_READ, b.n) *
                 (double)NS_PER_S / (double)(took_ns > 0 ? took_ns : 1);
  }
  figure_sort(rates, n);
  *ret = figure_quantile(rates, n, 0.5);
  return true;
}

/* -EINTR: the run is over, and `err` is not set. */
static int numa_measure(const struct numa *m, unsigned from, unsigned to,
                        struct worker *w, uint64_t each_ns,
                        struct numa_cell *ret, struct err *err)
{
  /* A single node needs no binding, which containers often forbid. */
  const int node = m->nodes.n > 1 ? m->nodes.of[to].id : -1;
  struct latency_point point = { 0 };
  struct chase c;
  struct pages p;
  bool more;
  int rc = place_pin(m->nodes.of[from].cpu, "--memory-test", err);

  if (rc == 0)
    rc = pages_map(&p, m->bytes, m->cfg->pages != PAGES_SMALL, node, err);
  if (rc < 0)
    return rc;
  pages_touch(&p);
  chase_init(&c, p.at, m->line_bytes, m->plan->seed);
  chase_grow(&c, m->bytes / m->line_bytes);
  more = latency_warm(&c, each_ns) &&
         latency_measure(&c, w, each_ns / 3, &point) &&
         numa_read_all(m, &p, w, each_ns / 3, &ret->bytes_per_s);
  ret->ns = point.ns;
  pages_unmap(&p);
  return more ? 0 : -EINTR;
}

static int numa_loop(void *thr, struct worker *w, struct err *err)
{
  struct numa *m = thr;
  const uint64_t all_ns = test_time_ns(m->plan);
  const size_t cells = (size_t)m->nodes.n * m->nodes.n;
  const uint64_t each_ns = (uint64_t)((double)all_ns * SHARE / (double)cells);

  if (!latency_await_measured(w))
    return 0;
  for (size_t i = 0; i < cells; i++) {
    const unsigned from = (unsigned)(i / m->nodes.n);
    int rc = 0;

    if (m->nodes.of[from].cpu >= 0)
      rc = numa_measure(m, from, (unsigned)(i % m->nodes.n), w, each_ns,
                        &m->of[i], err);
    if (rc < 0)
      return rc == -EINTR ? 0 : rc;
    atomic_store_explicit(&m->n, i + 1, memory_order_release);
  }
  return 0;
}

/* ---- reports ---- */

/* NULL: not measured. */
static const struct numa_cell *numa_cell_of(const struct numa *m, unsigned from,
                                            unsigned to)
{
  const size_t at = (size_t)from * m->nodes.n + to;

  if (at >= atomic_load_explicit(&m->n, memory_order_acquire) ||
      m->nodes.of[from].cpu < 0)
    return NULL;
  return &m->of[at];
}

static bool numa_has_processors(const struct numa *m)
{
  for (unsigned i = 0; i < m->nodes.n; i++) {
    if (m->nodes.of[i].cpu < 0)
      return false;
  }
  return true;
}

static bool numa_is_unfinished(const struct numa *m)
{
  return atomic_load_explicit(&m->n, memory_order_acquire) <
         (size_t)m->nodes.n * m->nodes.n;
}

static void numa_add_table(struct strbuf *b, const struct numa *m, bool latency)
{
  strbuf_addf(b, "\n    %-10s", latency ? "ns" : "MiB/s");
  for (unsigned to = 0; to < m->nodes.n; to++)
    strbuf_addf(b, " memory %3d", m->nodes.of[to].id);
  strbuf_adds(b, "\n");
  for (unsigned from = 0; from < m->nodes.n; from++) {
    strbuf_addf(b, "    node %-5d", m->nodes.of[from].id);
    for (unsigned to = 0; to < m->nodes.n; to++) {
      const struct numa_cell *c = numa_cell_of(m, from, to);

      if (!c)
        strbuf_addf(b, " %10s", "-");
      else if (latency)
        strbuf_addf(b, " %10.1f", c->ns);
      else
        strbuf_addf(b, " %10.0f", c->bytes_per_s / TEXT_MIB);
    }
    strbuf_adds(b, "\n");
  }
}

static void numa_results(struct strbuf *b, const struct report_setup *setup,
                         const struct report *r)
{
  const struct numa *m = setup->of_test;

  (void)r;
  strbuf_adds(b, "Memory of nodes:\n");
  if (m->nodes.n == 1)
    strbuf_adds(b, "    This machine has one node of memory: there is nothing "
                   "to compare it with.\n");
  numa_add_table(b, m, true);
  numa_add_table(b, m, false);
  if (!numa_has_processors(m))
    strbuf_adds(b, "\n    \"-\" on all of a node: this process may run on none "
                   "of its CPUs.\n");
  if (numa_is_unfinished(m))
    strbuf_adds(b, "\n    \"-\": the run was over before that was measured; "
                   "give it more --time.\n");
}

static void numa_csv(struct strbuf *b, const struct report_setup *setup)
{
  const struct numa *m = setup->of_test;

  strbuf_adds(b, "from_node,to_node,ns,bytes_per_s\n");
  for (unsigned from = 0; from < m->nodes.n; from++) {
    for (unsigned to = 0; to < m->nodes.n; to++) {
      const struct numa_cell *c = numa_cell_of(m, from, to);

      if (c)
        strbuf_addf(b, "%d,%d,%.3f,%.0f\n", m->nodes.of[from].id,
                    m->nodes.of[to].id, c->ns, c->bytes_per_s);
    }
  }
}

static void numa_details(void *run, struct test_details *ret)
{
  const struct numa *m = run;
  char key[96];

  facts_text(&ret->test, "memory_test", "numa");
  facts_int(&ret->test, "numa.nodes", m->nodes.n);
  facts_int(&ret->test, "numa.bytes", (int64_t)m->bytes);
  for (unsigned from = 0; from < m->nodes.n; from++) {
    for (unsigned to = 0; to < m->nodes.n; to++) {
      const struct numa_cell *c = numa_cell_of(m, from, to);
      const int a = m->nodes.of[from].id, b = m->nodes.of[to].id;

      if (!c)
        continue;
      facts_real(&ret->test, FIGURE_KEY(key, "numa.of.%d-%d.ns", a, b), c->ns);
      facts_real(&ret->test, FIGURE_KEY(key, "numa.of.%d-%d.bytes_per_s", a, b),
                 c->bytes_per_s);
      figure_add(&ret->test, FIGURE_NS, c->ns, "latency node %d to %d", a, b);
      figure_add(&ret->test, FIGURE_BYTES_PER_S, c->bytes_per_s,
                 "read node %d to %d", a, b);
    }
  }
}

static void numa_doubts(void *run, const struct report *total,
                        struct warnings *to)
{
  const struct numa *m = run;
  const size_t n = atomic_load_explicit(&m->n, memory_order_acquire);
  const size_t cells = (size_t)m->nodes.n * m->nodes.n;

  (void)total;
  if (n < cells)
    warnings_add(
      to, true, "unfinished",
      "only %zu of %zu pairs of nodes were measured, because the run "
      "was over; give it more --time",
      n, cells);
}

const struct test_ops memory_numa_ops = {
  .open = numa_open,
  .setup = test_setup_run,
  .describe = numa_describe,
  .close = numa_close,
  .loop = numa_loop,
  .details = numa_details,
  .warnings = numa_doubts,
};

const struct report_form memory_numa_form = {
  .interval = form_interval_events,
  .results = numa_results,
  .table = numa_csv,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .measures_times = true,
};
