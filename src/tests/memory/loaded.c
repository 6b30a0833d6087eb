/*
 * loaded.c - latency while other threads use bandwidth: the run.
 */
#include "tests/memory/loaded.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/wait.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/memory/latency.h"
#include "tests/memory/loaded_report.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/memory/pages.h"
#include "tests/memory/streams.h"
#include "tests/memory/summary.h"

enum {
  CACHES_TIMES = 8, /* half for the cycle, half for the loads */
  UNKNOWN_CACHES = 32 << 20,
  PIECE_WORDS = 384,    /* 3 KiB: half of it is copied to the other half */
  PIECES_PER_LOOK = 64, /* pieces between checks of the clock */
  CHASE_MIN_BYTES = 4096,
};

#define NO_LOAD UINT32_MAX
#define SLICE_NS (5 * NS_PER_MS)
#define EVENT_NS (10 * NS_PER_MS) /* duration of an event of load */
/* The time without a time limit. */
#define USUAL_NS (10 * NS_PER_S)
/* Share of the time for the points, and share of a point before it counts. */
#define SHARE 0.9
#define SETTLE_SHARE 0.3

const uint32_t loaded_delays[LOADED_POINTS] = {
  NO_LOAD, 20000, 9000, 5000, 3500, 2500, 1700, 1300, 1000, 700,
  500,     400,   300,  200,  100,  50,   15,   8,    2,    0,
};

struct loaded_thread {
  struct loaded *run;
  struct pages pages;
  struct chase chase; /* used by worker 0 */
};

static int choose_sizes(struct loaded *l, struct err *err)
{
  const uint64_t caches = place_last_caches("", &l->cpus);
  const uint64_t usual = (caches > 0 ? caches : UNKNOWN_CACHES) * CACHES_TIMES;
  char size[FMT_SIZE_SIZE];
  uint64_t all;
  int rc = pages_budget("", l->cfg->size_bytes, usual, &all, err);

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
  struct loaded *l = mem_aligned(1, sizeof(*l), CACHE_LINE);
  struct place_caches caches;
  int rc = 0;

  if (!l)
    return err_set(err, -ENOMEM, "cannot allocate the memory test");
  l->plan = plan;
  l->cfg = cfg;
  l->streams = l->cfg->isa == ISA_BASELINE ? streams_baseline()
                                           : streams_best();
  place_find_cpus(&l->cpus);
  place_find_caches("", l->cpus.of[0], &caches);
  l->line_bytes = caches.line_bytes;
  l->counts = mem_aligned(plan->threads, sizeof(*l->counts), CACHE_LINE);
  if (!l->counts)
    rc = err_set(err, -ENOMEM, "cannot allocate the memory test");
  else if (l->cpus.n < 2)
    rc = err_set(err, -EINVAL,
                 "--memory-test=loaded needs two processors, and this process "
                 "may run on one only");
  else
    rc = choose_sizes(l, err);
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
          "  latency: %s, on processor %d\n"
          "  load: %u thread%s that copies %s\n"
          "  instructions: %s\n\n",
          fmt_size(chase, l->chase_bytes), l->cpus.of[0], l->plan->threads - 1,
          l->plan->threads == 2 ? "" : "s, each of them",
          fmt_size(load, l->load_bytes), l->streams->name);
}

