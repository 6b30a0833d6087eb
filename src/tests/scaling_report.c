/*
 * scaling_report.c - the reports of tests that measure how works scale.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/facts.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/life.h"
#include "report/warnings.h"
#include "stats/report.h"
#include "tests/scaling.h"

/* A second hardware thread that does less than this is in the way. */
#define HELPS 0.98
/* N threads cannot do more than N times the work of one; measured rates differ
 * by some percent. */
#define IMPOSSIBLE 1.1

enum {
  KEY_SIZE = 96,
};

/* What a level is compared with: hardware threads with one thread per core. */
static enum scaling_level base_of(enum scaling_level level)
{
  return level == SCALING_ALL ? SCALING_CORES : SCALING_ONE;
}

/* ---- text ---- */

static void add_head(struct strbuf *b, const struct scaling *s)
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

/* "-" where nothing was measured. */
static void add_number(struct strbuf *b, int width, int decimals, double value)
{
  if (isfinite(value))
    strbuf_addf(b, " %*.*f", width, decimals, value);
  else
    strbuf_addf(b, " %*s", width, "-");
}

static void scaling_results(struct strbuf *b, const struct report_setup *setup,
                            const struct report *r)
{
  const struct scaling *s = setup->of_test;

  (void)r;
  add_head(b, s);
  for (unsigned i = 0; i < s->works; i++) {
    strbuf_addf(b, "    %-12s", s->work[i].name);
    for (int k = 0; k < SCALING_LEVELS; k++) {
      const enum scaling_level level = (enum scaling_level)k;
      double rate;

      if (!s->level[k])
        continue;
      rate = scaling_rate(s, i, level) / s->kind->unit;
      add_number(b, 12, rate < 1e5 ? 2 : 0, rate);
      if (k > 0)
        add_number(b, 7, 2, scaling_ratio(s, i, level, base_of(level)));
    }
    strbuf_adds(b, "\n");
  }
  if (s->topology.cpus == 1)
    strbuf_adds(b, "\n    This process may run on one processor only: nothing "
                   "can scale.\n");
  else if (!s->level[SCALING_ALL])
    strbuf_adds(b, "\n    The system reports no second hardware thread of a "
                   "core that may be used.\n");
  else if (!s->level[SCALING_CORES])
    strbuf_adds(b, "\n    All processors that may be used are hardware threads "
                   "of one core.\n");
}

/* ---- files ---- */

/* Empty where nothing was measured. */
static void add_cell(struct strbuf *b, double value, int decimals)
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
    add_cell(b, scaling_rate(s, i, SCALING_ONE), 0);
    add_cell(b, scaling_rate(s, i, SCALING_CORES), 0);
    add_cell(b, scaling_ratio(s, i, SCALING_CORES, SCALING_ONE), 4);
    add_cell(b, scaling_rate(s, i, SCALING_ALL), 0);
    add_cell(b, scaling_ratio(s, i, SCALING_ALL, SCALING_CORES), 4);
    strbuf_addf(
      b, ",%u\n",
      atomic_load_explicit(&s->cell[i][SCALING_ONE].n, memory_order_acquire));
  }
}

static const char *key_of(char key[KEY_SIZE], const char *fmt, ...)
  PRINTF_LIKE(2, 3);

static const char *key_of(char key[KEY_SIZE], const char *fmt, ...)
{
  va_list ap;

  va_start(ap, fmt);
  (void)vsnprintf(key, KEY_SIZE, fmt, ap);
  va_end(ap);
  return key;
}

/* Add a figure for comparisons of runs. */
static void add_figure(struct facts *to, const char *work, const char *name,
                       const char *unit, double value)
{
  char key[KEY_SIZE];

  if (!isfinite(value))
    return;
  facts_real(to, key_of(key, "figures.%s %s.value", work, name), value);
  facts_text(to, key_of(key, "figures.%s %s.unit", work, name), unit);
}

