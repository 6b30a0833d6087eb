#include "tests/memory/bandwidth.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "base/wait.h"
#include "report/form.h"
#include "report/life.h"
#include "report/text_num.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/figure.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/memory/pages.h"
#include "tests/tests.h"

/* ---- workers that meet ---- */

enum {
  SPINS = 2000,
};

/* Between checks of a sleeping worker whether the run is over. */
#define LOOK_NS (10 * NS_PER_MS)

static void bandwidth_meet_init(struct meet *m, unsigned threads)
{
  m->threads = threads;
  atomic_init(&m->arrived, 0);
  atomic_init(&m->turn, 0);
}

bool meet_others(struct meet *m, struct worker *w, void (*between)(void *arg),
                 void *arg)
{
  const uint32_t turn = atomic_load(&m->turn);

  if (atomic_fetch_add(&m->arrived, 1) + 1 == m->threads) {
    atomic_store(&m->arrived, 0);
    between(arg);
    atomic_store(&m->turn, turn + 1);
    wait_wake_all(&m->turn);
    return !worker_is_over(w);
  }
  for (int i = 0; i < SPINS && atomic_load(&m->turn) == turn; i++)
    meet_pause();
  while (atomic_load(&m->turn) == turn) {
    if (worker_is_over(w))
      return false;
    wait_while(&m->turn, turn, clock_now_ns() + LOOK_NS);
  }
  return true;
}

/* ---- reports ---- */

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
  figure_sort(sorted, n);
  ret->rounds = rounds;
  ret->best = sorted[n - 1];
  ret->median = figure_quantile(sorted, n, 0.5);
  ret->mad = figure_mad(sorted, n, sorted + n);
  ret->owned = ret->median * (double)stream_owned_bytes(s, b->loops.words) /
               (double)stream_counted_bytes(s, b->loops.words);
  free(sorted);
}

static struct pages bandwidth_all_pages(const struct bandwidth *b)
{
  const uint64_t bytes = b->loops.words * sizeof(double) * b->plan->threads;

  return (struct pages){ .bytes = bytes,
                         .in_huge = atomic_load(&b->huge_bytes),
                         .look_failed = atomic_load(&b->look_failed) != 0 };
}

static void bandwidth_add_results(struct strbuf *b,
                                  const struct report_setup *setup,
                                  const struct report *r)
{
  const struct bandwidth *run = setup->of_test;
  const struct pages pages = bandwidth_all_pages(run);

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
  strbuf_adds(b,
              "\n    The bandwidth counts the bytes that a loop reads and "
              "writes. \"with owned\" is the median with\n    the lines that "
              "CPUs read before plain stores to them.\n");
}

static void bandwidth_add_table(struct strbuf *b,
                                const struct report_setup *setup)
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

