#include "tests/memory/classic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/machine/proc.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/text_num.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/rand/stream.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/memory/pages.h"

static uint64_t memory_free_huge_pages(void)
{
  char text[32];

  return proc_field("", "/proc/meminfo", "HugePages_Free", text, sizeof(text))
           ? strtoull(text, NULL, 10)
           : 0;
}

static int memory_tell_no_huge(uint64_t bytes, int number, struct err *err)
{
  const uint64_t pages = memory_free_huge_pages(); /* changes errno */

  errno = number;
  return err_sys(
    err, "cannot allocate %llu bytes of huge pages (%llu free page%s),",
    (unsigned long long)bytes, (unsigned long long)pages, fmt_plural(pages));
}

int memory_buffer_map(struct memory_buffer *b, uint64_t bytes, bool huge,
                      struct err *err)
{
  const uint64_t page = huge ? pages_pool_page("")
                             : (uint64_t)sysconf(_SC_PAGESIZE);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  uint64_t rounded;
  void *p;

#ifdef MAP_HUGETLB
  if (huge)
    flags |= MAP_HUGETLB;
#else
  if (huge)
    return err_set(err, -ENOTSUP, "this system has no huge pages");
#endif
  if (__builtin_add_overflow(bytes, page - 1, &rounded))
    return err_set(err, -ENOMEM, "cannot allocate %llu bytes of memory",
                   (unsigned long long)bytes);
  rounded -= rounded % page;
  p = mmap(NULL, rounded, PROT_READ | PROT_WRITE, flags, -1, 0);
  /* cppcheck-suppress identicalConditionAfterEarlyExit ; it takes both #if */
  if (p == MAP_FAILED && huge)
    return memory_tell_no_huge(rounded, errno, err);
  if (p == MAP_FAILED)
    return err_sys(err, "cannot allocate %llu bytes of memory,",
                   (unsigned long long)rounded);
  memset(p, 0, rounded);
  b->words = p;
  b->mapped = rounded;
  return 0;
}

void memory_buffer_unmap(struct memory_buffer *b)
{
  if (b->words)
    (void)munmap(b->words, b->mapped);
  b->words = NULL;
}

/* ---- loops ---- */

/*
 * The sequential loops are unrolled by hand: with one access per turn, a loop
 * would measure itself in the caches (QUIRKS.md). With the global scope, all
 * threads write to one block at once: that is the test.
 */

RACES_ON_PURPOSE static void classic_write_seq(const struct memory_block *b)
{
  volatile uint64_t *p = b->words;
  volatile uint64_t *const end = p + b->n;
  const uint64_t value = b->value;

  for (; end - p >= 8; p += 8) {
    p[0] = value;
    p[1] = value;
    p[2] = value;
    p[3] = value;
    p[4] = value;
    p[5] = value;
    p[6] = value;
    p[7] = value;
  }
  for (; p < end; p++)
    *p = value;
}

RACES_ON_PURPOSE static void classic_read_seq(const struct memory_block *b)
{
  volatile uint64_t *p = b->words;
  volatile uint64_t *const end = p + b->n;

  for (; end - p >= 8; p += 8) {
    (void)p[0];
    (void)p[1];
    (void)p[2];
    (void)p[3];
    (void)p[4];
    (void)p[5];
    (void)p[6];
    (void)p[7];
  }
  for (; p < end; p++)
    (void)*p;
}

static void memory_none_seq(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++)
    __asm__ volatile(""); /* or the loop is removed */
}

static uint64_t memory_random_index(const struct memory_block *b)
{
  const int64_t last = (int64_t)b->n - 1;

  if (b->distributed)
    return (uint64_t)rand_draw(b->rand, 0, last);
  return rng_next(&b->rand->rng) & (uint64_t)last; /* n is a power of two */
}

RACES_ON_PURPOSE static void classic_write_rnd(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++)
    b->words[memory_random_index(b)] = b->value;
}

RACES_ON_PURPOSE static void classic_read_rnd(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++)
    (void)b->words[memory_random_index(b)];
}

