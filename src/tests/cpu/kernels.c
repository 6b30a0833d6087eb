/*
 * kernels.c - the cpu test with --cpu-kernel: an event is a round of one of the
 * kernels, and its result is checked.
 *
 * A thread stays with a kernel for a while, so that the memory of the kernel is
 * in the caches for most of it.  It begins with one round of each kernel, so
 * that short runs contain all of them.
 */
#include "tests/cpu/kernels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "report/life.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/class_stats.h"
#include "tests/cpu/kernels_form.h"
#include "tests/cpu/options.h"

/* Time with a kernel before it is the next one's turn. */
#define STAY_NS (5 * NS_PER_MS)

struct kernels_run {
  struct kernels_chosen chosen;
};

struct kernels_thread {
  const struct kernels_chosen *chosen;
  unsigned at;       /* the kernel of the current event */
  bool again;        /* a round of each has been done */
  uint64_t since_ns; /* start of the time with this kernel */
  void *mem[CPU_KERNELS];
  unsigned class_id[CPU_KERNELS];
  bool has_classes;
} CACHE_ALIGNED;

void kernels_choose(struct kernels_chosen *ret, const struct cpu_cfg *cfg)
{
  for (size_t i = 0; i < CPU_KERNELS; i++) {
    bool wanted = false;

    for (size_t j = 0; j < cfg->kernels.n; j++) {
      const char *word = cfg->kernels.items[j];

      wanted |= strcmp(word, "all") == 0 ||
                strcmp(word, cpu_kernels[i]->name) == 0;
    }
    if (!wanted)
      continue;
    (void)snprintf(ret->column[ret->n], sizeof(ret->column[0]),
                   "%s_operations_per_s", cpu_kernels[i]->name);
    ret->kernel[ret->n] = cpu_kernels[i];
    ret->path[ret->n++] = cpu_kernel_path(cpu_kernels[i],
                                          cfg->isa == CPU_ISA_BASELINE);
  }
}

static int kernels_open(const struct plan *plan, const void *arg,
                        void **ret_run, struct err *err)
{
  struct kernels_run *run = calloc(1, sizeof(*run));

  (void)plan;
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the cpu test");
  kernels_choose(&run->chosen, arg);
  *ret_run = run;
  return 0;
}

static void kernels_setup(void *arg, struct report_setup *setup)
{
  setup->of_test = &((const struct kernels_run *)arg)->chosen;
}

static void kernels_describe(void *arg)
{
  const struct kernels_chosen *chosen =
    &((const struct kernels_run *)arg)->chosen;
  struct strbuf b = { 0 };

  for (unsigned i = 0; i < chosen->n; i++)
    strbuf_addf(&b, "%s%s", i > 0 ? ", " : "", chosen->kernel[i]->name);
  log_msg(LOG_INFO, "Doing CPU performance benchmark\n");
  log_msg(LOG_NOTICE, "Kernels: %s\n\n", strbuf_str(&b));
  strbuf_done(&b);
}

static void kernels_thread_close(void *thr)
{
  struct kernels_thread *t = thr;

  for (unsigned i = 0; i < t->chosen->n; i++) {
    if (t->mem[i] && t->chosen->kernel[i]->done)
      t->chosen->kernel[i]->done(t->mem[i]);
    free(t->mem[i]);
  }
  free(t);
}

static int prepare_kernel(struct kernels_thread *t, unsigned i, struct err *err)
{
  const struct cpu_kernel *k = t->chosen->kernel[i];

  t->mem[i] = mem_aligned(1, k->bytes, CACHE_LINE);
  if (!t->mem[i])
    return err_set(err, -ENOMEM, "cannot allocate %zu bytes for the kernel %s",
                   k->bytes, k->name);
  return k->prepare(t->mem[i], err);
}

static int kernels_thread_open(void *arg, struct worker *w, void **ret_thr,
                               struct err *err)
{
  struct kernels_run *run = arg;
  struct kernels_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);
  int rc = 0;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->chosen = &run->chosen;
  t->at = t->chosen->n - 1; /* the first event moves on to 0 */
  t->has_classes = w->classes != NULL;
  for (unsigned i = 0; rc == 0 && i < t->chosen->n; i++) {
    const char *name = t->chosen->kernel[i]->name;

    rc = prepare_kernel(t, i, err);
    if (t->has_classes)
      t->class_id[i] = class_id(w->classes->set, name, strlen(name));
  }
  if (rc < 0) {
    kernels_thread_close(t);
    return rc;
  }
  *ret_thr = t;
  return 0;
}

static void next_kernel(struct kernels_thread *t, uint64_t now_ns)
{
  if (t->again && now_ns - t->since_ns < STAY_NS)
    return;
  t->again |= t->since_ns > 0 && t->at + 1 == t->chosen->n;
  t->at = (t->at + 1) % t->chosen->n;
  t->since_ns = now_ns;
}

static COLD int wrong(const struct kernels_thread *t, uint64_t got,
                      struct err *err)
{
  const struct cpu_kernel *k = t->chosen->kernel[t->at];

  return err_set(err, -EIO,
                 "the kernel %s (%s) computed 0x%llx instead of 0x%llx: the "
                 "processor, its memory or the compiler of this program is "
                 "faulty; compare with --isa=baseline",
                 k->name, t->chosen->path[t->at]->name, (unsigned long long)got,
                 (unsigned long long)k->result);
}

static int kernels_event(void *thr, struct worker *w, struct err *err)
{
  static const struct class_outcome fine = { 0 };
  struct kernels_thread *t = thr;
  uint64_t begin_ns = clock_now_ns(), end_ns, got;

  next_kernel(t, begin_ns);
  got = t->chosen->path[t->at]->run(t->mem[t->at]);
  end_ns = clock_now_ns();
  if (UNLIKELY(got != t->chosen->kernel[t->at]->result))
    return wrong(t, got, err);
  if (t->has_classes) {
    class_record(w->classes, t->class_id[t->at], end_ns - begin_ns, &fine);
    w->event_class = (uint16_t)t->class_id[t->at];
  }
  return 0;
}

/* Reports which code was used. */
static void kernels_details(void *arg, struct test_details *ret)
{
  const struct kernels_chosen *chosen =
    &((const struct kernels_run *)arg)->chosen;
  struct strbuf key = { 0 };

  for (unsigned i = 0; i < chosen->n; i++) {
    strbuf_clear(&key);
    strbuf_addf(&key, "code.%s", chosen->kernel[i]->name);
    facts_text(&ret->test, strbuf_str(&key), chosen->path[i]->name);
  }
  strbuf_done(&key);
}

static const struct test_ops kernels_ops = {
  .open = kernels_open,
  .setup = kernels_setup,
  .describe = kernels_describe,
  .close = free,
  .thread_open = kernels_thread_open,
  .thread_close = kernels_thread_close,
  .event = kernels_event,
  .details = kernels_details,
};

const struct test cpu_kernels_test = {
  .name = "cpu",
  .summary = "CPU performance test",
  .opts = cpu_opts,
  .cfg_size = sizeof(struct cpu_cfg),
  .ops = &kernels_ops,
  .form = &kernels_form,
  .has_classes = true,
  .loads_cpu = true,
};
