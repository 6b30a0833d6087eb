#include "tests/cpu/cpu.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/class_stats.h"
#include "stats/report.h"
#include "tests/scaling.h"
#include "tests/tests.h"

/*
 * Primes from 3 up to, but not including, `limit`. Trial division up to a
 * square root in floating point, slow on purpose: other arithmetic would make
 * results incomparable with published ones.
 */
static inline uint64_t cpu_primes_count(uint64_t limit)
{
  uint64_t found = 0;

  for (uint64_t n = 3; n < limit; n++) {
    const double root = sqrt((double)n);
    uint64_t d = 2;

    while ((double)d <= root && n % d != 0)
      d++;
    found += (double)d > root;
  }
  return found;
}

/* In the order of kernel_list.c, and a word for all. */
static const char *const kernel_words[] = {
  "int", "ilp",  "branch", "div",    "fp",  "lookup", "btree", "sort",
  "lz",  "json", "crc32c", "sha256", "aes", "lua",    "all",   NULL,
};

static const char *const isa_words[] = { "auto", "baseline", NULL };

const struct opt cpu_opts[] = {
  {
    OPT_INT(struct cpu_cfg, max_prime),
    .name = "cpu-max-prime",
    .def = "10000",
    .min = 1,
    .max = INT64_MAX,
    .help = "upper bound (exclusive) of the numbers tested for being prime",
    .man = "Every event tests each number from 3 up to, but not including, "
           "this limit. Doubling the limit makes an event almost three times "
           "as long.",
  },
  {
    OPT_LIST(struct cpu_cfg, kernels),
    .name = "cpu-kernel",
    .flags = OPT_OWN | OPT_NO_GAPS | OPT_NOT_EMPTY,
    .words = kernel_words,
    .show_as = "=LIST",
    .help = "measure kernels, all or some, instead of prime numbers",
    .man = "The kernels are int, ilp, branch, div, fp, lookup, btree, sort, "
           "lz, json, crc32c, sha256, aes and lua; all stands for all of them. "
           "A kernel is a small piece of work of one kind. Each event is a "
           "round of one kernel, whose result is compared with the right one. "
           "Threads go from kernel to kernel every few milliseconds. The "
           "report has operations per second and nanoseconds per operation of "
           "each kernel, and no score of all of them. "
           "--sweep=cpu-kernel:int,ilp measures each in a run of its own. "
           "--cpu-max-prime is not allowed then.",
  },
  {
    OPT_WORD(struct cpu_cfg, isa),
    .name = "isa",
    .flags = OPT_OWN | OPT_EXPERT,
    .words = isa_words,
    .help = "instructions that kernels use {auto,baseline}",
    .man = "With auto, which is the default, fp, crc32c, sha256 and aes use "
           "the instructions for them that the CPU has, and lua the "
           "compiler of LuaJIT. With baseline, they use portable code alone, "
           "so that CPUs can be compared without these. The report "
           "shows which code was used.",
  },
  {
    OPT_BOOL(struct cpu_cfg, scaling),
    .name = "cpu-scaling",
    .flags = OPT_OWN,
    .def = "off",
    .help = "compare one thread, one per core and one per hardware thread",
    .man = "The three take turns in samples of at most 100 ms, each thread on "
           "a CPU of its own. The work is that of --cpu-kernel, or prime "
           "numbers. The report has the operations per second of each, what "
           "all cores do as a multiple of one thread, and what second hardware "
           "threads add to that. Only CPUs on which the process may run "
           "count. It takes --threads=1, and starts the other threads itself.",
  },
  OPT_END,
};

/* ---- reports of kernels ---- */

/* The rounds of a kernel are a class of operations, whose time gives the
 * operations per second of all threads in the kernel. */

static const struct class_report *kernels_class_of(const struct report *r,
                                                   const char *name)
{
  for (unsigned i = 0; i < r->classes.n; i++) {
    if (strcmp(r->classes.of[i].name, name) == 0)
      return &r->classes.of[i];
  }
  return NULL;
}

struct speed {
  uint64_t operations;
  double ns;
  double per_s;
};

