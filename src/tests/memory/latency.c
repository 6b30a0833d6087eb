#include "tests/memory/latency.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "report/warnings.h"
#include "run/plan.h"
#include "run/test.h"
#include "run/worker.h"
#include "stats/report.h"
#include "tests/figure.h"
#include "tests/memory/memory.h"
#include "tests/memory/options.h"
#include "tests/tests.h"

/* ---- samples ---- */

enum {
  SAMPLES_MIN = 7,
  STEPS_FIRST = 512,
  STEPS_MIN = 64,
  ATTEMPTS_MAX = 256,
  WARM_STEPS = 4096,
};

#define SAMPLE_NS (100 * NS_PER_US)
#define SAMPLE_MIN_NS (10 * NS_PER_US)
/* Samples agree if the lower quartile is this close to the median. */
#define AGREE 0.01
/* A sample of this multiple of its planned time was disturbed. */
#define LOST 20

struct latency_samples {
  double ns[LATENCY_SAMPLES_MAX];
  unsigned n;
  unsigned dropped;
  size_t steps;
  uint64_t sample_ns;
};

static void latency_adapt(struct latency_samples *s, double ns_per_step)
{
  const double steps = (double)s->sample_ns /
                       (ns_per_step > 0 ? ns_per_step : 1);

  s->steps = steps > STEPS_MIN ? (size_t)steps : STEPS_MIN;
}

static bool latency_sample(struct latency_samples *s, struct chase *c,
                           struct worker *w)
{
  uint64_t begin_ns, took_ns;
  long before;
  size_t steps;

  if (!worker_more(w))
    return false;
  before = place_switches();
  worker_start(w);
  begin_ns = clock_now_ns();
  steps = chase_run(c, s->steps > 0 ? s->steps : STEPS_FIRST);
  took_ns = clock_now_ns() - begin_ns;
  worker_stop(w);
  if (s->steps == 0) {
    latency_adapt(s, (double)took_ns / (double)steps);
    return true;
  }
  if (place_switches() != before || took_ns > LOST * s->sample_ns) {
    s->dropped++;
  } else if (s->n < LATENCY_SAMPLES_MAX) {
    s->ns[s->n++] = (double)took_ns / (double)steps;
    latency_adapt(s, s->ns[s->n - 1]);
  }
  return true;
}

static void latency_summarize(struct latency_samples *s,
                              struct latency_point *ret)
{
  figure_sort(s->ns, s->n);
  ret->ns = figure_quantile(s->ns, s->n, 0.25);
  ret->median = figure_quantile(s->ns, s->n, 0.5);
  ret->kept = s->n;
  ret->dropped = s->dropped;
}

bool latency_measure(struct chase *c, struct worker *w, uint64_t for_ns,
                     struct latency_point *ret)
{
  const uint64_t until_ns = clock_now_ns() + for_ns;
  struct latency_samples s = { .sample_ns = for_ns / (2 * SAMPLES_MIN) };

  if (s.sample_ns > SAMPLE_NS)
    s.sample_ns = SAMPLE_NS;
  if (s.sample_ns < SAMPLE_MIN_NS)
    s.sample_ns = SAMPLE_MIN_NS;
  while (s.n + s.dropped < ATTEMPTS_MAX && s.n < LATENCY_SAMPLES_MAX) {
    if (!latency_sample(&s, c, w))
      return false;
    if (s.n < SAMPLES_MIN)
      continue;
    latency_summarize(&s, ret);
    if (clock_now_ns() >= until_ns ||
        (s.n >= 3 * SAMPLES_MIN && ret->median - ret->ns < AGREE * ret->median))
      break;
  }
  latency_summarize(&s, ret);
  return true;
}

bool latency_warm(struct chase *c, uint64_t for_ns)
{
  const uint64_t begin_ns = clock_now_ns();
  size_t done = 0;

  while (done < c->lines && clock_now_ns() - begin_ns < for_ns)
    done += chase_run(c, c->lines < WARM_STEPS ? c->lines : WARM_STEPS);
  return done >= c->lines;
}

