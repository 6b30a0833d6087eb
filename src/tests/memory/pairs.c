#include "tests/memory/pairs.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "report/form.h"
#include "report/life.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/figure.h"
#include "tests/memory/latency.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/tests.h"

/* ---- threads that pass a cache line ---- */

enum {
  TRIPS = 100,
  UNTIMED = 2,      /* before it, while clocks are read */
  LINES = 4,        /* between words of different purposes */
  MISSES = 1 << 14, /* between checks whether all is over */
};

/* More than this multiple of the median is not the exchange. */
#define LOST 3.0

/* Prefetchers fetch two lines at a time. */
struct ball {
  _Atomic uint32_t turn;
  char away[LINES * CACHE_LINE - sizeof(uint32_t)];
  _Atomic uint32_t stop; /* 1: the partner leaves */
  _Atomic uint32_t rc;   /* 1: the partner could not start */
  _Atomic long switches; /* of the partner, up to its last sample */
  char behind[LINES * CACHE_LINE];
} __attribute__((aligned(LINES * CACHE_LINE)));

struct partner {
  struct ball *ball;
  int cpu;
  struct err err;
};

/* Changes `from` to the next value when it appears. False: not for a while. */
static inline bool pairs_take(struct ball *b, uint32_t from)
{
  for (int i = 0; i < MISSES; i++) {
    uint32_t seen = from;

    if (atomic_compare_exchange_weak(&b->turn, &seen, from + 1))
      return true;
  }
  return false;
}

static void *pairs_partner_main(void *arg)
{
  struct partner *p = arg;
  struct ball *b = p->ball;
  uint32_t next = 1;

  if (place_pin(p->cpu, "--memory-test", &p->err) < 0) {
    atomic_store(&b->rc, 1);
    return NULL;
  }
  for (;;) {
    for (int i = 0; i < TRIPS + UNTIMED; i++) {
      while (!pairs_take(b, next)) {
        if (atomic_load(&b->stop) != 0)
          return NULL;
      }
      next += 2;
    }
    atomic_store(&b->switches, place_switches());
  }
}

static bool pairs_trips(struct ball *b, struct worker *w, uint32_t *next, int n)
{
  for (int i = 0; i < n; i++) {
    while (!pairs_take(b, *next)) {
      if (worker_is_over(w) || atomic_load(&b->rc) != 0)
        return false;
    }
    *next += 2;
  }
  return true;
}

static bool pairs_sample(struct ball *b, struct worker *w, uint32_t *next,
                         struct pair_sample *ret)
{
  uint64_t begin_ns, took_ns;
  long own, others;
  bool played;

  if (!worker_more(w))
    return false;
  worker_start(w);
  played = pairs_trips(b, w, next, UNTIMED);
  own = place_switches();
  others = atomic_load(&b->switches);
  begin_ns = clock_now_ns();
  played = played && pairs_trips(b, w, next, TRIPS);
  took_ns = clock_now_ns() - begin_ns;
  worker_stop(w);
  ret->ns = (double)took_ns / TRIPS / 2;
  /* The partner's count for this sample may come with the next one. */
  ret->preempted = place_switches() != own ||
                   atomic_load(&b->switches) != others;
  return played;
}

void pairs_summarize(const struct pair_sample *of, size_t n, struct pair *ret)
{
  double kept[PAIRS_SAMPLES_MAX], scratch[PAIRS_SAMPLES_MAX], median;
  size_t n_kept = 0;

  for (size_t i = 0; i < n && i < PAIRS_SAMPLES_MAX; i++) {
    if (!of[i].preempted)
      kept[n_kept++] = of[i].ns;
  }
  figure_sort(kept, n_kept);
  median = figure_quantile(kept, n_kept, 0.5);
  while (n_kept > 0 && kept[n_kept - 1] > LOST * median)
    n_kept--;
  *ret = (struct pair){
    .ns = figure_quantile(kept, n_kept, 0.5),
    .mad = n_kept > 0 ? figure_mad(kept, n_kept, scratch) : NAN,
    .kept = (unsigned)n_kept,
    .dropped = (unsigned)(n - n_kept),
  };
}

/* False: the run is over. */
static bool pairs_play_side(struct ball *b, struct worker *w, uint64_t for_ns,
                            struct pair *ret)
{
  const uint64_t until_ns = clock_now_ns() + for_ns;
  struct pair_sample samples[PAIRS_SAMPLES_MAX];
  uint32_t next = 0;
  size_t n = 0;

  while (n < PAIRS_SAMPLES_MAX && (n < 3 || clock_now_ns() < until_ns)) {
    if (!pairs_sample(b, w, &next, &samples[n]))
      return false;
    n++;
  }
  pairs_summarize(samples, n, ret);
  return true;
}

/* Pins the calling thread to `cpu`. -EINTR: the run is over, and `err` is not
 * set. */
static int pairs_play(struct worker *w, int cpu, int other, uint64_t for_ns,
                      struct pair *ret, struct err *err)
{
  struct ball b = { .turn = 0 };
  struct partner p = { .ball = &b, .cpu = other };
  pthread_t thread;
  bool played;
  int rc = place_pin(cpu, "--memory-test", err);

