#include "tests/scaling.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/facts.h"
#include "base/machine/cgroup.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "base/wait.h"
#include "report/form.h"
#include "report/life.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/figure.h"
#include "tests/place.h"
#include "tests/tests.h"

/* ---- threads that work at the same time ---- */

struct hand {
  struct scaling_hands *all;
  unsigned index;
  pthread_t thread;
  bool started;
  bool opened;
  void *mem;

  /* The last sample; hand 0 reads when all are done. */
  double per_s;
  bool wrong;
  int failed;
  struct err why;
} CACHE_ALIGNED;

struct scaling_hands {
  const struct scaling *s;
  unsigned n;
  struct hand *of;

  /* A sample. Hand 0 writes before it changes `turn`, when all others are
   * done. */
  unsigned work, threads;
  uint64_t end_ns;
  bool quit;

  /* One more per sample; waited for. */
  _Atomic uint32_t turn CACHE_ALIGNED;
  /* Hands that have done their part; waited for. */
  _Atomic uint32_t done CACHE_ALIGNED;
};

static void scaling_settle(struct hand *h)
{
  const struct scaling *s = h->all->s;

  h->failed = place_pin(s->topology.cpu[h->index], s->kind->option, &h->why);
  if (h->failed == 0)
    h->failed = s->kind->open(s, &h->mem, &h->why);
  h->opened = h->failed == 0;
}

static void scaling_leave(struct hand *h)
{
  if (h->opened)
    h->wrong = !h->all->s->kind->close(h->all->s, h->mem);
}

static void scaling_hand_work(struct hand *h)
{
  const struct scaling *s = h->all->s;
  const unsigned what = h->all->work;
  uint64_t rounds = 0, begin_ns, now_ns;
  bool right = s->kind->round(s, what, h->mem);

  begin_ns = now_ns = clock_now_ns();
  do {
    right = s->kind->round(s, what, h->mem) && right;
    rounds++;
    now_ns = clock_now_ns();
  } while (now_ns < h->all->end_ns);
  h->wrong = !right;
  h->per_s = s->work[what].amount * (double)rounds * (double)NS_PER_S /
             (double)(now_ns - begin_ns);
}

static void *scaling_hand_main(void *arg)
{
  struct hand *h = arg;
  struct scaling_hands *all = h->all;
  uint32_t seen = 0;

  thread_set_name("scaling");
  scaling_settle(h);
  for (;;) {
    (void)atomic_fetch_add(&all->done, 1);
    wait_wake_all(&all->done);
    while (atomic_load(&all->turn) == seen)
      wait_while(&all->turn, seen, UINT64_MAX);
    seen = atomic_load(&all->turn);
    if (all->quit)
      break;
    if (h->index < all->threads)
      scaling_hand_work(h);
    /* Once all hands are done, the sample may change. */
  }
  scaling_leave(h);
  return NULL;
}

static void scaling_next_turn(struct scaling_hands *h)
{
  (void)atomic_fetch_add(&h->turn, 1);
  wait_wake_all(&h->turn);
}

static int scaling_hands_free(struct scaling_hands *h, struct err *err)
{
  int rc = 0;

  if (!h)
    return 0;
  h->quit = true;
  scaling_next_turn(h);
  for (unsigned i = 0; h->of && i < h->n; i++) {
    struct hand *one = &h->of[i];

    if (one->started)
      (void)pthread_join(one->thread, NULL);
    else
      scaling_leave(one);
    if (one->opened && one->wrong)
      rc = err_set(err, -EIO,
                   "the memory of the thread on CPU %d does not hold "
                   "what was written to it",
                   h->s->topology.cpu[i]);
  }
  free(h->of);
  free(h);
  return rc;
}

static void scaling_await_others(struct scaling_hands *h)
{
  uint32_t done;

  while ((done = atomic_load(&h->done)) + 1 < h->n)
    wait_while(&h->done, done, UINT64_MAX);
}

/* Hand 0 is the caller. */
static int scaling_start_others(struct scaling_hands *h, struct err *err)
{
  int rc = 0;

  for (unsigned i = 1; i < h->n && rc == 0; i++) {
    rc = thread_start(&h->of[i].thread, 0, scaling_hand_main, &h->of[i], err);
    h->of[i].started = rc == 0;
  }
  return rc;
}