static void memory_none_rnd(const struct memory_block *b)
{
  for (uint64_t i = 0; i < b->n; i++) {
    uint64_t index = memory_random_index(b);

    __asm__ volatile("" : : "r"(index)); /* or nothing is drawn */
  }
}

memory_kernel *const memory_kernels[MEMORY_OPERS][MEMORY_MODES] = {
  [MEMORY_READ] = { classic_read_seq, classic_read_rnd },
  [MEMORY_WRITE] = { classic_write_seq, classic_write_rnd },
  [MEMORY_NONE] = { memory_none_seq, memory_none_rnd },
};

/* ---- reports: bytes per second ---- */

static double memory_mib(const struct report_setup *setup,
                         const struct report *r)
{
  const struct memory_moved *m = setup->of_test;

  return (double)r->events * (double)m->block_bytes / TEXT_MIB;
}

static void memory_add_interval(struct strbuf *b,
                                const struct report_setup *setup,
                                const struct report *r, const char *percentile)
{
  (void)percentile;
  strbuf_addf(b, "%4.2f MiB/sec\n", text_per_s(r, memory_mib(setup, r)));
}

static void memory_add_results(struct strbuf *b,
                               const struct report_setup *setup,
                               const struct report *r)
{
  const struct memory_moved *m = setup->of_test;
  const double moved = memory_mib(setup, r);

  strbuf_addf(b, "Total operations: %" PRIu64 " (%8.2f per second)\n\n",
              r->events, report_rate(r, r->events));
  if (m->moves)
    strbuf_addf(b, "%4.2f MiB transferred (%4.2f MiB/sec)\n\n", moved,
                text_per_s(r, moved));
}

static void memory_add_figures(const struct figures *to,
                               const struct report_setup *setup,
                               const struct report *r)
{
  const struct memory_moved *m = setup->of_test;
  const uint64_t bytes = m->moves ? r->events * m->block_bytes : 0;

  to->begin(to->ctx, "memory");
  to->count(to->ctx, "bytes", bytes);
  to->real(to->ctx, "bytes_per_s", report_rate(r, bytes));
  to->end(to->ctx);
}

const struct report_form memory_form = {
  .interval = memory_add_interval,
  .results = memory_add_results,
  .figures = memory_add_figures,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the bandwidth is",
};

/* ---- the run ---- */

struct memory_run {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct memory_buffer global;
  struct memory_moved moved;
};

struct memory_thread {
  struct memory_block block;
  memory_kernel *kernel;
  uint64_t left; /* events of this thread; UINT64_MAX: no limit */
  struct memory_buffer local;
} CACHE_ALIGNED;

/* The total is less than one block per thread. With the default total, the user
 * has set a large block. */
static int memory_refuse_total(const struct plan *plan,
                               const struct memory_cfg *cfg, uint64_t min,
                               struct err *err)
{
  uint64_t usual;

  if (parse_size(memory_default_total, &usual) == 0 &&
      cfg->total_bytes == usual)
    return err_set(err, -EINVAL,
                   "Invalid value for --memory-block-size: '%llu' (with "
                   "--threads=%u more than --memory-total-size, %s by default: "
                   "raise that, or 0 for no limit)",
                   (unsigned long long)cfg->block_bytes, plan->threads,
                   memory_default_total);
  return err_set(err, -EINVAL,
                 "Invalid value for --memory-total-size: '%llu' (expected 0 "
                 "or a size from %llu to %llu, such as 64K, 2M or 1G)",
                 (unsigned long long)cfg->total_bytes, (unsigned long long)min,
                 (unsigned long long)INT64_MAX);
}

static int memory_open(const struct plan *plan, const void *arg, void **ret_run,
                       struct err *err)
{
  const struct memory_cfg *cfg = arg;
  struct memory_run *run;
  uint64_t min;

