/*
 * bandwidth.c - bytes per second of loops over memory: the rounds.
 */
#include "tests/memory/bandwidth.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/memory/bandwidth_report.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"

/* A round takes about this long, or a pass. */
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
  struct bandwidth *b = mem_aligned(1, sizeof(*b), CACHE_LINE);
  int rc;

  if (!b)
    return err_set(err, -ENOMEM, "cannot allocate the memory test");
  b->plan = plan;
  b->cfg = cfg;
  b->slots = mem_aligned(plan->threads, sizeof(*b->slots), CACHE_LINE);
  meet_init(&b->meet, plan->threads);
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

static void bandwidth_setup(void *run, struct report_setup *setup)
{
  setup->of_test = run;
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
  rc = place_pin(b->cpus.of[w->tid % b->cpus.n], err);
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

static enum stream kernel_of(const struct bandwidth *b, uint64_t round)
{
  return b->loops.of[(round - 1) % b->loops.n];
}

/*
 * All workers have ended the round: computes its figures, and chooses the next
 * loop.
 */
static void conclude_round(void *arg)
{
  struct bandwidth *b = arg;
  uint64_t begin_ns = UINT64_MAX, end_ns = 0, n;
  bool counted = true;
  enum stream s;
  double span_ns;

  if (b->round++ == 0)
    return;
  s = kernel_of(b, b->round - 1);
  for (unsigned i = 0; i < b->plan->threads; i++) {
    begin_ns = min_u64(begin_ns, b->slots[i].begin_ns);
    end_ns = end_ns > b->slots[i].end_ns ? end_ns : b->slots[i].end_ns;
    counted = counted && b->slots[i].counted;
  }
  span_ns = end_ns > begin_ns ? (double)(end_ns - begin_ns) : 1;
  if (b->passes[s] == 0) {
    /* The first round of a loop only measures how long a pass takes. */
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

/* Returns false if a sum was wrong. */
static bool run_round(struct bandwidth_thread *t, enum stream s)
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

  while (right && meet_others(&b->meet, w, conclude_round, b) &&
         worker_more(w)) {
    worker_start(w);
    right = run_round(t, kernel_of(b, b->round));
    t->slot->counted = w->counted;
    worker_stop(w);
  }
  (void)worker_more(w); /* it notes why the run ends */
  if (!right || !loops_block_is_right(&t->block))
    return err_set(err, -EIO,
                   "the memory does not hold what was written to it: a sum of "
                   "thread %u is wrong",
                   w->tid);
  return 0;
}

const struct test_ops memory_bandwidth_ops = {
  .open = bandwidth_open,
  .setup = bandwidth_setup,
  .describe = bandwidth_describe,
  .close = bandwidth_close,
  .thread_open = bandwidth_thread_open,
  .thread_close = bandwidth_thread_close,
  .loop = bandwidth_loop,
  .details = bandwidth_report_details,
  .warnings = bandwidth_report_doubts,
};