/* Hand 0 is the caller, pinned to the first CPU. Always call
 * scaling_hands_free(), whose -EIO means memory with a wrong content. */
static int scaling_hands_new(struct scaling_hands **ret,
                             const struct scaling *s, struct err *err)
{
  struct scaling_hands *h = mem_aligned(1, sizeof(*h), CACHE_LINE);
  int rc;

  if (!h)
    return err_set(err, -ENOMEM, "cannot allocate the threads");
  *ret = h;
  h->s = s;
  h->n = s->topology.cpus;
  h->of = mem_aligned(h->n, sizeof(*h->of), CACHE_LINE);
  if (!h->of)
    return err_set(err, -ENOMEM, "cannot allocate the threads");
  for (unsigned i = 0; i < h->n; i++) {
    h->of[i].all = h;
    h->of[i].index = i;
  }
  rc = scaling_start_others(h, err);
  if (rc < 0)
    return rc;
  scaling_settle(&h->of[0]);
  scaling_await_others(h);
  for (unsigned i = 0; i < h->n; i++) {
    if (h->of[i].failed < 0) {
      *err = h->of[i].why;
      return h->of[i].failed;
    }
  }
  return 0;
}

static int scaling_add_up(const struct scaling_hands *h, double *ret_per_s,
                          struct err *err)
{
  double sum = 0;

  for (unsigned i = 0; i < h->threads; i++) {
    if (h->of[i].wrong)
      return err_set(err, -EIO,
                     "the work '%s' has a wrong result on CPU %d: it, or "
                     "its memory, is faulty",
                     h->s->work[h->work].name, h->s->topology.cpu[i]);
    sum += h->of[i].per_s;
  }
  *ret_per_s = sum;
  return 0;
}

/* The first `threads` hands work for that long; *ret_per_s is their sum. -EIO:
 * a wrong result. */
static int scaling_hands_play(struct scaling_hands *h, unsigned what,
                              unsigned threads, uint64_t for_ns,
                              double *ret_per_s, struct err *err)
{
  h->work = what;
  h->threads = threads;
  h->end_ns = clock_now_ns() + for_ns;
  atomic_store(&h->done, 0);
  scaling_next_turn(h);
  scaling_hand_work(&h->of[0]);
  scaling_await_others(h);
  return scaling_add_up(h, ret_per_s, err);
}

/* ---- reports ---- */

/* A second hardware thread that gives less is in the way. */
#define HELPS 0.98
/* N threads do no more than N times the work of one; rates differ by some
 * percent. */
#define IMPOSSIBLE 1.1

static enum scaling_level scaling_base_of(enum scaling_level level)
{
  return level == SCALING_ALL ? SCALING_CORES : SCALING_ONE;
}

static void scaling_add_head(struct strbuf *b, const struct scaling *s)
{
  char title[64];

  strbuf_addf(b, "%s by threads:\n    %-12s %12s", s->kind->title, "work",
              "1 thread");
  if (s->level[SCALING_CORES]) {
    (void)snprintf(title, sizeof(title), "%u cores", s->topology.cores);
    strbuf_addf(b, " %12s %7s", title, "times");
  }
  if (s->level[SCALING_ALL]) {
    (void)snprintf(title, sizeof(title), "%u threads", s->topology.cpus);
    strbuf_addf(b, " %12s %7s", title, "SMT");
  }
  strbuf_adds(b, "\n");
}

/* "-": not measured. */
static void scaling_add_number(struct strbuf *b, int width, int decimals,
                               double value)
{
  if (isfinite(value))
    strbuf_addf(b, " %*.*f", width, decimals, value);
  else
    strbuf_addf(b, " %*s", width, "-");
}

static unsigned scaling_threads(const struct scaling *s,
                                enum scaling_level level)
{
  return level == SCALING_ONE     ? 1
         : level == SCALING_CORES ? s->topology.cores
                                  : s->topology.cpus;
}

static double scaling_rate(const struct scaling *s, unsigned work,
                           enum scaling_level level)
{
  const struct scaling_cell *c = &s->cell[work][level];
  const unsigned n = atomic_load_explicit(&c->n, memory_order_acquire);
  double per_s[SCALING_SAMPLES_MAX];