static bool kernels_speed_of(const struct report *r, const struct cpu_kernel *k,
                             struct speed *ret)
{
  const struct class_report *c = kernels_class_of(r, k->name);

  if (!c || c->count == 0 || c->sum_ns == 0)
    return false;
  ret->operations = c->count * k->operations;
  ret->ns = (double)c->sum_ns / (double)ret->operations;
  ret->per_s = (double)r->threads * (double)NS_PER_S / ret->ns;
  return true;
}

static void kernels_add_results(struct strbuf *b,
                                const struct report_setup *setup,
                                const struct report *r)
{
  const struct kernels_chosen *chosen = setup->of_test;
  struct speed s;

  if (r->classes.n == 0) /* a checkpoint */
    return;
  strbuf_addf(b, "CPU kernels:\n    %-8s %16s %14s  %-14s %s\n", "kernel",
              "operations/s", "ns/operation", "operation", "code");
  for (unsigned i = 0; i < chosen->n; i++) {
    const struct cpu_kernel *k = chosen->kernel[i];

    if (!kernels_speed_of(r, k, &s))
      strbuf_addf(b, "    %-8s %16s %14s  %-14s %s\n", k->name, "-", "-",
                  k->unit, chosen->path[i]->name);
    else
      strbuf_addf(b, "    %-8s %16.0f %14.3f  %-14s %s\n", k->name, s.per_s,
                  s.ns, k->unit, chosen->path[i]->name);
  }
}

static void kernels_add_figures(const struct figures *to,
                                const struct report_setup *setup,
                                const struct report *r)
{
  const struct kernels_chosen *chosen = setup->of_test;
  struct speed s;

  to->begin(to->ctx, "cpu_kernels");
  for (unsigned i = 0; i < chosen->n; i++) {
    if (!kernels_speed_of(r, chosen->kernel[i], &s))
      continue;
    to->begin(to->ctx, chosen->kernel[i]->name);
    to->count(to->ctx, "operations", s.operations);
    to->real(to->ctx, "operations_per_s", s.per_s);
    to->real(to->ctx, "ns_per_operation", s.ns);
    to->end(to->ctx);
  }
  to->end(to->ctx);
}

static const char *kernels_column(const struct report_setup *setup, unsigned i)
{
  const struct kernels_chosen *chosen = setup->of_test;

  return i < chosen->n ? chosen->column[i] : NULL;
}

static double kernels_value(const struct report_setup *setup,
                            const struct report *r, unsigned i)
{
  const struct kernels_chosen *chosen = setup->of_test;
  struct speed s;

  return kernels_speed_of(r, chosen->kernel[i], &s) ? s.per_s : NAN;
}

const struct report_form cpu_kernels_form = {
  .interval = form_interval_events,
  .results = kernels_add_results,
  .figures = kernels_add_figures,
  .column = kernels_column,
  .value = kernels_value,
  .queue_mark = "",
  .classes = "Rounds of kernels",
  .class = "kernel",
  .measures_itself = true,
  .outcome = "operations per second are",
};

/* ---- --cpu-kernel ---- */

/*
 * An event is a checked round of one kernel. A thread stays with a kernel for a
 * while, so that the memory is in the caches. The first rounds are one of each
 * kernel, so that short runs have all.
 */

#define STAY_NS (5 * NS_PER_MS)

struct kernels_thread {
  const struct kernels_chosen *chosen;
  unsigned at;
  bool again; /* each has had a round */
  uint64_t since_ns;
  void *mem[CPU_KERNELS];
  unsigned class_id[CPU_KERNELS];
  bool has_classes;
} CACHE_ALIGNED;

static void kernels_choose(struct kernels_chosen *ret,
                           const struct cpu_cfg *cfg)
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
  struct kernels_chosen *run = calloc(1, sizeof(*run));

  (void)plan;
  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the cpu test");
  kernels_choose(run, arg);
  *ret_run = run;
  return 0;
}

