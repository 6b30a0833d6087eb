/*
 * csv.c - see csv.h.
 *
 * All tests have the same columns, so that files can be joined.  More
 * percentiles and the test's own columns come last.
 */
#include "results/csv.h"

#include <math.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "report/form.h"
#include "report/marks.h"
#include "results/figures.h"
#include "results/shared.h"
#include "stats/report.h"

static struct strbuf *csv_next(struct strbuf *b)
{
  if (b->len > 0 && b->text[b->len - 1] != '\n')
    strbuf_adds(b, ",");
  return b;
}

static void csv_percentile_name(struct strbuf *b, double pct)
{
  char text[FMT_DOUBLE_SIZE];

  strbuf_addf(csv_next(b), "latency_p%s_ns", fmt_shortest(text, pct));
}

/* Not a column already? */
static bool csv_has_column(const struct report_setup *setup, size_t i)
{
  const double pct = setup->percentiles[i];

  for (size_t k = 0; k < FIGURES_USUAL; k++) {
    if (figures_usual[k] == pct)
      return false;
  }
  for (size_t k = 0; k < i; k++) {
    if (setup->percentiles[k] == pct)
      return false;
  }
  return true;
}

static const char *csv_own_column(const struct report_setup *setup, unsigned i)
{
  return setup->form && setup->form->column ? setup->form->column(setup, i)
                                            : NULL;
}

static void csv_int(struct strbuf *b, uint64_t value)
{
  strbuf_addf(csv_next(b), "%llu", (unsigned long long)value);
}

static void csv_real(struct strbuf *b, int decimals, double value)
{
  (void)csv_next(b);
  if (isfinite(value))
    strbuf_addf(b, "%.*f", decimals, value);
}

/* Of several servers: sum of counters, maximum of levels. */
static void csv_servers(struct strbuf *b, struct monitor *m)
{
  for (int f = 0; f < SERVER_METRICS && monitor_servers(m) > 0; f++) {
    const bool counted = server_metrics_info[f].kind == SERVER_COUNT;
    double value = NAN;

    for (unsigned i = 0; i < monitor_servers(m); i++) {
      const struct server_reading *r;
      struct server_interval did;

      monitor_interval(m, i, &did);
      r = did.known ? &did.did : &did.seen;
      if (!r->has[f])
        continue;
      if (isnan(value))
        value = 0;
      value = counted ? value + r->value[f] : fmax(value, r->value[f]);
    }
    csv_real(b, counted ? 0 : 4, value);
  }
}