static void bandwidth_report_details(void *arg, struct test_details *ret)
{
  const struct bandwidth *b = arg;
  const struct pages pages = bandwidth_all_pages(b);

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

static void bandwidth_report_doubts(void *run, const struct report *total,
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
  .results = bandwidth_add_results,
  .table = bandwidth_add_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the bandwidth is",
};

/* ---- the run ---- */

/* A round takes this long, or a pass. */
#define ROUND_NS (4 * NS_PER_MS)

struct bandwidth_thread {
  struct bandwidth *run;
  struct bandwidth_slot *slot;
  struct loops_block block;
};

static void bandwidth_close(void *arg)
{
  struct bandwidth *b = arg;

  if (b)
    free(b->slots);
  free(b);
}

static int bandwidth_open(const struct plan *plan, const void *cfg,
                          void **ret_run, struct err *err)
{
  int rc = 0;
  struct bandwidth *b = memory_new(plan, cfg, sizeof(*b), &rc, err);

  if (!b)
    return rc;
  b->plan = plan;
  b->cfg = cfg;
  b->slots = mem_aligned(plan->threads, sizeof(*b->slots), CACHE_LINE);
  bandwidth_meet_init(&b->meet, plan->threads);
  place_find_cpus(&b->cpus);
  rc = b->slots ? 0 : err_set(err, -ENOMEM, "cannot allocate the memory test");
  if (rc == 0)
    rc = loops_choose(&b->loops, b->cfg, &b->cpus, plan->threads, err);
  if (rc < 0)
    bandwidth_close(b);
  else
    *ret_run = b;
  return rc;
}

static void bandwidth_describe(void *arg)
{
  const struct bandwidth *b = arg;
  char size[FMT_SIZE_SIZE];

  log_msg(LOG_NOTICE,
          "Running memory bandwidth test with the following options:\n"
          "  memory: %s in all, for %u thread%s\n"
          "  instructions: %s\n\n",
          fmt_size(size, b->loops.words * sizeof(double) * b->plan->threads),
          b->plan->threads, b->plan->threads == 1 ? "" : "s",
          b->loops.streams->name);
}

static void bandwidth_thread_close(void *thr)
{
  struct bandwidth_thread *t = thr;

  loops_block_close(&t->block);
  free(t);
}

static int bandwidth_thread_open(void *arg, struct worker *w, void **ret_thr,
                                 struct err *err)
{
  struct bandwidth *b = arg;
  struct bandwidth_thread *t = calloc(1, sizeof(*t));
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  rc = place_pin(b->cpus.of[w->tid % b->cpus.n], "--memory-test", err);
  if (rc == 0)
    rc = loops_block_open(&t->block, &b->loops, b->cfg->pages != PAGES_SMALL,
                          err);
  if (rc < 0) {
    free(t);
    return rc;
  }
  t->run = b;
  t->slot = &b->slots[w->tid];
  (void)atomic_fetch_add(&b->huge_bytes, t->block.pages.in_huge);
  if (t->block.pages.look_failed)
    atomic_store(&b->look_failed, 1);
  *ret_thr = t;
  return 0;
}

static enum stream bandwidth_kernel_of(const struct bandwidth *b,
                                       uint64_t round)
{
  return b->loops.of[(round - 1) % b->loops.n];
}

static void bandwidth_conclude_round(void *arg)
{
  struct bandwidth *b = arg;
  uint64_t begin_ns = UINT64_MAX, end_ns = 0, n;
  bool counted = true;
  enum stream s;
  double span_ns;

  if (b->round++ == 0)
    return;
  s = bandwidth_kernel_of(b, b->round - 1);
  for (unsigned i = 0; i < b->plan->threads; i++) {
    begin_ns = min_u64(begin_ns, b->slots[i].begin_ns);
    end_ns = end_ns > b->slots[i].end_ns ? end_ns : b->slots[i].end_ns;
    counted = counted && b->slots[i].counted;
  }
  span_ns = end_ns > begin_ns ? (double)(end_ns - begin_ns) : 1;
  if (b->passes[s] == 0) {
    /* The first round of a loop only measures a pass. */
    b->passes[s] = 1 + (unsigned)((double)ROUND_NS / span_ns);
    return;
  }
  if (!counted)
    return;
  n = atomic_load_explicit(&b->of[s].n, memory_order_relaxed);
  b->of[s].bytes_per_s[n % BANDWIDTH_ROUNDS_MAX] =
    (double)stream_counted_bytes(s, b->loops.words) * b->passes[s] *
    b->plan->threads * (double)NS_PER_S / span_ns;
  atomic_store_explicit(&b->of[s].n, n + 1, memory_order_release);
}

/* False: a sum is wrong. */
static bool bandwidth_run_round(struct bandwidth_thread *t, enum stream s)
{
  const struct bandwidth *b = t->run;
  const unsigned passes = b->passes[s] > 0 ? b->passes[s] : 1;
  bool right;

  t->slot->begin_ns = clock_now_ns();
  right = loops_run(&t->block, s, (double)(b->round % 1000 + 1), passes);
  t->slot->end_ns = clock_now_ns();
  return right;
}

static int bandwidth_loop(void *thr, struct worker *w, struct err *err)
{
  struct bandwidth_thread *t = thr;
  struct bandwidth *b = t->run;
  bool right = true;

  while (right && meet_others(&b->meet, w, bandwidth_conclude_round, b) &&
         worker_more(w)) {
    worker_start(w);
    right = bandwidth_run_round(t, bandwidth_kernel_of(b, b->round));
    t->slot->counted = w->counted;
    worker_stop(w);
  }
  (void)worker_more(w); /* notes why the run ends */
  if (!right || !loops_block_is_right(&t->block))
    return err_set(err, -EIO,
                   "the memory does not hold what was written to it: a sum of "
                   "thread %u is wrong",
                   w->tid);
  return 0;
}

const struct test_ops memory_bandwidth_ops = {
  .open = bandwidth_open,
  .setup = test_setup_run,
  .describe = bandwidth_describe,
  .close = bandwidth_close,
  .thread_open = bandwidth_thread_open,
  .thread_close = bandwidth_thread_close,
  .loop = bandwidth_loop,
  .details = bandwidth_report_details,
  .warnings = bandwidth_report_doubts,
};