bool latency_await_measured(struct worker *w)
{
  char line[2 * sizeof(void *)] __attribute__((aligned(sizeof(void *))));
  struct chase c;

  chase_init(&c, line, sizeof(line), 0);
  do {
    if (!worker_more(w))
      return false;
    worker_start(w);
    (void)chase_run(&c, 10000);
    worker_stop(w);
  } while (!w->counted);
  return true;
}

/* ---- reports ---- */

/* Allowed distance of the end of a plateau from a cache's size. */
#define EDGE_LOW (2.0 / 3)
#define EDGE_HIGH (4.0 / 3)

static const char *const kind_words[LATENCY_KINDS] = { "huge", "small" };

static size_t latency_points_of(const struct latency *l, enum latency_kind kind)
{
  return atomic_load_explicit(&l->of[kind].n, memory_order_acquire);
}

size_t latency_levels(const struct latency *l, enum latency_kind kind,
                      struct level ret[LEVELS_MAX])
{
  const struct latency_point *of = l->of[kind].point;
  const size_t n = latency_points_of(l, kind);
  double ns[LEVELS_POINTS_MAX];
  size_t last = 0; /* point that counts; the first does */

  for (size_t i = 0; i < n; i++) {
    if (!latency_counts(&of[i]))
      continue;
    ns[i] = of[i].ns;
    for (size_t k = last + 1; k < i; k++)
      ns[k] = ns[last] *
              pow(ns[i] / ns[last], (double)(k - last) / (double)(i - last));
    last = i;
  }
  return levels_find(ns, n, ret);
}

static uint64_t latency_edge_bytes(const struct latency_point *points,
                                   const struct level *of)
{
  const double bytes = (double)points[of->edge].bytes;

  if (of->past == 0)
    return points[of->edge].bytes;
  return (uint64_t)(bytes *
                    pow((double)points[of->edge + 1].bytes / bytes, of->past));
}

bool latency_has_edge(const struct latency_point *points,
                      const struct level *levels, size_t n, uint64_t bytes)
{
  for (size_t i = 0; i + 1 < n; i++) {
    const double ratio = (double)latency_edge_bytes(points, &levels[i]) /
                         (double)bytes;

    if (ratio > EDGE_LOW && ratio < EDGE_HIGH)
      return true;
  }
  return false;
}

/* ---- text ---- */

static void latency_add_memory(struct strbuf *b, const struct latency *l)
{
  const char *start = "    memory:  ";

  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    if (latency_points_of(l, kind) == 0)
      continue;
    strbuf_adds(b, start);
    pages_describe(&l->of[kind].pages, kind == LATENCY_HUGE, b);
    strbuf_adds(b, "\n");
    start = "             ";
  }
}

static void latency_add_stairs(struct strbuf *b, const struct latency *l)
{
  char size[FMT_SIZE_SIZE];

  strbuf_addf(b, "\n    %10s", "size");
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    if (l->of[kind].wanted)
      strbuf_addf(b, " %9s pages", kind_words[kind]);
  }
  strbuf_adds(b, "   (ns per access)\n");
  for (size_t i = 0; i < l->n_points; i += LATENCY_PER_DOUBLING) {
    strbuf_addf(b, "    %10s", fmt_size(size, latency_size_at(i, 1)));
    for (int kind = 0; kind < LATENCY_KINDS; kind++) {
      if (!l->of[kind].wanted)
        continue;
      if (i < latency_points_of(l, kind) &&
          latency_counts(&l->of[kind].point[i]))
        strbuf_addf(b, " %15.2f", l->of[kind].point[i].ns);
      else
        strbuf_addf(b, " %15s", "-");
    }
    strbuf_adds(b, "\n");
  }
}

