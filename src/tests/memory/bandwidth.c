/*
 * bandwidth.c - bytes per second of loops over memory: the rounds.
 */
#include "tests/memory/bandwidth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
#include "tests/memory/pages.h"

enum {
  CACHES_TIMES = 4,          /* memory by size of the last caches */
  UNKNOWN_CACHES = 32 << 20, /* size of the last caches if it is not known */
  VERIFY_BYTES = 4 << 20,    /* part of a block checked before the run */
};

#define ROUND_NS                                              \
  (4 * NS_PER_MS) /* a round takes about this long, or a pass \
                   */

struct bandwidth_thread {
  struct bandwidth *run;
  struct bandwidth_slot *slot;
  struct pages pages;
  struct stream_block block;
  struct stream_content content; /* current content of the block */
};

/* Does the user want this loop, and does the machine have it? */
static bool is_wanted(const struct bandwidth *b, enum stream s)
{
  const struct opt_list *list = &b->cfg->kernels;

  if (!b->streams->run[s])
    return false;
  for (size_t i = 0; i < list->n; i++) {
    if (strcmp(list->items[i], stream_words[s]) == 0)
      return true;
  }
  return list->n == 0;
}

static int choose_loops(struct bandwidth *b, struct err *err)
{
  b->streams = b->cfg->isa == ISA_BASELINE ? streams_baseline()
                                           : streams_best();
  for (int s = 0; s < STREAMS; s++) {
    if (is_wanted(b, s))
      b->kernel[b->n_kernels++] = (enum stream)s;
  }
  if (b->n_kernels > 0)
    return 0;
  return err_set(err, -ENOTSUP,
                 "this machine has no stores past the caches that bench knows: "
                 "leave the -nt loops out of --memory-kernel");
}

static int choose_size(struct bandwidth *b, struct err *err)
{
  const uint64_t caches = place_last_caches("", &b->cpus);
  const uint64_t usual = (caches > 0 ? caches : UNKNOWN_CACHES) * CACHES_TIMES;
  char size[FMT_SIZE_SIZE];
  uint64_t all;
  int rc;

  rc = pages_budget("", b->cfg->size_bytes, usual, &all, err);
  if (rc < 0)
    return rc;
  b->words = stream_words_in(all / b->plan->threads);
  if (b->words > 0)
    return 0;
  return err_set(err, -EINVAL,
                 "Invalid value for --memory-size: %s for %u thread%s (each "
                 "needs at least 3 KiB)",
                 fmt_size(size, all), b->plan->threads,
                 b->plan->threads == 1 ? "" : "s");
}

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
    rc = choose_loops(b, err);
  if (rc == 0)
    rc = choose_size(b, err);
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
          fmt_size(size, b->words * sizeof(double) * b->plan->threads),
          b->plan->threads, b->plan->threads == 1 ? "" : "s", b->streams->name);
}

static void bandwidth_setup(void *run, struct report_setup *setup)
{
  setup->of_test = run;
}

/* Runs each loop once on a part of the block, and checks it word by word. */
static int verify_loops(const struct bandwidth_thread *t, struct err *err)
{
  const struct bandwidth *b = t->run;
  struct stream_block part = t->block;

  part.n = stream_words_in(min_u64(VERIFY_BYTES, b->words * sizeof(double)));
  part.value = 17;
  for (unsigned i = 0; i < b->n_kernels; i++) {
    if (!stream_verify(b->streams, b->kernel[i], &part))
      return err_set(err, -EIO, "the loop %s (%s) has computed a wrong value",
                     stream_words[b->kernel[i]], b->streams->name);
  }
  return 0;
}

static void bandwidth_thread_close(void *thr)
{
  struct bandwidth_thread *t = thr;

  pages_unmap(&t->pages);
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
    rc = pages_map(&t->pages, b->words * sizeof(double),
                   b->cfg->pages != PAGES_SMALL, -1, err);
  if (rc < 0) {
    free(t);
    return rc;
  }
  t->run = b;
  t->slot = &b->slots[w->tid];
  pages_touch(&t->pages); /* the thread's first access decides on the node */
  (void)atomic_fetch_add(&b->huge_bytes, t->pages.in_huge);
  if (t->pages.look_failed)
    atomic_store(&b->look_failed, 1);
  t->block = (struct stream_block){ .words = (double *)(void *)t->pages.at,
                                    .n = b->words,
                                    .value = 1 };
  rc = verify_loops(t, err);
  b->streams->run[STREAM_WRITE](&t->block);
  t->content = (struct stream_content){ 1, 1 };
  if (rc < 0)
    bandwidth_thread_close(t);
  else
    *ret_thr = t;
  return rc;
}

static enum stream kernel_of(const struct bandwidth *b, uint64_t round)
{
  return b->kernel[(round - 1) % b->n_kernels];
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
    (double)stream_counted_bytes(s, b->words) * b->passes[s] *
    b->plan->threads * (double)NS_PER_S / span_ns;
  atomic_store_explicit(&b->of[s].n, n + 1, memory_order_release);
}

/* Returns false if a sum was wrong. */
static bool run_round(struct bandwidth_thread *t, enum stream s)
{
  const struct bandwidth *b = t->run;
  const unsigned passes = b->passes[s] > 0 ? b->passes[s] : 1;
  uint64_t sum = 0;

  t->block.value = (double)(b->round % 1000 + 1);
  t->slot->begin_ns = clock_now_ns();
  for (unsigned i = 0; i < passes; i++)
    sum += b->streams->run[s](&t->block);
  t->slot->end_ns = clock_now_ns();
  t->content = stream_content_after(t->content, s, t->block.value);
  return s != STREAM_READ ||
         sum == stream_content_sum(t->content, t->block.n) * passes;
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
  if (!right || !stream_content_is(t->content, &t->block))
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
};
