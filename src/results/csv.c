/*
 * csv.c - one line of comma-separated values per interval, or the table of a
 * test whose results are no series.
 *
 * All tests have the same columns, so that files of several runs can be joined.
 * Only additional percentiles, and what one test alone has, have columns of
 * their own, at the end.
 */
#include "results/csv.h"

#include <math.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "monitor/monitor.h"
#include "report/form.h"
#include "report/marks.h"
#include "results/jobj.h"
#include "results/shared.h"
#include "stats/report.h"

static const double usual[] = { 50, 75, 90, 95, 99, 99.9, 99.99 };

static void add_name(struct strbuf *b, double pct)
{
  char text[FMT_DOUBLE_SIZE];

  strbuf_addf(b, ",latency_p%s_ns", fmt_shortest(text, pct));
}

static bool is_among(const double *of, size_t n, double pct)
{
  for (size_t i = 0; i < n; i++) {
    if (of[i] == pct)
      return true;
  }
  return false;
}

/* Does number i of --percentiles have a column at the end, and none before? */
static bool has_column(const struct report_setup *setup, size_t i)
{
  const double pct = setup->percentiles[i];

  return !is_among(usual, ARRAY_SIZE(usual), pct) &&
         !is_among(setup->percentiles, i, pct);
}

/* The name of a column that only this test has; NULL: that were all. */
static const char *own_column(const struct report_setup *setup, unsigned i)
{
  return setup->form && setup->form->column ? setup->form->column(setup, i)
                                            : NULL;
}

static void add_own(struct strbuf *b, const struct report_setup *setup,
                    const struct report *r)
{
  for (unsigned i = 0; own_column(setup, i); i++) {
    const double value = setup->form->value(setup, r, i);

    if (isfinite(value))
      strbuf_addf(b, ",%.4f", value);
    else
      strbuf_adds(b, ",");
  }
}

static void add_server_names(struct strbuf *b, const struct monitor *m)
{
  for (int f = 0; f < SERVER_FIGURES && monitor_servers(m) > 0; f++)
    strbuf_addf(b, ",server_%s", figures_info[f].name);
}

/* The sum over the servers of what is counted, and the highest level. */
static bool of_servers(struct monitor *m, enum server_figure f, double *ret)
{
  bool known = false;

  *ret = 0;
  for (unsigned i = 0; i < monitor_servers(m); i++) {
    const struct server_reading *r;
    struct server_interval did;

    monitor_interval(m, i, &did);
    r = did.known ? &did.did : &did.seen;
    if (!r->has[f])
      continue;
    known = true;
    if (figures_info[f].kind == SERVER_COUNT)
      *ret += r->value[f];
    else
      *ret = fmax(*ret, r->value[f]);
  }
  return known;
}

static void add_servers(struct strbuf *b, struct monitor *m)
{
  double value;

  for (int f = 0; f < SERVER_FIGURES && monitor_servers(m) > 0; f++) {
    if (!of_servers(m, (enum server_figure)f, &value))
      strbuf_adds(b, ",");
    else if (figures_info[f].kind == SERVER_COUNT)
      strbuf_addf(b, ",%.0f", value);
    else
      strbuf_addf(b, ",%.4f", value);
  }
}

/* The marks of the interval, as one quoted text. */
static void add_marks(struct strbuf *b, const struct results_shared *s)
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

/* The members of a mix. */
static void add_member_names(struct strbuf *b, const struct report_setup *setup)
{
  static const char *const columns[] = { "events",         "errors",
                                         "reconnects",     "latency_mean_ns",
                                         "latency_p50_ns", "latency_p95_ns",
                                         "latency_p99_ns", "latency_max_ns" };

  for (unsigned i = 0; i < setup->n_members; i++) {
    for (size_t k = 0; k < ARRAY_SIZE(columns); k++)
      strbuf_addf(b, ",member_%s_%s", setup->members[i].name, columns[k]);
  }
}

void csv_header(struct strbuf *b, const struct report_setup *setup,
                const struct results_shared *shared)
{
  strbuf_adds(b, "elapsed_s,period_s,partial,threads_running,events,"
                 "events_per_s,reads,writes,others,read_bytes,written_bytes,"
                 "errors,reconnects,queue_length,concurrency,latency_min_ns,"
                 "latency_mean_ns,latency_max_ns");
  for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
    add_name(b, usual[i]);
  strbuf_adds(b, ",cpu_user_ratio,cpu_system_ratio,cpu_iowait_ratio,"
                 "cpu_idle_ratio,context_switches_per_s,disk_reads,disk_writes,"
                 "disk_read_bytes,disk_written_bytes,disk_utilisation_ratio,"
                 "network_received_bytes,network_sent_bytes,arrivals,"
                 "offered_per_s,stalled_s");
  for (unsigned i = 0; i < setup->n_percentiles; i++) {
    if (has_column(setup, i))
      add_name(b, setup->percentiles[i]);
  }
  for (unsigned i = 0; own_column(setup, i); i++)
    strbuf_addf(b, ",%s", own_column(setup, i));
  add_server_names(b, shared->monitor);
  add_member_names(b, setup);
  if (shared->marks)
    strbuf_adds(b, ",marks");
  strbuf_adds(b, "\n");
}

