#include "tests/memory/loaded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/wait.h"
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
#include "tests/memory/pages.h"
#include "tests/memory/streams.h"
#include "tests/tests.h"

/* ---- reports ---- */

#define KNEE 1.5 /* times the latency without load */

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

static size_t loaded_points_of(const struct loaded *l)
{
  return atomic_load_explicit(&l->n, memory_order_acquire);
}

static struct pages loaded_all_pages(const struct loaded *l)
{
  const unsigned loads = l->plan->threads - 1;

  return (struct pages){ .bytes = l->chase_bytes + loads * l->load_bytes,
                         .in_huge = atomic_load(&l->huge_bytes) };
}

/* Turns of an empty loop after each piece. */
#define NO_LOAD UINT32_MAX

static const uint32_t loaded_delays[LOADED_POINTS] = {
  NO_LOAD, 20000, 9000, 5000, 3500, 2500, 1700, 1300, 1000, 700,
  500,     400,   300,  200,  100,  50,   15,   8,    2,    0,
};

static void loaded_add_delay(struct strbuf *b, uint32_t turns)
{
  if (turns == NO_LOAD)
    strbuf_addf(b, "    %8s", "no load");
  else
    strbuf_addf(b, "    %8" PRIu32, turns);
}

static void loaded_add_results(struct strbuf *b,
                               const struct report_setup *setup,
                               const struct report *r)
{
  const struct loaded *l = setup->of_test;
  const struct pages pages = loaded_all_pages(l);
  const size_t n = loaded_points_of(l), knee = loaded_knee(l->point, n);

  (void)r;
  strbuf_adds(b, "Memory latency under load:\n    memory:  ");
  pages_describe(&pages, l->cfg->pages != PAGES_SMALL, b);
  strbuf_addf(b, "\n\n    %8s %12s %12s\n", "delay", "MiB/s", "latency ns");
  for (size_t i = 0; i < n; i++) {
    loaded_add_delay(b, loaded_delays[i]);
    if (!loaded_counts(&l->point[i])) {
      strbuf_addf(b, " %12s %12s\n", "-", "-");
      continue;
    }
    strbuf_addf(b, " %12.0f %12.2f%s\n", l->point[i].bytes_per_s / TEXT_MIB,
                l->point[i].ns, knee > 0 && i == knee ? "   knee" : "");
  }
  strbuf_adds(
    b, "\n    The bandwidth counts the bytes that the loads read and write. "
       "The knee has the most bandwidth at\n    which latency is at "
       "most 1.5 times that without load.\n");
}

static void loaded_add_table(struct strbuf *b, const struct report_setup *setup)
{
  const struct loaded *l = setup->of_test;
  const size_t n = loaded_points_of(l);

  strbuf_adds(b, "delay,bytes_per_s,ns,samples,dropped\n");
  for (size_t i = 0; i < n; i++) {
    const struct loaded_point *p = &l->point[i];

    if (!loaded_counts(p))
      continue;
    if (loaded_delays[i] == NO_LOAD)
      strbuf_adds(b, "none");
    else
      strbuf_addf(b, "%" PRIu32, loaded_delays[i]);
    strbuf_addf(b, ",%.0f,%.3f,%u,%u\n", p->bytes_per_s, p->ns, p->kept,
                p->dropped);
  }
}