static void latency_add_levels(struct strbuf *b, const struct latency *l,
                               enum latency_kind kind)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  char size[FMT_SIZE_SIZE];

  if (n == 0)
    return;
  strbuf_addf(b, "    %5s pages: ", kind_words[kind]);
  for (size_t i = 0; i < n; i++) {
    strbuf_addf(b, "%s%.2f ns", i > 0 ? ", " : "", levels[i].ns);
    if (i + 1 < n || levels[i].edge + 1 < latency_points_of(l, kind))
      strbuf_addf(
        b, " up to %s",
        fmt_size(size, latency_edge_bytes(l->of[kind].point, &levels[i])));
  }
  if (levels[n - 1].edge + 1 < latency_points_of(l, kind))
    strbuf_adds(b, ", more beyond");
  else if (n > 1)
    strbuf_adds(b, " beyond");
  strbuf_adds(b, "\n");
}

static void latency_add_results(struct strbuf *b,
                                const struct report_setup *setup,
                                const struct report *r)
{
  const struct latency *l = setup->of_test;
  char size[FMT_SIZE_SIZE];

  (void)r;
  strbuf_adds(b, "Memory latency:\n");
  latency_add_memory(b, l);
  latency_add_stairs(b, l);
  strbuf_adds(b, "\nPlateaus:\n");
  latency_add_levels(b, l, LATENCY_HUGE);
  latency_add_levels(b, l, LATENCY_SMALL);
  strbuf_adds(b, "    the system reports caches of: ");
  for (unsigned i = 0; i < l->caches.n; i++)
    strbuf_addf(b, "%s%s", i > 0 ? ", " : "",
                fmt_size(size, l->caches.of[i].bytes));
  strbuf_adds(b, l->caches.n > 0 ? "\n" : "unknown sizes\n");
}

/* ---- files ---- */

static void latency_add_table(struct strbuf *b,
                              const struct report_setup *setup)
{
  const struct latency *l = setup->of_test;

  strbuf_adds(b, "pages,bytes,ns,median_ns,samples,dropped\n");
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    for (size_t i = 0; i < latency_points_of(l, kind); i++) {
      const struct latency_point *p = &l->of[kind].point[i];

      if (!latency_counts(p))
        continue;
      strbuf_addf(b, "%s,%" PRIu64 ",%.3f,%.3f,%u,%u\n", kind_words[kind],
                  p->bytes, p->ns, p->median, p->kept, p->dropped);
    }
  }
}

static void latency_add_points(const struct latency *l, enum latency_kind kind,
                               struct facts *to)
{
  const struct latency_stairs *stairs = &l->of[kind];
  const size_t n = latency_points_of(l, kind);
  char key[96];

  if (n == 0)
    return;
  facts_int(to, FIGURE_KEY(key, "latency.%s_pages.bytes", kind_words[kind]),
            (int64_t)stairs->pages.bytes);
  if (!stairs->pages.look_failed)
    facts_int(to,
              FIGURE_KEY(key, "latency.%s_pages.huge_bytes", kind_words[kind]),
              (int64_t)stairs->pages.in_huge);
  for (size_t i = 0; i < n; i++) {
    const struct latency_point *p = &stairs->point[i];

    if (!latency_counts(p))
      continue;
    facts_real(to,
               FIGURE_KEY(key, "latency.%s_pages.ns.%" PRIu64, kind_words[kind],
                          p->bytes),
               p->ns);
    if (i % LATENCY_PER_DOUBLING == 0)
      figure_add(to, FIGURE_NS, p->ns, "%s pages %" PRIu64 " KiB",
                 kind_words[kind], p->bytes / 1024);
  }
}

static void latency_add_plateaus(const struct latency *l,
                                 enum latency_kind kind, struct facts *to)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  char key[96];

  for (size_t i = 0; i < n; i++) {
    facts_real(to,
               FIGURE_KEY(key, "latency.%s_pages.plateaus.%zu.ns",
                          kind_words[kind], i + 1),
               levels[i].ns);
    if (i + 1 < n || levels[i].edge + 1 < latency_points_of(l, kind))
      facts_int(to,
                FIGURE_KEY(key, "latency.%s_pages.plateaus.%zu.bytes",
                           kind_words[kind], i + 1),
                (int64_t)latency_edge_bytes(l->of[kind].point, &levels[i]));
  }
}