static void kernels_describe(void *arg)
{
  const struct kernels_chosen *chosen = arg;
  struct strbuf b = { 0 };

  for (unsigned i = 0; i < chosen->n; i++)
    strbuf_addf(&b, "%s%s", i > 0 ? ", " : "", chosen->kernel[i]->name);
  log_msg(LOG_INFO, "Doing CPU performance benchmark\n");
  log_msg(LOG_NOTICE, "Kernels: %s\n\n", strbuf_str(&b));
  strbuf_done(&b);
}

/* NULL: not prepared. */
static void kernels_free(const struct kernels_chosen *chosen, void **mem)
{
  for (unsigned i = 0; i < chosen->n; i++) {
    if (mem[i] && chosen->kernel[i]->done)
      chosen->kernel[i]->done(mem[i]);
    free(mem[i]);
  }
}

/* The caller always calls kernels_free(). */
static int kernels_prepare(const struct kernels_chosen *chosen, void **mem,
                           struct err *err)
{
  int rc = 0;

  for (unsigned i = 0; rc == 0 && i < chosen->n; i++) {
    const struct cpu_kernel *k = chosen->kernel[i];

    mem[i] = mem_aligned(1, k->bytes, CACHE_LINE);
    rc = mem[i] ? k->prepare(mem[i], err)
                : err_set(err, -ENOMEM,
                          "cannot allocate %zu bytes for the kernel %s",
                          k->bytes, k->name);
  }
  return rc;
}

static void kernels_thread_close(void *thr)
{
  struct kernels_thread *t = thr;

  kernels_free(t->chosen, t->mem);
  free(t);
}

static int kernels_thread_open(void *arg, struct worker *w, void **ret_thr,
                               struct err *err)
{
  struct kernels_thread *t = mem_aligned(1, sizeof(*t), CACHE_LINE);
  int rc;

  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->chosen = arg;
  t->at = t->chosen->n - 1; /* the first event moves on to 0 */
  rc = kernels_prepare(t->chosen, t->mem, err);
  if (rc < 0) {
    kernels_thread_close(t);
    return rc;
  }
  t->has_classes = w->classes != NULL;
  for (unsigned i = 0; t->has_classes && i < t->chosen->n; i++) {
    const char *name = t->chosen->kernel[i]->name;

    t->class_id[i] = class_id(w->classes->set, name, strlen(name));
  }
  *ret_thr = t;
  return 0;
}

static void kernels_next(struct kernels_thread *t, uint64_t now_ns)
{
  if (t->again && now_ns - t->since_ns < STAY_NS)
    return;
  t->again |= t->since_ns > 0 && t->at + 1 == t->chosen->n;
  t->at = (t->at + 1) % t->chosen->n;
  t->since_ns = now_ns;
}

static COLD int kernels_wrong(const struct kernels_thread *t, uint64_t got,
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

  kernels_next(t, begin_ns);
  got = t->chosen->path[t->at]->run(t->mem[t->at]);
  end_ns = clock_now_ns();
  if (UNLIKELY(got != t->chosen->kernel[t->at]->result))
    return kernels_wrong(t, got, err);
  if (t->has_classes) {
    class_record(w->classes, t->class_id[t->at], end_ns - begin_ns, &fine);
    w->event_class = (uint16_t)t->class_id[t->at];
  }
  return 0;
}

static void kernels_details(void *arg, struct test_details *ret)
{
  const struct kernels_chosen *chosen = arg;
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
  .setup = test_setup_run,
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
  .form = &cpu_kernels_form,
  .has_classes = true,
  .loads_cpu = true,
};

/* ---- --cpu-scaling: of kernels, or of prime numbers ---- */

struct cpu_scaling {
  struct scaling base; /* first: the run of scaling.h */
  uint64_t max_prime;
  struct kernels_chosen chosen; /* none: prime numbers */
};

struct cpu_hand {
  void *mem[CPU_KERNELS];
  bool counted;
  uint64_t primes;
};

_Static_assert((int)CPU_KERNELS <= (int)SCALING_WORKS_MAX,
               "all kernels can be measured at once");

static bool cpu_scaling_hand_close(const struct scaling *s, void *arg)
{
  const struct cpu_scaling *run = s->arg;
  struct cpu_hand *h = arg;

  kernels_free(&run->chosen, h->mem);
  free(h);
  return true;
}