static void loaded_report_details(void *run, struct test_details *ret)
{
  const struct loaded *l = run;
  const struct pages pages = loaded_all_pages(l);
  const size_t n = loaded_points_of(l), knee = loaded_knee(l->point, n);
  char key[96];

  facts_text(&ret->test, "memory_test", "loaded");
  facts_text(&ret->test, "loaded.instructions", l->streams->name);
  facts_int(&ret->test, "loaded.bytes", (int64_t)pages.bytes);
  facts_int(&ret->test, "loaded.huge_bytes", (int64_t)pages.in_huge);
  for (size_t i = 0; i < n; i++) {
    char name[16] = "none";

    if (!loaded_counts(&l->point[i]))
      continue;
    if (loaded_delays[i] != NO_LOAD)
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

static void loaded_report_doubts(void *run, const struct report *total,
                                 struct warnings *to)
{
  const struct loaded *l = run;
  const size_t n = loaded_points_of(l);
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
                 "CPU while they were measured; stop the other programs",
                 stalled, n);
  if (l->plan->threads > l->cpus.n)
    warnings_add(to, true, "shared_processors",
                 "%u threads share %u CPUs, so loads wait for each other; use "
                 "fewer --threads",
                 l->plan->threads, l->cpus.n);
}

const struct report_form memory_loaded_form = {
  .interval = form_interval_events,
  .results = loaded_add_results,
  .table = loaded_add_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .measures_times = true,
};

/* ---- the run ---- */

enum {
  CACHES_TIMES = 8,  /* half for the cycle */
  PIECE_WORDS = 384, /* 3 KiB, half of it copied */
  PIECES_PER_LOOK = 64,
  CHASE_MIN_BYTES = 4096,
};

#define SLICE_NS (5 * NS_PER_MS)
#define EVENT_NS (10 * NS_PER_MS)
/* Share of the time for points, and of a point before it counts. */
#define SHARE 0.9
#define SETTLE_SHARE 0.3

struct loaded_thread {
  struct loaded *run;
  struct pages pages;
  struct chase chase;
};

static int loaded_choose_sizes(struct loaded *l, struct err *err)
{
  char size[FMT_SIZE_SIZE];
  uint64_t all;
  int rc = pages_choose(l->cfg, place_last_caches("", &l->cpus), CACHES_TIMES,
                        &all, err);

  if (rc < 0)
    return rc;
  l->chase_bytes = all / 2;
  l->load_bytes = all / 2 / (l->plan->threads - 1);
  if (l->chase_bytes >= CHASE_MIN_BYTES &&
      l->load_bytes >= PIECE_WORDS * sizeof(double))
    return 0;
  return err_set(err, -EINVAL,
                 "Invalid value for --memory-size: %s for %u threads "
                 "(--memory-test=loaded needs 4 KiB for each and 4 KiB more)",
                 fmt_size(size, all), l->plan->threads);
}

static void loaded_close(void *arg)
{
  struct loaded *l = arg;

  if (l)
    free(l->counts);
  free(l);
}

static int loaded_open(const struct plan *plan, const void *cfg, void **ret_run,
                       struct err *err)
{
  int rc = 0;
  struct loaded *l = memory_new(plan, cfg, sizeof(*l), &rc, err);
  struct place_caches caches;

  if (!l)
    return rc;
  l->plan = plan;
  l->cfg = cfg;
  l->streams = l->cfg->baseline ? streams_baseline() : streams_best();
  place_find_cpus(&l->cpus);
  place_find_caches("", l->cpus.of[0], &caches);
  l->line_bytes = caches.line_bytes;
  l->counts = mem_aligned(plan->threads, sizeof(*l->counts), CACHE_LINE);
  if (!l->counts)
    rc = err_set(err, -ENOMEM, "cannot allocate the memory test");
  else if (l->cpus.n < 2)
    rc = err_set(err, -EINVAL,
                 "--memory-test=loaded needs two CPUs, and this process "
                 "may run on one only");
  else
    rc = loaded_choose_sizes(l, err);
  if (rc < 0)
    loaded_close(l);
  else
    *ret_run = l;
  return rc;
}

static void loaded_describe(void *arg)
{
  const struct loaded *l = arg;
  char chase[FMT_SIZE_SIZE], load[FMT_SIZE_SIZE];

  log_msg(LOG_NOTICE,
          "Running loaded memory latency test with the following options:\n"
          "  latency: %s, on CPU %d\n"
          "  load: %u thread%s that copies %s\n"
          "  instructions: %s\n\n",
          fmt_size(chase, l->chase_bytes), l->cpus.of[0], l->plan->threads - 1,
          l->plan->threads == 2 ? "" : "s, each of them",
          fmt_size(load, l->load_bytes), l->streams->name);
}

static int loaded_thread_open(void *arg, struct worker *w, void **ret_thr,
                              struct err *err)
{
  struct loaded *l = arg;
  struct loaded_thread *t = calloc(1, sizeof(*t));
  const uint64_t bytes = w->tid == 0 ? l->chase_bytes : l->load_bytes;
  unsigned cpu = 0;
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->run = l;
  if (w->tid > 0) /* worker 0 has a CPU of its own */
    cpu = 1 + (w->tid - 1) % (l->cpus.n - 1);
  rc = place_pin(l->cpus.of[cpu], "--memory-test", err);
  if (rc == 0)
    rc = pages_map(&t->pages, bytes, l->cfg->pages != PAGES_SMALL, -1, err);
  if (rc < 0) {
    free(t);
    return rc;
  }
  pages_touch(&t->pages);
  (void)atomic_fetch_add(&l->huge_bytes, t->pages.in_huge);
  if (w->tid == 0) {
    chase_init(&t->chase, t->pages.at, l->line_bytes, l->plan->seed);
    chase_grow(&t->chase, bytes / l->line_bytes);
  }
  *ret_thr = t;
  return 0;
}

static void loaded_thread_close(void *thr)
{
  struct loaded_thread *t = thr;

  pages_unmap(&t->pages);
  free(t);
}

/* ---- worker 0 ---- */

static uint64_t loaded_bytes_so_far(const struct loaded *l)
{
  uint64_t sum = 0;

  for (unsigned i = 1; i < l->plan->threads; i++)
    sum += atomic_load_explicit(&l->counts[i].bytes, memory_order_relaxed);
  return sum;
}

static void loaded_set_step(struct loaded *l, uint32_t step)
{
  atomic_store(&l->step, step);
  wait_wake_all(&l->step);
}

static bool loaded_measure_slice(struct loaded *l, struct chase *c,
                                 struct worker *w, double *bytes_per_s,
                                 struct latency_point *ret)
{
  const uint64_t begin_ns = clock_now_ns(), before = loaded_bytes_so_far(l);

  if (!latency_measure(c, w, SLICE_NS, ret))
    return false;
  *bytes_per_s = (double)(loaded_bytes_so_far(l) - before) * (double)NS_PER_S /
                 (double)(clock_now_ns() - begin_ns);
  return true;
}

void loaded_summarize(const struct loaded_slice *of, size_t n, bool with_load,
                      struct loaded_point *ret)
{
  double rates[LOADED_SLICES_MAX], ns[LOADED_SLICES_MAX];
  size_t kept = 0;

  for (size_t i = 0; i < n && kept < LOADED_SLICES_MAX; i++) {
    if (with_load && of[i].bytes_per_s <= 0)
      continue;
    rates[kept] = of[i].bytes_per_s;
    ns[kept++] = of[i].ns;
  }
  figure_sort(rates, kept);
  figure_sort(ns, kept);
  ret->bytes_per_s = kept > 0 ? figure_quantile(rates, kept, 0.5) : NAN;
  ret->ns = kept > 0 ? figure_quantile(ns, kept, 0.5) : NAN;
}

static bool loaded_measure_point(struct loaded *l, struct chase *c,
                                 struct worker *w, uint64_t each_ns,
                                 struct loaded_point *ret)
{
  const uint64_t until_ns = clock_now_ns() + each_ns;
  const uint32_t step = atomic_load(&l->step);
  struct loaded_slice slice[LOADED_SLICES_MAX];
  size_t n = 0;

  *ret = (struct loaded_point){ 0 };
  (void)latency_warm(c, (uint64_t)((double)each_ns * SETTLE_SHARE));
  do {
    struct latency_point p = { 0 };

    if (!loaded_measure_slice(l, c, w, &slice[n].bytes_per_s, &p))
      return false;
    slice[n++].ns = p.ns;
    ret->kept += p.kept;
    ret->dropped += p.dropped;
  } while (n < LOADED_SLICES_MAX && clock_now_ns() < until_ns);
  loaded_summarize(slice, n, loaded_delays[step] != NO_LOAD, ret);
  return true;
}

static void loaded_measure_all(struct loaded_thread *t, struct worker *w)
{
  struct loaded *l = t->run;
  const uint64_t all_ns = test_time_ns(l->plan);
  uint64_t end_ns;

  if (!latency_await_measured(w))
    return;
  end_ns = clock_now_ns() + (uint64_t)((double)all_ns * SHARE);
  /* Parts of the new cycle are in the caches. */
  if (!latency_warm(&t->chase, (uint64_t)((double)all_ns * SHARE))) {
    loaded_set_step(l, LOADED_POINTS);
    return;
  }
  for (uint32_t i = 0; i < LOADED_POINTS; i++) {
    const uint64_t now_ns = clock_now_ns();
    /* Slow points leave less for the others. */
    const uint64_t each_ns = now_ns < end_ns
                               ? (end_ns - now_ns) / (LOADED_POINTS - i)
                               : 0;

    loaded_set_step(l, i);
    if (!loaded_measure_point(l, &t->chase, w, each_ns, &l->point[i]))
      break;
    atomic_store_explicit(&l->n, i + 1, memory_order_release);
  }
  loaded_set_step(l, LOADED_POINTS);
}

/* ---- the other workers ---- */

static void loaded_delay(uint32_t turns)
{
  uint32_t x = turns;

  for (uint32_t i = 0; i < turns; i++)
    OPAQUE(x);
}

/* Until the point ends, but not for long. */
static void loaded_copy_pieces(const struct loaded_thread *t, size_t *at,
                               struct loaded_count *count, uint32_t step)
{
  const struct loaded *l = t->run;
  const uint64_t until_ns = clock_now_ns() + EVENT_NS;
  const size_t pieces = t->pages.bytes / (PIECE_WORDS * sizeof(double));
  struct stream_block piece = { .n = PIECE_WORDS };

  do {
    for (int i = 0; i < PIECES_PER_LOOK; i++) {
      if (atomic_load_explicit(&l->step, memory_order_relaxed) != step)
        return;
      piece.words = (double *)(void *)t->pages.at + *at * PIECE_WORDS;
      l->streams->run[STREAM_COPY](&piece);
      *at = *at + 1 < pieces ? *at + 1 : 0;
      atomic_store_explicit(
        &count->bytes,
        atomic_load_explicit(&count->bytes, memory_order_relaxed) +
          stream_counted_bytes(STREAM_COPY, PIECE_WORDS),
        memory_order_relaxed);
      loaded_delay(loaded_delays[step]);
    }
  } while (clock_now_ns() < until_ns);
}

static void loaded_load_memory(struct loaded_thread *t, struct worker *w)
{
  struct loaded *l = t->run;
  size_t at = 0;

  for (;;) {
    const uint32_t step = atomic_load(&l->step);

    if (step >= LOADED_POINTS || worker_is_over(w))
      return;
    if (loaded_delays[step] == NO_LOAD) {
      wait_while(&l->step, step, clock_now_ns() + EVENT_NS);
      continue;
    }
    if (!worker_more(w))
      return;
    worker_start(w);
    loaded_copy_pieces(t, &at, &l->counts[w->tid], step);
    worker_stop(w);
  }
}

static int loaded_loop(void *thr, struct worker *w, struct err *err)
{
  (void)err;
  if (w->tid == 0)
    loaded_measure_all(thr, w);
  else
    loaded_load_memory(thr, w);
  return 0;
}

const struct test_ops memory_loaded_ops = {
  .open = loaded_open,
  .setup = test_setup_run,
  .describe = loaded_describe,
  .close = loaded_close,
  .thread_open = loaded_thread_open,
  .thread_close = loaded_thread_close,
  .loop = loaded_loop,
  .details = loaded_report_details,
  .warnings = loaded_report_doubts,
};