static void latency_report_details(void *run, struct test_details *ret)
{
  const struct latency *l = run;
  char key[96];

  facts_text(&ret->test, "memory_test", "latency");
  facts_int(&ret->test, "latency.line_bytes", l->caches.line_bytes);
  for (unsigned i = 0; i < l->caches.n; i++)
    facts_int(
      &ret->test,
      FIGURE_KEY(key, "latency.claimed_caches.%u", l->caches.of[i].level),
      (int64_t)l->caches.of[i].bytes);
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    latency_add_points(l, kind, &ret->test);
    latency_add_plateaus(l, kind, &ret->test);
  }
}

/* ---- doubts ---- */

static void latency_describe_edges(struct strbuf *b, const struct latency *l,
                                   enum latency_kind kind)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  char size[FMT_SIZE_SIZE];

  for (size_t i = 0; i + 1 < n; i++)
    strbuf_addf(
      b, "%s%s",
      i == 0      ? ""
      : i + 2 < n ? ", "
                  : " and ",
      fmt_size(size, latency_edge_bytes(l->of[kind].point, &levels[i])));
  if (n < 2)
    strbuf_adds(b, "no size");
}

/* Only caches well within the measured range can be missed. */
static void latency_doubt_caches(const struct latency *l,
                                 enum latency_kind kind, struct warnings *to)
{
  struct level levels[LEVELS_MAX];
  const size_t n = latency_levels(l, kind, levels);
  const uint64_t reached =
    l->of[kind].point[latency_points_of(l, kind) - 1].bytes;
  struct strbuf edges = { 0 };
  char size[FMT_SIZE_SIZE];

  latency_describe_edges(&edges, l, kind);
  for (unsigned i = 0; i < l->caches.n; i++) {
    const uint64_t bytes = l->caches.of[i].bytes;

    if (bytes < 2 * (uint64_t)LATENCY_MIN_BYTES || bytes * 2 > reached ||
        latency_has_edge(l->of[kind].point, levels, n, bytes))
      continue;
    warnings_add(
      to, true, "cache_size",
      "the system reports a level %u cache of %s, but latencies rise "
      "at %s; caches shared with other machines or programs are "
      "smaller than they seem",
      l->caches.of[i].level, fmt_size(size, bytes), strbuf_str(&edges));
  }
  strbuf_done(&edges);
}

static size_t latency_counted(const struct latency *l, enum latency_kind kind)
{
  size_t n = 0;

  for (size_t i = 0; i < latency_points_of(l, kind); i++)
    n += latency_counts(&l->of[kind].point[i]);
  return n;
}

static void latency_doubt_points(const struct latency *l,
                                 enum latency_kind kind, struct warnings *to)
{
  const size_t n = latency_points_of(l, kind);
  char size[FMT_SIZE_SIZE];

  if (n == 0)
    warnings_add(to, true, "unfinished",
                 "latencies with %s pages were not measured, because the run "
                 "was over; give it more --time",
                 kind_words[kind]);
  else if (latency_counted(l, kind) < l->n_points)
    warnings_add(
      to, true, "unfinished",
      "latencies with %s pages were measured at %zu of %zu sizes, up "
      "to %s, because the time was too short for the others; give it "
      "more --time",
      kind_words[kind], latency_counted(l, kind), l->n_points,
      fmt_size(size, l->of[kind].point[n - 1].bytes));
}

static void latency_report_doubts(void *run, const struct report *total,
                                  struct warnings *to)
{
  const struct latency *l = run;
  bool looked = false;

  (void)total;
  for (int kind = 0; kind < LATENCY_KINDS; kind++) {
    const size_t n = latency_points_of(l, kind);

    if (!l->of[kind].wanted)
      continue;
    latency_doubt_points(l, kind, to);
    if (n > 0 && !looked && latency_counted(l, kind) == n)
      latency_doubt_caches(l, kind, to);
    looked = looked || n > 0;
  }
}

