/*
 * memory.c - the memory test: one event goes over a block of memory once.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parse.h"
#include "rand/stream.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "tests/memory/buffer.h"
#include "tests/memory/form.h"
#include "tests/memory/kernels.h"
#include "tests/tests.h"

enum memory_scope {
  SCOPE_GLOBAL, /* one block for all threads */
  SCOPE_LOCAL,  /* a block for each */
};

struct memory_cfg {
  uint64_t block_bytes;
  uint64_t total_bytes; /* 0: no limit */
  int scope;            /* enum memory_scope */
  bool huge;
  int oper; /* enum memory_oper */
  int mode; /* enum memory_mode */
};

static bool is_power_of_two(const char *text);

static const char default_total[] = "100G";
static const char *const scope_words[] = { "global", "local", NULL };
static const char *const oper_words[] = { "read", "write", "none", NULL };
static const char *const mode_words[] = { "seq", "rnd", NULL };

static const struct opt memory_opts[] = {
  {
    OPT_SIZE(struct memory_cfg, block_bytes),
    .name = "memory-block-size",
    .def = "1K",
    .min = 8,
    .max = INT64_C(1) << 62,
    .check = is_power_of_two,
    .expected = "a power of two from 8 to 4611686018427387904, such as 1K or "
                "2M",
    .help = "size of the memory block accessed by an event",
    .man = "Every event reads or writes each 8-byte word of the block. Small "
           "blocks measure the caches of the processor.",
  },
  {
    OPT_SIZE(struct memory_cfg, total_bytes),
    .name = "memory-total-size",
    .def = default_total,
    .min = 0,
    .max = INT64_MAX,
    .help = "total size of data to transfer, 0 for no limit",
    .man = "The test ends when all threads together have gone over so many "
           "bytes after the warm-up, or at the time limit.",
  },
  {
    OPT_WORD(struct memory_cfg, scope),
    .name = "memory-scope",
    .def = "global",
    .words = scope_words,
    .help = "memory access scope {global,local}",
    .man = "One block that all threads access (global), or one for each "
           "thread (local).",
  },
  {
    OPT_BOOL(struct memory_cfg, huge),
    .name = "memory-hugetlb",
    .def = "off",
    .help = "allocate memory from the pool of huge pages",
    .man = "The pool must be large enough, see vm.nr_hugepages.",
  },
  {
    OPT_WORD(struct memory_cfg, oper),
    .name = "memory-oper",
    .def = "write",
    .words = oper_words,
    .help = "type of memory operations {read, write, none}",
    .man = "With none, the block is not accessed: what is left is the cost of "
           "the loop.",
  },
  {
    OPT_WORD(struct memory_cfg, mode),
    .name = "memory-access-mode",
    .def = "seq",
    .words = mode_words,
    .help = "memory access mode {seq,rnd}",
    .man = "Words in ascending order (seq), or as many words at random "
           "places (rnd).",
  },
  OPT_END,
};

struct memory_run {
  const struct plan *plan;
  const struct memory_cfg *cfg;
  struct memory_buffer global; /* SCOPE_GLOBAL */
  struct memory_moved moved;   /* for reports */
};

struct memory_thread {
  struct memory_block block;
  memory_kernel *kernel;
  uint64_t left; /* events of this thread's share; UINT64_MAX: no limit */
  struct memory_buffer local;
} CACHE_ALIGNED;

/* The text is a size already. */
static bool is_power_of_two(const char *text)
{
  uint64_t bytes;

  return parse_size(text, &bytes) == 0 && bytes >= 8 &&
         bytes <= UINT64_C(1) << 62 && (bytes & (bytes - 1)) == 0;
}

/* Less than one block for each thread.  Where the total is the default one, a
 * user has given none, but a large block. */
static int refuse_total(const struct plan *plan, const struct memory_cfg *cfg,
                        uint64_t min, struct err *err)
{
  uint64_t usual;

  if (parse_size(default_total, &usual) == 0 && cfg->total_bytes == usual)
    return err_set(err, -EINVAL,
                   "Invalid value for --memory-block-size: '%llu' (with "
                   "--threads=%u more than --memory-total-size, %s by default: "
                   "raise that, or 0 for no limit)",
                   (unsigned long long)cfg->block_bytes, plan->threads,
                   default_total);
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

  /* Each thread must have something to do. */
  if (__builtin_mul_overflow(cfg->block_bytes, plan->threads, &min))
    min = UINT64_MAX;
  if (cfg->total_bytes > 0 && cfg->total_bytes < min)
    return refuse_total(plan, cfg, min, err);

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
          oper_words[cfg->oper], scope_words[cfg->scope]);
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

/* The whole number of operations, spread evenly over all workers. */
static uint64_t share(const struct memory_run *run, unsigned tid)
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
  t->left = share(run, w->tid);
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

/*
 * In the warm-up nothing is taken from the share: a loop of its own, so that
 * the other one has no more to look at.  After the last event of the share
 * there is no step: with --rate it would wait for another arrival first.
 */
static int memory_loop(void *thr, struct worker *w, struct err *err)
{
  struct memory_thread *t = thr;
  bool more;

  (void)err;
  if (t->left == 0) /* one of more threads than there are operations */
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

static const struct test_ops memory_ops = {
  .open = memory_open,
  .setup = memory_setup,
  .describe = memory_describe,
  .begin = memory_begin,
  .close = memory_close,
  .thread_open = memory_thread_open,
  .thread_close = memory_thread_close,
  .loop = memory_loop,
};

const struct test test_memory = {
  .name = "memory",
  .summary = "Memory functions speed test",
  .opts = memory_opts,
  .cfg_size = sizeof(struct memory_cfg),
  .ops = &memory_ops,
  .form = &memory_form,
  .loads_cpu = true,
  .own_limit = true,
};