  if (rc == 0)
    rc = thread_start(&thread, 0, pairs_partner_main, &p, err);
  if (rc < 0)
    return rc;
  played = pairs_play_side(&b, w, for_ns, ret);
  atomic_store(&b.stop, 1);
  (void)pthread_join(thread, NULL); /* ends because of `stop` */
  if (atomic_load(&b.rc) != 0)
    return err_set(err, -EPERM, "%s", p.err.text);
  return played ? 0 : -EINTR;
}

/* ---- the run ---- */

enum {
  FIGURES_MAX = 28,   /* of separate pairs: 8 CPUs */
  TEXT_CPUS_MAX = 32, /* larger matrices are left out */
};

#define SHARE 0.9

static const char *const relation_words[PLACE_RELATIONS] = { "same core",
                                                             "same socket",
                                                             "other socket" };

size_t pairs_index(unsigned i, unsigned j)
{
  return (size_t)j * (j - 1) / 2 + i;
}

static void pairs_close(void *arg)
{
  struct pairs *p = arg;

  if (p)
    free(p->of);
  free(p);
}

static int pairs_open(const struct plan *plan, const void *cfg, void **ret_run,
                      struct err *err)
{
  int rc = 0;
  struct pairs *p = memory_new(plan, cfg, sizeof(*p), &rc, err);

  if (!p)
    return rc;
  p->plan = plan;
  p->cfg = cfg;
  place_find_cpus(&p->cpus);
  p->n_pairs = pairs_index(0, p->cpus.n);
  p->of = calloc(p->n_pairs + 1, sizeof(*p->of));
  if (!p->of)
    rc = err_set(err, -ENOMEM, "cannot allocate the memory test");
  else if (p->cpus.n < 2)
    rc = err_set(err, -EINVAL,
                 "--memory-test=pairs needs two CPUs, and this process "
                 "may run on one only");
  else if (p->cfg->size_bytes > 0 || p->cfg->pages != PAGES_AUTO ||
           p->cfg->baseline)
    rc = err_set(err, -EINVAL,
                 "--memory-test=pairs needs a single cache line: leave out "
                 "--memory-size, --memory-pages and --isa");
  if (rc < 0)
    pairs_close(p);
  else
    *ret_run = p;
  return rc;
}

static void pairs_describe(void *arg)
{
  const struct pairs *p = arg;

  log_msg(LOG_NOTICE,
          "Running cache line exchange test with the following options:\n"
          "  CPUs: %u, %zu pair%s\n\n",
          p->cpus.n, p->n_pairs, p->n_pairs == 1 ? "" : "s");
}

static int pairs_loop(void *thr, struct worker *w, struct err *err)
{
  struct pairs *p = thr;
  const uint64_t all_ns = test_time_ns(p->plan);
  const uint64_t each_ns = (uint64_t)((double)all_ns * SHARE /
                                      (double)p->n_pairs);

  if (!latency_await_measured(w))
    return 0;
  for (unsigned j = 1; j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j; i++) {
      const size_t at = pairs_index(i, j);
      const int rc = pairs_play(w, p->cpus.of[i], p->cpus.of[j], each_ns,
                                &p->of[at], err);

      if (rc < 0)
        return rc == -EINTR ? 0 : rc;
      atomic_store_explicit(&p->n, at + 1, memory_order_release);
    }
  }
  return 0;
}

/* ---- reports ---- */

static size_t pairs_done(const struct pairs *p)
{
  return atomic_load_explicit(&p->n, memory_order_acquire);
}

static double pairs_ns_of(const struct pairs *p, unsigned i, unsigned j)
{
  const size_t at = i < j ? pairs_index(i, j) : pairs_index(j, i);

  return i != j && at < pairs_done(p) ? p->of[at].ns : NAN;
}

static void pairs_add_matrix(struct strbuf *b, const struct pairs *p)
{
  strbuf_addf(b, "\n    %6s", "");
  for (unsigned j = 0; j < p->cpus.n; j++)
    strbuf_addf(b, " %7d", p->cpus.of[j]);
  strbuf_adds(b, "   (ns one way)\n");
  for (unsigned i = 0; i < p->cpus.n; i++) {
    strbuf_addf(b, "    %6d", p->cpus.of[i]);
    for (unsigned j = 0; j < p->cpus.n; j++) {
      const double ns = pairs_ns_of(p, i, j);

      if (isfinite(ns))
        strbuf_addf(b, " %7.1f", ns);
      else
        strbuf_addf(b, " %7s", "-");
    }
    strbuf_adds(b, "\n");
  }
}

/* Over pairs of one relation; returns their number. */
static size_t pairs_median_of(const struct pairs *p, int relation, double *ret)
{
  double *ns = calloc(p->n_pairs + 1, sizeof(*ns));
  size_t n = 0;

  for (unsigned j = 1; ns && j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j; i++) {
      if (isfinite(pairs_ns_of(p, i, j)) &&
          (int)place_relate("", p->cpus.of[i], p->cpus.of[j]) == relation)
        ns[n++] = pairs_ns_of(p, i, j);
    }
  }
  if (ns)
    figure_sort(ns, n);
  *ret = ns ? figure_quantile(ns, n, 0.5) : NAN;
  free(ns);
  return n;
}