const struct report_form memory_latency_form = {
  .interval = form_interval_events,
  .results = latency_add_results,
  .table = latency_add_table,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .measures_times = true,
};

/* ---- the run ---- */

enum {
  POINT_LINES = 20000, /* share of a point, without its size */
  USUAL_LINE = 64,
  CACHES_TIMES = 4,
};

/* Share of the time for points; pages are touched in the rest. */
#define SHARE 0.7
/* A pass can take this multiple of the last one, over less memory. */
#define MARGIN 1.5

struct latency_thread {
  struct latency *run;
  unsigned line_bytes;
};

uint64_t latency_size_at(size_t i, unsigned line_bytes)
{
  const double bytes = LATENCY_MIN_BYTES *
                       exp2((double)i / LATENCY_PER_DOUBLING);

  return (uint64_t)(bytes / line_bytes + 1e-6) * line_bytes;
}

size_t latency_points_to(uint64_t bytes)
{
  size_t n = 0;

  while (n < LEVELS_POINTS_MAX && latency_size_at(n, 1) <= bytes)
    n++;
  return n;
}

/* Accesses of the passes for every `step`th point from `i` on. */
static double latency_lines_to_come(size_t i, size_t n_points, size_t step)
{
  double lines = 0;

  for (i = (i + step - 1) / step * step; i < n_points; i += step)
    lines += (double)(latency_size_at(i, 1) / USUAL_LINE);
  return lines;
}

size_t latency_next_point(size_t i, size_t n_points, double access_ns,
                          uint64_t left_ns)
{
  size_t step = 1;

  while (step < LATENCY_PER_DOUBLING &&
         MARGIN * access_ns * latency_lines_to_come(i, n_points, step) >
           (double)left_ns)
    step *= 2;
  return (i + step - 1) / step * step;
}

static int latency_choose_size(struct latency *l, struct err *err)
{
  const struct place_caches *c = &l->caches;
  char size[FMT_SIZE_SIZE];
  int rc = pages_choose(l->cfg, c->n > 0 ? c->of[c->n - 1].bytes : 0,
                        CACHES_TIMES, &l->bytes, err);

  if (rc < 0)
    return rc;
  l->n_points = latency_points_to(l->bytes);
  if (l->n_points > 0)
    return 0;
  return err_set(err, -EINVAL,
                 "Invalid value for --memory-size: %s (--memory-test=latency "
                 "needs at least 4 KiB)",
                 fmt_size(size, l->bytes));
}

static int latency_open(const struct plan *plan, const void *arg,
                        void **ret_run, struct err *err)
{
  const struct memory_cfg *cfg = arg;
  int rc = 0;
  struct latency *l = memory_new(plan, cfg, sizeof(*l), &rc, err);

  if (!l)
    return rc;
  l->plan = plan;
  l->cfg = cfg;
  place_find_cpus(&l->cpus);
  place_find_caches("", l->cpus.of[0], &l->caches);
  l->of[LATENCY_HUGE].wanted = cfg->pages != PAGES_SMALL;
  l->of[LATENCY_SMALL].wanted = cfg->pages != PAGES_HUGE;
  rc = latency_choose_size(l, err);
  if (rc < 0)
    free(l);
  else
    *ret_run = l;
  return rc;
}

static void latency_describe(void *arg)
{
  const struct latency *l = arg;
  char size[FMT_SIZE_SIZE];

  log_msg(LOG_NOTICE,
          "Running memory latency test with the following options:\n"
          "  memory: 4 KiB to %s, lines of %u bytes\n"
          "  CPU: %d\n\n",
          fmt_size(size, latency_size_at(l->n_points - 1, 1)),
          l->caches.line_bytes, l->cpus.of[0]);
}

static int latency_thread_open(void *arg, struct worker *w, void **ret_thr,
                               struct err *err)
{
  struct latency *l = arg;
  struct latency_thread *t;
  int rc = place_pin(l->cpus.of[0], "--memory-test", err);