  if (n == 0)
    return NAN;
  for (unsigned i = 0; i < n; i++)
    per_s[i] = c->per_s[i];
  figure_sort(per_s, n);
  return per_s[(3 * n - 1) / 4];
}

static double scaling_ratio(const struct scaling *s, unsigned work,
                            enum scaling_level level, enum scaling_level base)
{
  return scaling_rate(s, work, level) / scaling_rate(s, work, base);
}

static void scaling_results(struct strbuf *b, const struct report_setup *setup,
                            const struct report *r)
{
  const struct scaling *s = setup->of_test;

  (void)r;
  scaling_add_head(b, s);
  for (unsigned i = 0; i < s->works; i++) {
    strbuf_addf(b, "    %-12s", s->work[i].name);
    for (int k = 0; k < SCALING_LEVELS; k++) {
      const enum scaling_level level = (enum scaling_level)k;
      double rate;

      if (!s->level[k])
        continue;
      rate = scaling_rate(s, i, level) / s->kind->unit;
      scaling_add_number(b, 12, rate < 1e5 ? 2 : 0, rate);
      if (k > 0)
        scaling_add_number(b, 7, 2,
                           scaling_ratio(s, i, level, scaling_base_of(level)));
    }
    strbuf_adds(b, "\n");
  }
  if (s->topology.cpus == 1)
    strbuf_adds(b, "\n    This process may run on one CPU only: nothing "
                   "can scale.\n");
  else if (!s->level[SCALING_ALL])
    strbuf_adds(b, "\n    The system reports no second hardware thread of a "
                   "core that may be used.\n");
  else if (!s->level[SCALING_CORES])
    strbuf_adds(b, "\n    All CPUs that may be used are hardware threads "
                   "of one core.\n");
}

/* Empty: not measured. */
static void scaling_add_cell(struct strbuf *b, double value, int decimals)
{
  strbuf_adds(b, ",");
  if (isfinite(value))
    strbuf_addf(b, "%.*f", decimals, value);
}

static void scaling_table(struct strbuf *b, const struct report_setup *setup)
{
  const struct scaling *s = setup->of_test;

  strbuf_adds(b, "work,one_per_s,cores_per_s,cores_ratio,all_per_s,smt_ratio,"
                 "samples\n");
  for (unsigned i = 0; i < s->works; i++) {
    strbuf_adds(b, s->work[i].name);
    scaling_add_cell(b, scaling_rate(s, i, SCALING_ONE), 0);
    scaling_add_cell(b, scaling_rate(s, i, SCALING_CORES), 0);
    scaling_add_cell(b, scaling_ratio(s, i, SCALING_CORES, SCALING_ONE), 4);
    scaling_add_cell(b, scaling_rate(s, i, SCALING_ALL), 0);
    scaling_add_cell(b, scaling_ratio(s, i, SCALING_ALL, SCALING_CORES), 4);
    strbuf_addf(
      b, ",%u\n",
      atomic_load_explicit(&s->cell[i][SCALING_ONE].n, memory_order_acquire));
  }
}

static void scaling_add_work(struct facts *to, const struct scaling *s,
                             unsigned i)
{
  static const char *const rates[] = { "1 thread", "per core", "all threads" };
  static const char *const ratios[] = { NULL, "core ratio", "SMT ratio" };
  static const char *const keys[] = { "one", "cores", "all" };
  static const char *const ratio_keys[] = { NULL, "cores_ratio", "smt_ratio" };
  const char *name = s->work[i].name;
  char key[96];

  for (int k = 0; k < SCALING_LEVELS; k++) {
    const enum scaling_level level = (enum scaling_level)k;
    const double rate = scaling_rate(s, i, level);
    const double ratio = scaling_ratio(s, i, level, scaling_base_of(level));

    if (!s->level[k] || !isfinite(rate))
      continue;
    facts_real(to, FIGURE_KEY(key, "scaling.of.%s.%s_per_s", name, keys[k]),
               rate);
    figure_add(to, s->kind->figure, rate, "%s %s", name, rates[k]);
    if (!ratios[k] || !isfinite(ratio))
      continue;
    facts_real(to, FIGURE_KEY(key, "scaling.of.%s.%s", name, ratio_keys[k]),
               ratio);
    figure_add(to, "ratio", ratio, "%s %s", name, ratios[k]);
  }
  facts_int(
    to, FIGURE_KEY(key, "scaling.of.%s.samples", name),
    atomic_load_explicit(&s->cell[i][SCALING_ONE].n, memory_order_acquire));
  if (s->work[i].code)
    facts_text(to, FIGURE_KEY(key, "code.%s", name), s->work[i].code);
}