static void add_work(struct facts *to, const struct scaling *s, unsigned i)
{
  static const char *const rates[] = { "1 thread", "per core", "all threads" };
  static const char *const ratios[] = { NULL, "core ratio", "SMT ratio" };
  static const char *const keys[] = { "one", "cores", "all" };
  static const char *const ratio_keys[] = { NULL, "cores_ratio", "smt_ratio" };
  const char *name = s->work[i].name;
  char key[KEY_SIZE];

  for (int k = 0; k < SCALING_LEVELS; k++) {
    const enum scaling_level level = (enum scaling_level)k;
    const double rate = scaling_rate(s, i, level);
    const double ratio = scaling_ratio(s, i, level, base_of(level));

    if (!s->level[k] || !isfinite(rate))
      continue;
    facts_real(to, key_of(key, "scaling.of.%s.%s_per_s", name, keys[k]), rate);
    add_figure(to, name, rates[k], s->kind->figure, rate);
    if (!ratios[k] || !isfinite(ratio))
      continue;
    facts_real(to, key_of(key, "scaling.of.%s.%s", name, ratio_keys[k]), ratio);
    add_figure(to, name, ratios[k], "ratio", ratio);
  }
  facts_int(
    to, key_of(key, "scaling.of.%s.samples", name),
    atomic_load_explicit(&s->cell[i][SCALING_ONE].n, memory_order_acquire));
  if (s->work[i].code)
    facts_text(to, key_of(key, "code.%s", name), s->work[i].code);
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
    add_work(&ret->test, s, i);
}

/* ---- warnings ---- */

/* The work with the smallest ratio of a level; false: none was measured. */
static bool find_worst(const struct scaling *s, enum scaling_level level,
                       unsigned *ret_work, double *ret_ratio)
{
  bool found = false;

  for (unsigned i = 0; i < s->works && s->level[level]; i++) {
    const double ratio = scaling_ratio(s, i, level, base_of(level));

    if (!isfinite(ratio) || (found && ratio >= *ret_ratio))
      continue;
    found = true;
    *ret_work = i;
    *ret_ratio = ratio;
  }
  return found;
}

/* Warn about the first ratio of a level that no machine reaches; false: there
 * is none. */
static bool doubt_impossible(const struct scaling *s, enum scaling_level level,
                             struct warnings *to)
{
  const unsigned threads = scaling_threads(s, level);
  const unsigned base = scaling_threads(s, base_of(level));

  for (unsigned i = 0; i < s->works && s->level[level]; i++) {
    const double ratio = scaling_ratio(s, i, level, base_of(level));

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

static bool is_unfinished(const struct scaling *s)
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
  if (is_unfinished(s))
    warnings_add(to, true, "unfinished",
                 "not all works were measured with all numbers of threads, "
                 "because the run was over; give it more --time");
  if (s->quota_cpus > 0 && s->quota_cpus < t->cpus) {
    warnings_add(to, true, "scaling_quota",
                 "the control group of bench may use %.4g of the %u hardware "
                 "threads, so the ratios are those of the quota (cpu.max)",
                 s->quota_cpus, t->cpus);
    return;
  }
  if (doubt_impossible(s, SCALING_CORES, to) ||
      doubt_impossible(s, SCALING_ALL, to))
    return;
  if (find_worst(s, SCALING_CORES, &work, &ratio) &&
      ratio < s->kind->scales * t->cores)
    warnings_add(
      to, true, "scaling",
      "%u threads, one per core, do %.2f times the work of one (%s): "
      "other programs are at work, or these are not whole cores "
      "(hardware threads that the host sells as cores), or they share "
      "power or caches",
      t->cores, ratio, s->work[work].name);
  if (find_worst(s, SCALING_ALL, &work, &ratio) && ratio < HELPS)
    warnings_add(
      to, true, "smt",
      "one thread per hardware thread does %.2f times the work of one "
      "per core (%s): for such work use no more than %u threads",
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