  if (__builtin_mul_overflow(cfg->block_bytes, plan->threads, &min))
    min = UINT64_MAX;
  if (cfg->total_bytes > 0 && cfg->total_bytes < min)
    return memory_refuse_total(plan, cfg, min, err);

  run = calloc(1, sizeof(*run));
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the memory test");
  run->plan = plan;
  run->cfg = cfg;
  run->moved = (struct memory_moved){
    .block_bytes = cfg->block_bytes,
    .moves = cfg->oper != MEMORY_NONE,
  };
  *ret_run = run;
  return 0;
}

static void memory_setup(void *arg, struct report_setup *setup)
{
  const struct memory_run *run = arg;

  setup->of_test = &run->moved;
}

static void memory_describe(void *arg)
{
  const struct memory_cfg *cfg = ((const struct memory_run *)arg)->cfg;

  log_msg(LOG_NOTICE,
          "Running memory speed test with the following options:\n"
          "  block size: %lluKiB\n"
          "  total size: %lluMiB\n"
          "  operation: %s\n"
          "  scope: %s\n\n",
          (unsigned long long)(cfg->block_bytes / 1024),
          (unsigned long long)(cfg->total_bytes / 1048576),
          memory_oper_words[cfg->oper], memory_scope_words[cfg->scope]);
}

static int memory_begin(void *arg, struct err *err)
{
  struct memory_run *run = arg;

  if (run->cfg->scope == SCOPE_LOCAL)
    return 0;
  return memory_buffer_map(&run->global, run->cfg->block_bytes, run->cfg->huge,
                           err);
}

static void memory_close(void *arg)
{
  struct memory_run *run = arg;

  memory_buffer_unmap(&run->global);
  free(run);
}

static uint64_t memory_share(const struct memory_run *run, unsigned tid)
{
  const uint64_t n = run->cfg->total_bytes / run->cfg->block_bytes;
  const unsigned threads = run->plan->all_threads;
  const unsigned number = run->plan->first_thread + tid;

  if (run->cfg->total_bytes == 0)
    return UINT64_MAX;
  return n / threads + (number < n % threads);
}

static int memory_thread_open(void *arg, struct worker *w, void **ret_thr,
                              struct err *err)
{
  struct memory_run *run = arg;
  const struct memory_cfg *cfg = run->cfg;
  struct memory_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);
  int rc = 0;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  if (cfg->scope == SCOPE_LOCAL)
    rc = memory_buffer_map(&t->local, cfg->block_bytes, cfg->huge, err);
  if (rc < 0) {
    free(t);
    return rc;
  }
  t->left = memory_share(run, w->tid);
  t->kernel = memory_kernels[cfg->oper][cfg->mode];
  t->block = (struct memory_block){
    .words = t->local.words ? t->local.words : run->global.words,
    .n = cfg->block_bytes / sizeof(uint64_t),
    .value = w->tid,
    .rand = w->rand,
    .distributed = run->plan->rand_type_given,
  };
  *ret_thr = t;
  return 0;
}

static void memory_thread_close(void *thr)
{
  struct memory_thread *t = thr;

  memory_buffer_unmap(&t->local);
  free(t);
}

/* Operations of the warm-up do not count. No step follows the last operation:
 * with --rate, that would wait for another arrival. */
static int memory_loop(void *thr, struct worker *w, struct err *err)
{
  struct memory_thread *t = thr;
  bool more;

  (void)err;
  if (t->left == 0) /* more threads than operations */
    return 0;
  while ((more = worker_step(w)) && !w->counted)
    t->kernel(&t->block);
  for (; more; more = worker_step(w)) {
    t->left -= t->left != UINT64_MAX;
    t->kernel(&t->block);
    if (t->left == 0)
      break;
  }
  worker_stop(w);
  return 0;
}

const struct test_ops memory_classic_ops = {
  .open = memory_open,
  .setup = memory_setup,
  .describe = memory_describe,
  .begin = memory_begin,
  .close = memory_close,
  .thread_open = memory_thread_open,
  .thread_close = memory_thread_close,
  .loop = memory_loop,
};