void scaling_details(void *run, struct test_details *ret)
{
  const struct scaling *s = run;

  facts_text(&ret->test, s->kind->key, "scaling");
  facts_int(&ret->test, "scaling.cores", s->topology.cores);
  facts_int(&ret->test, "scaling.hardware_threads", s->topology.cpus);
  if (s->quota_cpus > 0)
    facts_real(&ret->test, "scaling.quota_cpus", s->quota_cpus);
  for (unsigned i = 0; i < s->works; i++)
    scaling_add_work(&ret->test, s, i);
}

/* ---- warnings ---- */

/* False: none was measured. */
static bool scaling_find_worst(const struct scaling *s,
                               enum scaling_level level, unsigned *ret_work,
                               double *ret_ratio)
{
  bool found = false;

  for (unsigned i = 0; i < s->works && s->level[level]; i++) {
    const double ratio = scaling_ratio(s, i, level, scaling_base_of(level));

    if (!isfinite(ratio) || (found && ratio >= *ret_ratio))
      continue;
    found = true;
    *ret_work = i;
    *ret_ratio = ratio;
  }
  return found;
}

/* A ratio that no machine reaches; false: none. */
static bool scaling_doubt_impossible(const struct scaling *s,
                                     enum scaling_level level,
                                     struct warnings *to)
{
  const unsigned threads = scaling_threads(s, level);
  const unsigned base = scaling_threads(s, scaling_base_of(level));

  for (unsigned i = 0; i < s->works && s->level[level]; i++) {
    const double ratio = scaling_ratio(s, i, level, scaling_base_of(level));

    if (!isfinite(ratio) || ratio * base <= IMPOSSIBLE * threads)
      continue;
    warnings_add(
      to, true, "scaling_impossible",
      "%u threads seem to do %.2f times the work of %u (%s), which is "
      "impossible; other programs slowed down %s, so repeat the run "
      "on an idle machine",
      threads, ratio, base, s->work[i].name,
      base == 1 ? "the single thread" : "the fewer threads");
    return true;
  }
  return false;
}

static bool scaling_is_unfinished(const struct scaling *s)
{
  for (unsigned i = 0; i < s->works; i++) {
    for (int k = 0; k < SCALING_LEVELS; k++) {
      if (s->level[k] && isnan(scaling_rate(s, i, (enum scaling_level)k)))
        return true;
    }
  }
  return false;
}

void scaling_doubts(void *run, const struct report *total, struct warnings *to)
{
  const struct scaling *s = run;
  const struct topology *t = &s->topology;
  unsigned work = 0;
  double ratio = 0;

  (void)total;
  if (scaling_is_unfinished(s))
    warnings_add(to, true, "unfinished",
                 "not all works were measured with all numbers of threads, "
                 "because the run was over; give it more --time");
  if (s->quota_cpus > 0 && s->quota_cpus < t->cpus) {
    warnings_add(to, true, "scaling_quota",
                 "the control group of bench may use %.4g of the %u hardware "
                 "threads, so the ratios are those of the quota; raise cpu.max",
                 s->quota_cpus, t->cpus);
    return;
  }
  if (scaling_doubt_impossible(s, SCALING_CORES, to) ||
      scaling_doubt_impossible(s, SCALING_ALL, to))
    return;
  if (scaling_find_worst(s, SCALING_CORES, &work, &ratio) &&
      ratio < s->kind->scales * t->cores)
    warnings_add(
      to, true, "scaling",
      "%u threads, one per core, do %.2f times the work of one (%s), because "
      "other programs are at work, or the cores are hardware threads that the "
      "host sells as cores, or they share power or caches",
      t->cores, ratio, s->work[work].name);
  if (scaling_find_worst(s, SCALING_ALL, &work, &ratio) && ratio < HELPS)
    warnings_add(to, true, "smt",
                 "one thread per hardware thread does %.2f times the work of "
                 "one per core (%s); for such work use no more than %u threads",
                 ratio, s->work[work].name, t->cores);
}