static int cpu_scaling_hand_open(const struct scaling *s, void **ret_mem,
                                 struct err *err)
{
  const struct cpu_scaling *run = s->arg;
  struct cpu_hand *h = calloc(1, sizeof(*h));
  int rc;

  if (!h)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  rc = kernels_prepare(&run->chosen, h->mem, err);
  if (rc < 0)
    (void)cpu_scaling_hand_close(s, h);
  else
    *ret_mem = h;
  return rc;
}

static bool cpu_scaling_primes_round(struct cpu_hand *h, uint64_t limit)
{
  uint64_t found;

  OPAQUE(limit);
  found = cpu_primes_count(limit);
  OPAQUE(found);
  if (!h->counted) {
    h->counted = true;
    h->primes = found;
  }
  return found == h->primes;
}

static bool cpu_scaling_hand_round(const struct scaling *s, unsigned work,
                                   void *mem)
{
  const struct cpu_scaling *run = s->arg;
  struct cpu_hand *h = mem;

  if (run->chosen.n == 0)
    return cpu_scaling_primes_round(h, run->max_prime);
  return run->chosen.path[work]->run(h->mem[work]) ==
         run->chosen.kernel[work]->result;
}

/* Cores hinder each other little. */
static const struct scaling_kind cpu_scaling_kind = {
  .option = "--cpu-scaling",
  .key = "cpu_test",
  .title = "Operations per second",
  .unit = 1,
  .figure = "per_s",
  .scales = 0.75,
  .open = cpu_scaling_hand_open,
  .close = cpu_scaling_hand_close,
  .round = cpu_scaling_hand_round,
};

static void cpu_scaling_add_works(struct cpu_scaling *run,
                                  const struct cpu_cfg *cfg)
{
  const struct kernels_chosen *chosen = &run->chosen;
  struct scaling *s = &run->base;

  kernels_choose(&run->chosen, cfg);
  for (s->works = 0; s->works < chosen->n; s->works++)
    s->work[s->works] = (struct scaling_work){
      .name = chosen->kernel[s->works]->name,
      .code = chosen->path[s->works]->name,
      .amount = (double)chosen->kernel[s->works]->operations,
    };
  if (s->works == 0)
    s->work[s->works++] = (struct scaling_work){ .name = "primes",
                                                 .amount = 1 };
}

static int cpu_scaling_run_open(const struct plan *plan, const void *arg,
                                void **ret_run, struct err *err)
{
  const struct cpu_cfg *cfg = arg;
  struct cpu_scaling *run = calloc(1, sizeof(*run));
  int rc;

  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the cpu test");
  rc = scaling_init(&run->base, &cpu_scaling_kind, run, plan, err);
  run->max_prime = cfg->max_prime;
  cpu_scaling_add_works(run, cfg);
  if (rc < 0)
    free(run);
  else
    *ret_run = run;
  return rc;
}

static void cpu_scaling_run_describe(void *run)
{
  char machine[64];

  scaling_describe_machine(run, machine, sizeof(machine));
  log_msg(LOG_INFO, "Doing CPU performance benchmark\n");
  log_msg(LOG_NOTICE, "Scaling over %s\n\n", machine);
}

static const struct test_ops cpu_scaling_ops = {
  .open = cpu_scaling_run_open,
  .setup = test_setup_run,
  .describe = cpu_scaling_run_describe,
  .close = free,
  .loop = scaling_loop,
  .details = scaling_details,
  .warnings = scaling_doubts,
};

static const struct test cpu_scaling_test = {
  .name = "cpu",
  .summary = "CPU performance test",
  .opts = cpu_opts,
  .cfg_size = sizeof(struct cpu_cfg),
  .ops = &cpu_scaling_ops,
  .form = &scaling_form,
  .loads_cpu = true,
};

/* ---- prime numbers ---- */

struct cpu_run {
  const struct cpu_cfg *cfg;
  const struct plan *plan;
  _Atomic uint64_t primes; /* of workers that have closed */
};

struct cpu_thread {
  struct cpu_run *run;
  uint64_t limit;
  uint64_t first;
  bool counted;
  uint64_t primes;
} CACHE_ALIGNED;