static void loaded_setup(void *run, struct report_setup *setup)
{
  setup->of_test = run;
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
  if (w->tid > 0) /* only worker 0 has its own processor */
    cpu = 1 + (w->tid - 1) % (l->cpus.n - 1);
  rc = place_pin(l->cpus.of[cpu], err);
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

static uint64_t bytes_so_far(const struct loaded *l)
{
  uint64_t sum = 0;

  for (unsigned i = 1; i < l->plan->threads; i++)
    sum += atomic_load_explicit(&l->counts[i].bytes, memory_order_relaxed);
  return sum;
}

static void set_step(struct loaded *l, uint32_t step)
{
  atomic_store(&l->step, step);
  wait_wake_all(&l->step);
}

/* Measures a slice of a point: both sides at the same time. */
static bool measure_slice(struct loaded *l, struct chase *c, struct worker *w,
                          double *bytes_per_s, struct latency_point *ret)
{
  const uint64_t begin_ns = clock_now_ns(), before = bytes_so_far(l);

  if (!latency_measure(c, w, SLICE_NS, ret))
    return false;
  *bytes_per_s = (double)(bytes_so_far(l) - before) * (double)NS_PER_S /
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
  summary_sort(rates, kept);
  summary_sort(ns, kept);
  ret->bytes_per_s = kept > 0 ? summary_quantile(rates, kept, 0.5) : NAN;
  ret->ns = kept > 0 ? summary_quantile(ns, kept, 0.5) : NAN;
}

/* Measures slices for a time. */
static bool measure_point(struct loaded *l, struct chase *c, struct worker *w,
                          uint64_t each_ns, struct loaded_point *ret)
{
  const uint64_t until_ns = clock_now_ns() + each_ns;
  const uint32_t step = atomic_load(&l->step);
  struct loaded_slice slice[LOADED_SLICES_MAX];
  size_t n = 0;

  *ret = (struct loaded_point){ 0 };
  (void)latency_warm(c, (uint64_t)((double)each_ns * SETTLE_SHARE));
  do {
    struct latency_point p = { 0 };

    if (!measure_slice(l, c, w, &slice[n].bytes_per_s, &p))
      return false;
    slice[n++].ns = p.ns;
    ret->kept += p.kept;
    ret->dropped += p.dropped;
  } while (n < LOADED_SLICES_MAX && clock_now_ns() < until_ns);
  loaded_summarize(slice, n, loaded_delays[step] != NO_LOAD, ret);
  return true;
}

static void measure_all(struct loaded_thread *t, struct worker *w)
{
  struct loaded *l = t->run;
  const uint64_t all_ns = l->plan->time_ns == PLAN_NO_LIMIT ? USUAL_NS
                                                            : l->plan->time_ns;
  uint64_t end_ns;

  if (!latency_await_measured(w))
    return;
  end_ns = clock_now_ns() + (uint64_t)((double)all_ns * SHARE);
  /* The cycle has just been made: parts of it are in the caches. */
  if (!latency_warm(&t->chase, (uint64_t)((double)all_ns * SHARE))) {
    set_step(l, LOADED_POINTS);
    return;
  }
  for (uint32_t i = 0; i < LOADED_POINTS; i++) {
    const uint64_t now_ns = clock_now_ns();
    /* Points that took longer than planned leave less for the others. */
    const uint64_t each_ns = now_ns < end_ns
                               ? (end_ns - now_ns) / (LOADED_POINTS - i)
                               : 0;

    set_step(l, i);
    if (!measure_point(l, &t->chase, w, each_ns, &l->point[i]))
      break;
    atomic_store_explicit(&l->n, i + 1, memory_order_release);
  }
  set_step(l, LOADED_POINTS);
}

/* ---- the other workers ---- */

static void delay(uint32_t turns)
{
  uint32_t x = turns;

  for (uint32_t i = 0; i < turns; i++)
    OPAQUE(x);
}

/* Executes an event of load: until the point ends, but not for long. */
static void copy_pieces(const struct loaded_thread *t, size_t *at,
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
      delay(loaded_delays[step]);
    }
  } while (clock_now_ns() < until_ns);
}

static void load_memory(struct loaded_thread *t, struct worker *w)
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
    copy_pieces(t, &at, &l->counts[w->tid], step);
    worker_stop(w);
  }
}

static int loaded_loop(void *thr, struct worker *w, struct err *err)
{
  (void)err;
  if (w->tid == 0)
    measure_all(thr, w);
  else
    load_memory(thr, w);
  return 0;
}

const struct test_ops memory_loaded_ops = {
  .open = loaded_open,
  .setup = loaded_setup,
  .describe = loaded_describe,
  .close = loaded_close,
  .thread_open = loaded_thread_open,
  .thread_close = loaded_thread_close,
  .loop = loaded_loop,
  .details = loaded_report_details,
  .warnings = loaded_report_doubts,
};