static void add_int(struct strbuf *b, uint64_t value)
{
  strbuf_addf(b, ",%llu", (unsigned long long)value);
}

static void add_members(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  static const double percentiles[] = { 50, 95, 99 };
  static const struct class_report nothing = { .name = "" };

  for (unsigned i = 0; i < setup->n_members; i++) {
    const struct class_report *m = i < r->members.n ? &r->members.of[i]
                                                    : &nothing;

    add_int(b, m->count);
    add_int(b, m->errors);
    add_int(b, m->reconnects);
    strbuf_addf(b, ",%.1f",
                m->count > 0 ? (double)m->sum_ns / (double)m->count : 0.0);
    for (size_t k = 0; k < ARRAY_SIZE(percentiles); k++)
      add_int(b, class_percentile(m, percentiles[k]));
    add_int(b, m->max_ns);
  }
}

static void add_system(struct strbuf *b, const struct system_use *u)
{
  if (u->has_cpu)
    strbuf_addf(b, ",%.4f,%.4f,%.4f,%.4f,%.1f", u->user, u->system, u->iowait,
                u->idle, u->switches_per_s);
  else
    strbuf_adds(b, ",,,,,");
  if (u->has_disk) {
    add_int(b, u->reads);
    add_int(b, u->writes);
    add_int(b, u->read_bytes);
    add_int(b, u->written_bytes);
    strbuf_addf(b, ",%.4f", u->busy);
  } else {
    strbuf_adds(b, ",,,,,");
  }
  if (u->has_net) {
    add_int(b, u->received_bytes);
    add_int(b, u->sent_bytes);
  } else {
    strbuf_adds(b, ",,");
  }
}

void csv_interval(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r, const struct results_shared *shared)
{
  strbuf_addf(b, "%.3f,%.6f,%d,%u", jobj_seconds(r->elapsed_ns),
              jobj_seconds(r->period_ns), r->partial, r->threads_running);
  add_int(b, r->events);
  strbuf_addf(b, ",%.4f", report_rate(r, r->events));
  add_int(b, r->counter[COUNTER_READ]);
  add_int(b, r->counter[COUNTER_WRITE]);
  add_int(b, r->counter[COUNTER_OTHER]);
  add_int(b, r->counter[COUNTER_BYTES_READ]);
  add_int(b, r->counter[COUNTER_BYTES_WRITTEN]);
  add_int(b, r->counter[COUNTER_ERROR]);
  add_int(b, r->counter[COUNTER_RECONNECT]);
  if (setup->rate) {
    add_int(b, r->queue_length);
    add_int(b, r->concurrency);
  } else {
    strbuf_adds(b, ",,");
  }
  add_int(b, r->min_ns);
  strbuf_addf(b, ",%.1f",
              r->events > 0 ? (double)r->sum_ns / (double)r->events : 0.0);
  add_int(b, r->max_ns);
  for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
    add_int(b, report_percentile(r, usual[i]));
  add_system(b, &shared->sys);
  if (setup->rate) {
    add_int(b, r->arrivals);
    strbuf_addf(b, ",%.4f", report_offered_rate(r));
  } else {
    strbuf_adds(b, ",,");
  }
  if (r->has_stalled)
    strbuf_addf(b, ",%.6f", jobj_seconds(r->stalled_ns));
  else
    strbuf_adds(b, ",");
  for (unsigned i = 0; i < setup->n_percentiles; i++) {
    if (has_column(setup, i))
      add_int(b, report_percentile(r, setup->percentiles[i]));
  }
  add_own(b, setup, r);
  add_servers(b, shared->monitor);
  add_members(b, setup, r);
  if (shared->marks)
    add_marks(b, shared);
  strbuf_adds(b, "\n");
}

/* Put the content of the buffer to the file, and free the buffer. */
static int put(struct csv *c, struct strbuf *b, struct err *err)
{
  int rc = b->failed ? results_no_memory(err)
                     : outfile_put(&c->file, b->text, b->len, err);

  strbuf_done(b);
  return rc;
}

static bool has_table(const struct report_setup *setup)
{
  return setup->form && setup->form->table;
}

static int on_begin(void *ctx, const struct report_setup *setup,
                    struct err *err)
{
  struct strbuf b = { 0 };

  if (has_table(setup))
    return 0;
  csv_header(&b, setup, ((struct csv *)ctx)->shared);
  return put(ctx, &b, err);
}

static int on_interval(void *ctx, const struct report_setup *setup,
                       const struct report *r, struct err *err)
{
  struct csv *c = ctx;
  struct strbuf b = { 0 };

  if (has_table(setup))
    return 0;
  csv_interval(&b, setup, r, c->shared);
  return put(c, &b, err);
}

static int on_final(void *ctx, const struct report_setup *setup,
                    const struct report *r, struct err *err)
{
  struct strbuf b = { 0 };

  (void)r;
  if (!has_table(setup))
    return 0;
  setup->form->table(&b, setup);
  return put(ctx, &b, err);
}

static int on_end(void *ctx, struct err *err)
{
  return outfile_close(&((struct csv *)ctx)->file, err);
}

const struct reporter csv_reporter = {
  .name = "csv",
  .begin = on_begin,
  .interval = on_interval,
  .final = on_final,
  .end = on_end,
};