static int cpu_open(const struct plan *plan, const void *cfg, void **ret_run,
                    struct err *err)
{
  struct cpu_run *run = calloc(1, sizeof(*run));

  if (!run)
    return err_set(err, -ENOMEM, "cannot allocate the cpu test");
  run->cfg = cfg;
  run->plan = plan;
  *ret_run = run;
  return 0;
}

static void cpu_describe(void *run)
{
  const struct cpu_cfg *cfg = ((const struct cpu_run *)run)->cfg;

  log_msg(LOG_INFO, "Doing CPU performance benchmark\n");
  log_msg(LOG_NOTICE, "Prime numbers limit: %llu\n\n",
          (unsigned long long)cfg->max_prime);
}

static int cpu_thread_open(void *arg, struct worker *w, void **ret_thr,
                           struct err *err)
{
  struct cpu_run *run = arg;
  struct cpu_thread *t = aligned_alloc(CACHE_LINE, sizeof(*t));

  (void)w;
  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  *t = (struct cpu_thread){ .run = run, .limit = run->cfg->max_prime };
  *ret_thr = t;
  return 0;
}

static void cpu_thread_close(void *thr)
{
  struct cpu_thread *t = thr;

  (void)atomic_fetch_add(&t->run->primes, t->primes);
  free(t);
}

static int cpu_event(void *thr, struct worker *w, struct err *err)
{
  struct cpu_thread *t = thr;
  uint64_t limit = t->limit;
  uint64_t found;

  (void)w;
  OPAQUE(limit); /* one count cannot serve all events */
  found = cpu_primes_count(limit);
  OPAQUE(found);
  t->primes += found;
  if (!t->counted) {
    t->counted = true;
    t->first = found;
  }
  if (found != t->first)
    return err_set(err, -EIO,
                   "cpu computed two different results: %llu and %llu primes",
                   (unsigned long long)t->first, (unsigned long long)found);
  return 0;
}

/* Proof of the work; one of several processes lacks the others' primes. */
static void cpu_details(void *arg, struct test_details *ret)
{
  struct cpu_run *run = arg;

  if (run->plan->parts == 1)
    facts_int(&ret->test, "primes", (int64_t)atomic_load(&run->primes));
}

static void cpu_results(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  (void)setup;
  strbuf_addf(b,
              "CPU speed:\n"
              "    events per second: %8.2f\n",
              report_rate(r, r->events));
}

const struct report_form tests_cpu_form = {
  .interval = form_interval_events,
  .results = cpu_results,
  .queue_mark = "",
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the score is",
};

static const struct test_ops cpu_ops = {
  .open = cpu_open,
  .describe = cpu_describe,
  .close = free,
  .thread_open = cpu_thread_open,
  .thread_close = cpu_thread_close,
  .event = cpu_event,
  .details = cpu_details,
};

static int cpu_variant(const void *arg, const struct test **ret,
                       struct err *err)
{
  const struct cpu_cfg *cfg = arg;

  if (cfg->kernels.n > 0 && cfg->max_prime != CPU_MAX_PRIME)
    return err_set(err, -EINVAL,
                   "--cpu-max-prime is for the test without --cpu-kernel: "
                   "leave one of them out");
  if (cfg->isa >= 0 && cfg->kernels.n == 0)
    return err_set(err, -EINVAL,
                   "--isa has no effect without --cpu-kernel, which chooses "
                   "what uses it");
  if (cfg->scaling)
    *ret = &cpu_scaling_test;
  else if (cfg->kernels.n > 0)
    *ret = &cpu_kernels_test;
  return 0;
}

const struct test test_cpu = {
  .name = "cpu",
  .summary = "CPU performance test",
  .about = "An event finds all prime numbers up to --cpu-max-prime, or runs "
           "the loop that --cpu-kernel names.",
  .example = "--threads=4 --time=30 run",
  .opts = cpu_opts,
  .cfg_size = sizeof(struct cpu_cfg),
  .ops = &cpu_ops,
  .form = &tests_cpu_form,
  .loads_cpu = true,
  .variant = cpu_variant,
};