  (void)w;
  if (rc < 0)
    return rc;
  t = calloc(1, sizeof(*t));
  if (!t)
    return err_set(err, -ENOMEM, "cannot allocate a thread's state");
  t->run = l;
  t->line_bytes = l->caches.line_bytes;
  *ret_thr = t;
  return 0;
}

static double latency_weight(size_t i)
{
  return (double)(POINT_LINES + latency_size_at(i, 1) / USUAL_LINE);
}

/* A part of the time until then; 0: the moment has come. */
static uint64_t latency_left_of(uint64_t until_ns, double part)
{
  const uint64_t now_ns = clock_now_ns();

  return now_ns < until_ns ? (uint64_t)(part * (double)(until_ns - now_ns)) : 0;
}

/* A whole pass, which may exceed the point's share of the time, and samples.
 * *access_ns: of an access in the pass. False: no time. */
static bool latency_make_point(struct chase *c, struct worker *w,
                               uint64_t until_ns, double share,
                               struct latency_point *p, double *access_ns)
{
  const uint64_t begin_ns = clock_now_ns();
  const uint64_t end_ns = begin_ns + latency_left_of(until_ns, share);

  if (worker_is_over(w) || !latency_warm(c, latency_left_of(until_ns, 1)))
    return false;
  *access_ns = (double)(clock_now_ns() - begin_ns) / (double)c->lines;
  return latency_measure(c, w, latency_left_of(end_ns, 1), p);
}

static void latency_climb(struct latency_thread *t,
                          struct latency_stairs *stairs, struct worker *w,
                          uint64_t until_ns)
{
  const struct latency *l = t->run;
  double weights = 0, access_ns = 0;
  struct chase c;

  for (size_t i = 0; i < l->n_points; i++) {
    weights += latency_weight(i);
    stairs->point[i] = (struct latency_point){
      .bytes = latency_size_at(i, t->line_bytes), .ns = NAN, .median = NAN
    };
  }
  chase_init(&c, stairs->pages.at, t->line_bytes, l->plan->seed);
  for (size_t i = 0; i < l->n_points; i++) {
    const size_t next = latency_next_point(i, l->n_points, access_ns,
                                           latency_left_of(until_ns, 1));

    for (; i < next && i + 1 < l->n_points; i++)
      weights -= latency_weight(i);
    chase_grow(&c, stairs->point[i].bytes / t->line_bytes);
    if (!latency_make_point(&c, w, until_ns, latency_weight(i) / weights,
                            &stairs->point[i], &access_ns))
      return;
    weights -= latency_weight(i);
    atomic_store_explicit(&stairs->n, i + 1, memory_order_release);
  }
}

static int latency_loop(void *thr, struct worker *w, struct err *err)
{
  struct latency_thread *t = thr;
  struct latency *l = t->run;
  const bool more = latency_await_measured(w);
  const uint64_t all_ns = test_time_ns(l->plan);
  const uint64_t end_ns = clock_now_ns() + (uint64_t)((double)all_ns * SHARE);
  unsigned to_come = l->of[LATENCY_HUGE].wanted + l->of[LATENCY_SMALL].wanted;

  for (int kind = 0; more && kind < LATENCY_KINDS && !worker_is_over(w);
       kind++) {
    struct latency_stairs *stairs = &l->of[kind];
    int rc;

    if (!stairs->wanted)
      continue;
    rc = pages_map(&stairs->pages, l->bytes, kind == LATENCY_HUGE, -1, err);
    if (rc < 0)
      return rc;
    pages_touch(&stairs->pages);
    latency_climb(t, stairs, w,
                  clock_now_ns() + latency_left_of(end_ns, 1.0 / to_come--));
    pages_unmap(&stairs->pages);
  }
  return 0;
}

const struct test_ops memory_latency_ops = {
  .open = latency_open,
  .setup = test_setup_run,
  .describe = latency_describe,
  .close = free,
  .thread_open = latency_thread_open,
  .thread_close = free,
  .loop = latency_loop,
  .details = latency_report_details,
  .warnings = latency_report_doubts,
};