static void pairs_count_samples(const struct pairs *p, uint64_t *kept,
                                uint64_t *dropped)
{
  const size_t n = pairs_done(p);

  *kept = *dropped = 0;
  for (size_t i = 0; i < n; i++) {
    *kept += p->of[i].kept;
    *dropped += p->of[i].dropped;
  }
}

static void pairs_results(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r)
{
  const struct pairs *p = setup->of_test;
  uint64_t kept, dropped;

  (void)r;
  pairs_count_samples(p, &kept, &dropped);
  strbuf_adds(b, "Exchange of a cache line between CPUs:\n");
  if (p->cpus.n <= TEXT_CPUS_MAX)
    pairs_add_matrix(b, p);
  strbuf_adds(b, "\n");
  for (int k = 0; k < PLACE_RELATIONS; k++) {
    double ns;
    const size_t n = pairs_median_of(p, k, &ns);

    if (n > 0)
      strbuf_addf(b, "    %-13s %8.1f ns, median of %zu pair%s\n",
                  relation_words[k], ns, n, n == 1 ? "" : "s");
  }
  strbuf_addf(b,
              "    samples:      %llu, and %llu dropped because another "
              "program had a CPU\n",
              (unsigned long long)kept, (unsigned long long)dropped);
}

static void pairs_table(struct strbuf *b, const struct report_setup *setup)
{
  const struct pairs *p = setup->of_test;
  const size_t n = pairs_done(p);

  strbuf_adds(b, "processor,other,relation,ns,mad_ns,samples,dropped\n");
  for (unsigned j = 1; j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j && pairs_index(i, j) < n; i++) {
      const struct pair *of = &p->of[pairs_index(i, j)];
      const int a = p->cpus.of[i], z = p->cpus.of[j];

      if (of->kept > 0)
        strbuf_addf(b, "%d,%d,%s,%.2f,%.2f,%u,%u\n", a, z,
                    relation_words[place_relate("", a, z)], of->ns, of->mad,
                    of->kept, of->dropped);
    }
  }
}

static void pairs_add(const struct pairs *p, unsigned i, unsigned j,
                      struct facts *to)
{
  const struct pair *pair = &p->of[pairs_index(i, j)];
  const int a = p->cpus.of[i], b = p->cpus.of[j];
  char key[96];

  facts_real(to, FIGURE_KEY(key, "pairs.of.%d-%d.ns", a, b), pair->ns);
  facts_real(to, FIGURE_KEY(key, "pairs.of.%d-%d.mad_ns", a, b), pair->mad);
  facts_int(to, FIGURE_KEY(key, "pairs.of.%d-%d.kept", a, b), pair->kept);
  facts_int(to, FIGURE_KEY(key, "pairs.of.%d-%d.dropped", a, b), pair->dropped);
  facts_text(to, FIGURE_KEY(key, "pairs.of.%d-%d.relation", a, b),
             relation_words[place_relate("", a, b)]);
  if (p->n_pairs <= FIGURES_MAX)
    figure_add(to, FIGURE_NS, pair->ns, "processors %d and %d", a, b);
}

static void pairs_details(void *run, struct test_details *ret)
{
  const struct pairs *p = run;

  facts_text(&ret->test, "memory_test", "pairs");
  facts_int(&ret->test, "pairs.processors", p->cpus.n);
  for (unsigned j = 1; j < p->cpus.n; j++) {
    for (unsigned i = 0; i < j && pairs_index(i, j) < pairs_done(p); i++)
      pairs_add(p, i, j, &ret->test);
  }
  for (int k = 0; k < PLACE_RELATIONS; k++) {
    double ns;

    if (pairs_median_of(p, k, &ns) > 0)
      figure_add(&ret->test, FIGURE_NS, ns, "%s", relation_words[k]);
  }
}

static void pairs_doubts(void *run, const struct report *total,
                         struct warnings *to)
{
  const struct pairs *p = run;
  uint64_t kept, dropped;

  (void)total;
  pairs_count_samples(p, &kept, &dropped);
  if (pairs_done(p) < p->n_pairs)
    warnings_add(
      to, true, "unfinished",
      "only %zu of %zu pairs were measured, because the run was over; "
      "give it more --time",
      pairs_done(p), p->n_pairs);
  if (dropped > kept)
    warnings_add(to, true, "dropped_samples",
                 "%.0f%% of the samples were dropped, because another program "
                 "had a CPU meanwhile; stop other programs",
                 100.0 * (double)dropped / (double)(kept + dropped));
}

const struct test_ops memory_pairs_ops = {
  .open = pairs_open,
  .setup = test_setup_run,
  .describe = pairs_describe,
  .close = pairs_close,
  .loop = pairs_loop,
  .details = pairs_details,
  .warnings = pairs_doubts,
};

const struct report_form memory_pairs_form = {
  .interval = form_interval_events,
  .results = pairs_results,
  .table = pairs_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .measures_times = true,
};