const struct report_form scaling_form = {
  .interval = form_interval_events,
  .results = scaling_results,
  .table = scaling_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the rates are",
};

/* ---- the run ---- */

#define SAMPLE_MIN_NS (2 * NS_PER_MS)
#define SAMPLE_MAX_NS (100 * NS_PER_MS)

enum {
  SAMPLES_WANTED = 8,
};

static int scaling_check_plan(const char *option, const struct plan *plan,
                              struct err *err)
{
  if (plan->threads > 1)
    return err_set(err, -EINVAL,
                   "%s takes --threads=1, and starts more threads itself",
                   option);
  if (plan_rated_by(plan))
    return err_set(err, -EINVAL,
                   "--%s makes no sense with %s: it measures as fast as it can",
                   plan_rated_by(plan), option);
  if (plan->parts > 1)
    return err_set(err, -EINVAL, "%s is for a run of one process", option);
  return 0;
}

int scaling_init(struct scaling *s, const struct scaling_kind *kind,
                 const void *arg, const struct plan *plan, struct err *err)
{
  s->kind = kind;
  s->arg = arg;
  s->plan = plan;
  s->quota_cpus = cgroup_read("").cpus;
  topology_find(&s->topology);
  s->level[SCALING_ONE] = true;
  s->level[SCALING_CORES] = s->topology.cores > 1;
  s->level[SCALING_ALL] = s->topology.cpus > s->topology.cores;
  return scaling_check_plan(kind->option, plan, err);
}

void scaling_describe_machine(const struct scaling *s, char *ret, int size)
{
  const struct topology *t = &s->topology;

  (void)snprintf(ret, (size_t)size, "%u core%s with %u hardware thread%s",
                 t->cores, t->cores == 1 ? "" : "s", t->cpus,
                 t->cpus == 1 ? "" : "s");
}

static uint64_t scaling_sample_ns(const struct scaling *s)
{
  const uint64_t all_ns = test_time_ns(s->plan);
  uint64_t wanted_ns;
  unsigned cells = 0;

  for (int level = 0; level < SCALING_LEVELS; level++)
    cells += s->level[level] ? s->works : 0;
  wanted_ns = min_u64(all_ns / cells / SAMPLES_WANTED, SAMPLE_MAX_NS);
  return wanted_ns < SAMPLE_MIN_NS ? SAMPLE_MIN_NS : wanted_ns;
}

static void scaling_keep(struct scaling *s, const struct worker *w,
                         unsigned work, int level, double per_s)
{
  struct scaling_cell *c = &s->cell[work][level];
  const unsigned n = atomic_load_explicit(&c->n, memory_order_relaxed);

  if (!w->counted || n == SCALING_SAMPLES_MAX)
    return; /* the warm-up, or too many */
  c->per_s[n] = per_s;
  atomic_store_explicit(&c->n, n + 1, memory_order_release);
}

/* All cells once. 1: the run is over. */
static int scaling_do_turn(struct scaling *s, struct scaling_hands *hands,
                           struct worker *w, uint64_t for_ns, struct err *err)
{
  for (unsigned work = 0; work < s->works; work++) {
    for (int level = 0; level < SCALING_LEVELS; level++) {
      double per_s = 0;
      int rc;

      if (!s->level[level])
        continue;
      if (!worker_more(w))
        return 1;
      worker_start(w);
      rc = scaling_hands_play(hands, work,
                              scaling_threads(s, (enum scaling_level)level),
                              for_ns, &per_s, err);
      if (rc < 0) {
        worker_abandon(w);
        return rc;
      }
      worker_stop(w);
      scaling_keep(s, w, work, level, per_s);
    }
  }
  return 0;
}

int scaling_loop(void *thr, struct worker *w, struct err *err)
{
  struct scaling *s = thr;
  struct scaling_hands *hands = NULL;
  const uint64_t for_ns = scaling_sample_ns(s);
  struct err ignored = { 0 }; /* `err` has the first error */
  int rc = scaling_hands_new(&hands, s, err);
  int ended;

  while (rc == 0)
    rc = scaling_do_turn(s, hands, w, for_ns, err);
  ended = scaling_hands_free(hands, rc < 0 ? &ignored : err);
  return rc < 0 ? rc : ended;
}