static void csv_marks(struct strbuf *b, const struct results_shared *s)
{
  strbuf_adds(b, ",\"");
  for (unsigned i = s->marks_from; i < s->marks_to; i++) {
    strbuf_addf(b, "%s%.3f ", i > s->marks_from ? "; " : "",
                mark_at_s(s->marks, i));
    for (const char *c = mark_text(s->marks, i); *c; c++)
      strbuf_add(b, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  }
  strbuf_adds(b, "\"");
}

static const char *const csv_member_columns[] = {
  "events",         "errors",         "reconnects",     "latency_mean_ns",
  "latency_p50_ns", "latency_p95_ns", "latency_p99_ns", "latency_max_ns"
};

static void csv_members(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  static const struct class_report nothing = { .name = "" };

  for (unsigned i = 0; i < setup->n_members; i++) {
    const struct class_report *m = i < r->members.n ? &r->members.of[i]
                                                    : &nothing;

    csv_int(b, m->count);
    csv_int(b, m->errors);
    csv_int(b, m->reconnects);
    csv_real(b, 1, m->count > 0 ? (double)m->sum_ns / (double)m->count : 0.0);
    csv_int(b, class_percentile(m, 50));
    csv_int(b, class_percentile(m, 95));
    csv_int(b, class_percentile(m, 99));
    csv_int(b, m->max_ns);
  }
}

void csv_header(struct strbuf *b, const struct report_setup *setup,
                const struct results_shared *shared)
{
  FOR_EACH_FIGURE(f)
  {
    if (f->column)
      strbuf_adds(csv_next(b), f->column);
    for (size_t i = 0; f->source == FIGURE_PERCENTILES && i < FIGURES_USUAL;
         i++)
      csv_percentile_name(b, figures_usual[i]);
  }
  for (unsigned i = 0; i < setup->n_percentiles; i++) {
    if (csv_has_column(setup, i))
      csv_percentile_name(b, setup->percentiles[i]);
  }
  for (unsigned i = 0; csv_own_column(setup, i); i++)
    strbuf_addf(b, ",%s", csv_own_column(setup, i));
  for (int f = 0; f < SERVER_METRICS && monitor_servers(shared->monitor) > 0;
       f++)
    strbuf_addf(b, ",server_%s", server_metrics_info[f].name);
  for (unsigned i = 0; i < setup->n_members; i++) {
    for (size_t k = 0; k < ARRAY_SIZE(csv_member_columns); k++)
      strbuf_addf(b, ",member_%s_%s", setup->members[i].name,
                  csv_member_columns[k]);
  }
  if (shared->marks)
    strbuf_adds(b, ",marks");
  strbuf_adds(b, "\n");
}

void csv_interval(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r, const struct results_shared *shared)
{
  FOR_EACH_FIGURE(f)
  {
    if (f->column)
      csv_real(b, f->decimals, figure_value(f, r, setup, &shared->sys));
    for (size_t i = 0; f->source == FIGURE_PERCENTILES && i < FIGURES_USUAL;
         i++)
      csv_int(b, report_percentile(r, figures_usual[i]));
  }
  for (unsigned i = 0; i < setup->n_percentiles; i++) {
    if (csv_has_column(setup, i))
      csv_int(b, report_percentile(r, setup->percentiles[i]));
  }
  for (unsigned i = 0; csv_own_column(setup, i); i++)
    csv_real(b, 4, setup->form->value(setup, r, i));
  csv_servers(b, shared->monitor);
  csv_members(b, setup, r);
  if (shared->marks)
    csv_marks(b, shared);
  strbuf_adds(b, "\n");
}

/* Frees the buffer. */
static int csv_put(struct csv *c, struct strbuf *b, struct err *err)
{
  int rc = b->failed ? results_no_memory(err)
                     : outfile_put(&c->file, b->text, b->len, err);

  strbuf_done(b);
  return rc;
}

static bool csv_has_table(const struct report_setup *setup)
{
  return setup->form && setup->form->table;
}

static int csv_on_begin(void *ctx, const struct report_setup *setup,
                        struct err *err)
{
  struct strbuf b = { 0 };

  if (csv_has_table(setup))
    return 0;
  csv_header(&b, setup, ((struct csv *)ctx)->shared);
  return csv_put(ctx, &b, err);
}

static int csv_on_interval(void *ctx, const struct report_setup *setup,
                           const struct report *r, struct err *err)
{
  struct csv *c = ctx;
  struct strbuf b = { 0 };

  if (csv_has_table(setup))
    return 0;
  csv_interval(&b, setup, r, c->shared);
  return csv_put(c, &b, err);
}

static int csv_on_final(void *ctx, const struct report_setup *setup,
                        const struct report *r, struct err *err)
{
  struct strbuf b = { 0 };

  (void)r;
  if (!csv_has_table(setup))
    return 0;
  setup->form->table(&b, setup);
  return csv_put(ctx, &b, err);
}

static int csv_on_end(void *ctx, struct err *err)
{
  return outfile_close(&((struct csv *)ctx)->file, err);
}

const struct reporter csv_reporter = {
  .name = "csv",
  .begin = csv_on_begin,
  .interval = csv_on_interval,
  .final = csv_on_final,
  .end = csv_on_end,
};
