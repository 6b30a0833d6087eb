#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "report/form.h"
#include "report/grid.h"
#include "report/text_num.h"
#include "stats/hist_sum.h"
#include "stats/outage_report.h"
#include "stats/report.h"
#include "stats/storm_report.h"

/* ---- the options of a run ---- */

static void text_checkpoints(struct strbuf *b, const struct text_mode *m)
{
  if (m->n_checkpoints == 0)
    return;
  strbuf_adds(b, "Report checkpoint(s) at ");
  for (size_t i = 0; i < m->n_checkpoints; i++)
    strbuf_addf(b, "%s%" PRIu64, i ? ", " : "", m->checkpoints[i]);
  strbuf_adds(b, " seconds\n");
}

void text_mode(struct strbuf *b, const struct text_mode *m)
{
  char number[FMT_DOUBLE_SIZE];

  strbuf_adds(b, "Running the test with following options:\n");
  if (m->carriers > 0)
    strbuf_addf(b, "Number of clients: %u on %u thread%s\n", m->threads,
                m->carriers, fmt_plural(m->carriers));
  else
    strbuf_addf(b, "Number of threads: %u\n", m->threads);
  if (m->idle > 0)
    strbuf_addf(b, "Idle clients: %u\n", m->idle);
  if (m->storm)
    strbuf_addf(b, "Storms of clients: %s\n", m->storm);
  if (m->warmup_s > 0)
    strbuf_addf(b, "Warmup time: %" PRIu64 "s\n", m->warmup_s);
  if (m->rate > 0.0)
    strbuf_addf(b, "Target transaction rate: %s/sec\n",
                fmt_shortest(number, m->rate));
  if (m->profile && *m->profile)
    strbuf_addf(b, "Load profile: %s\n", m->profile);
  if (m->interval_s > 0.0)
    strbuf_addf(b, "Report intermediate results every %s second(s)\n",
                fmt_shortest(number, m->interval_s));
  text_checkpoints(b, m);
  if (m->debug)
    strbuf_adds(b, "Debug mode enabled.\n\n");
  if (m->validate)
    strbuf_adds(b, "Validation checks: on.\n\n");
  if (m->seed == 0)
    strbuf_adds(b, "Initializing random number generator from current time\n");
  else
    strbuf_addf(
      b, "Initializing random number generator from seed (%" PRId64 ").\n",
      m->seed);
  strbuf_adds(b, "\n");
  if (m->forced)
    strbuf_addf(b, "Forcing shutdown in %" PRIu64 " seconds\n", m->forced_s);
  if (m->extra && *m->extra)
    strbuf_addf(b, "%s\n", m->extra);
  strbuf_adds(b, "\n");
}

/* ---- lines during a run ---- */

static void text_add_time(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r)
{
  strbuf_addf(b, "[ %.*fs ] ", (int)setup->interval_decimals,
              text_s(r->elapsed_ns));
}

/* For parsers, only one of the forms has a comma. */
static void text_add_queue(struct strbuf *b, const struct report_setup *setup,
                           const struct report *r)
{
  const char *mark = r->form->queue_mark;

  if (!setup->rate || !mark)
    return;
  text_add_time(b, setup, r);
  strbuf_addf(b, "queue length: %" PRIu64 "%s concurrency: %" PRIu64,
              r->queue_length, mark, r->concurrency);
  if (setup->profile)
    strbuf_addf(b, ", offered: %.2f/s", report_offered_rate(r));
  strbuf_adds(b, "\n");
}

void text_interval(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r)
{
  char percentile[FMT_DOUBLE_SIZE];

  (void)fmt_shortest(percentile, setup->percentile);
  text_add_time(b, setup, r);
  r->form->interval(b, setup, r, percentile);
  text_add_queue(b, setup, r);
}

void text_checkpoint_header(struct strbuf *b, const struct report *r)
{
  strbuf_addf(b, "[ %.0fs ] Checkpoint report:\n", text_s(r->elapsed_ns));
}

/* ---- cumulative reports ---- */

void text_results(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r)
{
  if (r->form->results)
    r->form->results(b, setup, r);
}

static void text_add_general(struct strbuf *b, const struct report_setup *setup,
                             const struct report *r)
{
  if (setup->layout_1_1)
    strbuf_addf(b,
                "\n"
                "Throughput:\n"
                "    events/s (eps):                      %.4f\n"
                "    time elapsed:                        %.4fs\n",
                report_rate(r, r->events), text_s(r->elapsed_ns));
  else
    strbuf_addf(b,
                "\n"
                "General statistics:\n"
                "    total time:                          %.4fs\n",
                text_s(r->elapsed_ns));
  strbuf_addf(b, "    total number of events:              %" PRIu64 "\n\n",
              r->events);
}

struct text_latency_columns {
  int gap;       /* behind "min:" */
  int width;     /* numbers of that line */
  int pct_gap;   /* before the percentile */
  int pct_width; /* with a label of three characters at most */
};

static const struct text_latency_columns text_latency_usual = { 1, 39, 1, 27 };
static const struct text_latency_columns text_latency_brief = { 28, 10, 16,
                                                                10 };

static void text_add_latency_percentile(struct strbuf *b,
                                        const struct text_latency_columns *col,
                                        const struct report_setup *setup,
                                        const struct report *r)
{
  char label[FMT_DOUBLE_SIZE];
  int beyond, width;

  if (!(setup->percentile > 0.0)) {
    strbuf_adds(b, "         percentile stats:               disabled\n");
    return;
  }
  beyond = (int)strlen(fmt_shortest(label, setup->percentile)) - 3;
  width = col->pct_width - (beyond > 0 ? beyond : 0);
  if (width < 0) /* a negative width would align left */
    width = 0;
  strbuf_addf(b, "        %3sth percentile:%*s%*.2f\n", label, col->pct_gap, "",
              width, text_ms(r->percentile_ns));
}

/* Parsers of sysbench's text search for a colon and for "percentile": avoid
 * both. */
static void text_add_usual_percentiles(struct strbuf *b,
                                       const struct report_setup *setup,
                                       const struct report *r)
{
  const char *before = "         ";
  char label[FMT_DOUBLE_SIZE];

  if (setup->as_sysbench || setup->n_percentiles > 0 || !r->hist)
    return;
  for (size_t i = 0; i < REPORT_USUAL; i++) {
    if (r->events == 0 || hist_is_beyond(r->events, report_usual[i]))
      break;
    strbuf_addf(b, "%sp%s %.2f", before, fmt_shortest(label, report_usual[i]),
                text_ms(report_percentile(r, report_usual[i])));
    before = ", ";
  }
  if (*before == ',')
    strbuf_adds(b, "\n");
}

static void text_add_latency(struct strbuf *b, const struct report_setup *setup,
                             const struct report *r)
{
  const struct text_latency_columns *col = setup->layout_1_1 &&
                                               r->form->is_brief_1_1
                                             ? &text_latency_brief
                                             : &text_latency_usual;
  const double sum_ms = text_ms(r->sum_ns);
  const double avg_ms = r->events ? sum_ms / (double)r->events : 0.0;

  strbuf_adds(b, "Latency (ms):\n");
  strbuf_addf(b, "         min:%*s%*.2f\n", col->gap, "", col->width,
              text_ms(r->min_ns));
  strbuf_addf(b, "         avg:%*s%*.2f\n", col->gap, "", col->width, avg_ms);
  strbuf_addf(b, "         max:%*s%*.2f\n", col->gap, "", col->width,
              text_ms(r->max_ns));
  text_add_latency_percentile(b, col, setup, r);
  strbuf_addf(b, "         sum:%*s%*.2f\n", col->gap, "", col->width, sum_ms);
  text_add_usual_percentiles(b, setup, r);
  strbuf_adds(b, "\n");
}

void text_common(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r)
{
  if (r->kind == REPORT_FORCED && r->unfinished > 0)
    strbuf_addf(b,
                "\nNumber of unfinished transactions on forced shutdown: "
                "%" PRIu64 "\n",
                r->unfinished);
  if (setup->layout_1_1 && r->form->is_brief_1_1) {
    strbuf_adds(b, "\n");
    text_add_latency(b, setup, r);
    return;
  }
  text_add_general(b, setup, r);
  text_add_latency(b, setup, r);
  strbuf_addf(b,
              "Threads fairness:\n"
              "    events (avg/stddev):           %.4f/%3.2f\n"
              "    execution time (avg/stddev):   %.4f/%3.2f\n\n",
              r->events_mean, r->events_stddev, r->time_mean_s,
              r->time_stddev_s);
}

void text_percentiles(struct strbuf *b, const struct report_setup *setup,
                      const struct report *r)
{
  char label[FMT_DOUBLE_SIZE];

  if (setup->n_percentiles == 0)
    return;
  strbuf_adds(b, "\nLatency distribution (ms):\n");
  for (unsigned i = 0; i < setup->n_percentiles; i++)
    strbuf_addf(b, "         p%-8s %28.2f\n",
                fmt_shortest(label, setup->percentiles[i]),
                text_ms(report_percentile(r, setup->percentiles[i])));
}

int text_histogram(struct strbuf *b, const struct report *r)
{
  struct err err;
  struct grid grid;

  if (grid_init_latency(&grid, &err) < 0)
    return -ENOMEM;
  if (r->hist)
    grid_add_hist(&grid, r->hist);
  strbuf_adds(b, "Latency histogram (values are in milliseconds)\n");
  grid_print(b, &grid);
  strbuf_adds(b, " \n");
  grid_done(&grid);
  return 0;
}

static void text_add_times(struct strbuf *b, const char *title,
                           const struct report_times *t)
{
  const double sum_s = text_s(t->sum_ns);

  strbuf_addf(b,
              "%s statistics:\n"
              "    min:                                %.4fs\n"
              "    avg:                                %.4fs\n"
              "    max:                                %.4fs\n"
              "  total:                                %.4fs\n",
              title, text_s(t->min_ns),
              t->count ? sum_s / (double)t->count : 0.0, text_s(t->max_ns),
              sum_s);
}

void text_statement_times(struct strbuf *b, const struct report *r)
{
  strbuf_adds(b, "\n");
  text_add_times(b, "Query execution", &r->execution);
  text_add_times(b, "Results fetching", &r->fetching);
}

void text_threads(struct strbuf *b, const struct report *r)
{
  for (unsigned i = 0; i < r->threads; i++) {
    const struct report_thread *t = &r->thread[i];
    const double sum_s = text_s(t->sum_ns);

    strbuf_addf(b,
                "    thread #%3u: min: %.4fs  avg: %.4fs  max: %.4fs  "
                "events: %" PRIu64 "\n"
                "                 total time taken by event execution: "
                "%.4fs\n",
                i, text_s(t->min_ns),
                t->events ? sum_s / (double)t->events : 0.0, text_s(t->max_ns),
                t->events, sum_s);
  }
}

/* ---- tables of classes and of a mix ---- */

enum {
  TEXT_NAME_MAX = 100 /* of a statement */
};

static int text_class_by_time(const void *a, const void *b)
{
  const struct class_report *x = *(const struct class_report *const *)a;
  const struct class_report *y = *(const struct class_report *const *)b;

  if (x->sum_ns != y->sum_ns)
    return x->sum_ns < y->sum_ns ? 1 : -1;
  return x < y ? -1 : x > y; /* order of first use */
}

/* On one line, cut between characters. */
static void text_class_add_name(struct strbuf *b, const char *name)
{
  const size_t shown = utf8_cut(name, TEXT_NAME_MAX);

  for (size_t i = 0; i < shown; i++)
    strbuf_add(b, (unsigned char)name[i] < ' ' ? " " : &name[i], 1);
  strbuf_adds(b, name[shown] != '\0' ? "...\n" : "\n");
}

struct text_columns {
  bool rows;
  bool bytes; /* bytes that operations transfer */
  unsigned n;
  double percentile[REPORT_PERCENTILES_MAX + 1];
};

/* Unique, in order. */
static void text_class_add_percentile(struct text_columns *c, double p)
{
  unsigned at = c->n;

  while (at > 0 && c->percentile[at - 1] > p)
    at--;
  if (at > 0 && c->percentile[at - 1] == p)
    return;
  memmove(&c->percentile[at + 1], &c->percentile[at],
          (c->n - at) * sizeof(c->percentile[0]));
  c->percentile[at] = p;
  c->n++;
}

static void text_class_choose_percentiles(struct text_columns *c,
                                          const struct report_setup *setup)
{
  c->n = 0;
  if (setup->percentile > 0.0)
    text_class_add_percentile(c, setup->percentile);
  for (unsigned i = 0; i < setup->n_percentiles; i++)
    text_class_add_percentile(c, setup->percentiles[i]);
}

static void text_class_choose_columns(struct text_columns *c,
                                      const struct report_setup *setup,
                                      const struct report *r)
{
  *c = (struct text_columns){ .rows = r->form->has_statements };
  for (unsigned i = 0; i < r->classes.n; i++)
    c->bytes |= r->classes.of[i].bytes > 0;
  c->bytes &= !c->rows;
  text_class_choose_percentiles(c, setup);
}

static void text_class_add_percentile_titles(struct strbuf *b,
                                             const struct text_columns *columns)
{
  char pct[FMT_DOUBLE_SIZE + 1], text[FMT_DOUBLE_SIZE];

  for (unsigned i = 0; i < columns->n; i++) {
    (void)snprintf(pct, sizeof(pct), "%s%%",
                   fmt_shortest(text, columns->percentile[i]));
    strbuf_addf(b, "%10s ", pct);
  }
}

static void text_class_add_header(struct strbuf *b,
                                  const struct text_columns *columns,
                                  const struct report_form *form)
{
  strbuf_addf(b, "\n%s (times in ms):\n%7s %12s %8s ", form->classes, "share",
              "count", "errors");
  if (columns->rows)
    strbuf_addf(b, "%12s ", "rows");
  if (columns->bytes)
    strbuf_addf(b, "%10s ", "MiB/s");
  strbuf_addf(b, "%10s ", "avg");
  text_class_add_percentile_titles(b, columns);
  strbuf_addf(b, "%10s  %s\n", "max", form->class);
}

static void text_class_add_row(struct strbuf *b,
                               const struct text_columns *columns,
                               const struct report *r,
                               const struct class_report *c, double all_ns)
{
  strbuf_addf(b, "%6.1f%% %12llu %8llu ",
              all_ns > 0 ? 100.0 * (double)c->sum_ns / all_ns : 0.0,
              (unsigned long long)c->count, (unsigned long long)c->errors);
  if (columns->rows)
    strbuf_addf(b, "%12llu ", (unsigned long long)c->rows);
  if (columns->bytes)
    strbuf_addf(b, "%10.2f ", report_rate(r, c->bytes) / TEXT_MIB);
  strbuf_addf(b, "%10.3f ", text_ms(c->sum_ns) / (double)c->count);
  for (unsigned i = 0; i < columns->n; i++)
    strbuf_addf(b, "%10.3f ",
                text_ms(class_percentile(c, columns->percentile[i])));
  strbuf_addf(b, "%10.3f  ", text_ms(c->max_ns));
  text_class_add_name(b, c->name);
}

int text_classes(struct strbuf *b, const struct report_setup *setup,
                 const struct report *r)
{
  const struct class_report **order;
  struct text_columns columns;
  double all_ns = 0;
  unsigned n = 0;

  order = malloc((r->classes.n + 1) * sizeof(const struct class_report *));
  if (!order)
    return -ENOMEM;
  for (unsigned i = 0; i < r->classes.n; i++) {
    if (r->classes.of[i].count > 0)
      order[n++] = &r->classes.of[i];
    all_ns += (double)r->classes.of[i].sum_ns;
  }
  if (n > 0) {
    /* NOLINTNEXTLINE(bugprone-sizeof-expression) of pointers */
    qsort(order, n, sizeof(*order), text_class_by_time);
    text_class_choose_columns(&columns, setup, r);
    text_class_add_header(b, &columns, r->form);
    for (unsigned i = 0; i < n; i++)
      text_class_add_row(b, &columns, r, order[i], all_ns);
  }
  free(order);
  return 0;
}

static void text_class_add_member(struct strbuf *b,
                                  const struct text_columns *columns,
                                  double seconds, uint64_t all,
                                  const struct class_report *c)
{
  strbuf_addf(b, "%12llu %12.2f %6.1f%% %10.3f ", (unsigned long long)c->count,
              seconds > 0 ? (double)c->count / seconds : 0.0,
              all > 0 ? 100.0 * (double)c->count / (double)all : 0.0,
              c->count > 0 ? text_ms(c->sum_ns) / (double)c->count : 0.0);
  for (unsigned i = 0; i < columns->n; i++)
    strbuf_addf(b, "%10.3f ",
                c->count > 0
                  ? text_ms(class_percentile(c, columns->percentile[i]))
                  : 0.0);
  strbuf_addf(b, "%8llu %10llu  ", (unsigned long long)c->errors,
              (unsigned long long)c->reconnects);
  text_class_add_name(b, c->name);
}

void text_members(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r)
{
  /* A report can begin at a checkpoint. */
  const uint64_t ns = r->total ? r->total->period_ns
                               : max_u64(r->period_ns, r->elapsed_ns);
  const double seconds = (double)ns / NS_PER_S;
  struct text_columns columns;
  uint64_t all = 0;

  for (unsigned i = 0; i < r->members.n; i++)
    all += r->members.of[i].count;
  text_class_choose_percentiles(&columns, setup);
  strbuf_addf(b, "Members (times in ms):\n%12s %12s %7s %10s ", "events",
              "events/s", "share", "avg");
  text_class_add_percentile_titles(b, &columns);
  strbuf_addf(b, "%8s %10s  %s\n", "errors", "reconnects", "member");
  for (unsigned i = 0; i < r->members.n; i++)
    text_class_add_member(b, &columns, seconds, all, &r->members.of[i]);
  strbuf_adds(b, "\n");
}

/* ---- outages and storms ---- */

enum {
  TEXT_OUTAGES_SHOWN = 10 /* of each kind */
};

static double text_outage_since(const struct outage_report *r, uint64_t at_ns)
{
  return text_s(at_ns - r->base_ns);
}

static uint64_t text_outage_length(const struct stall *s)
{
  return s->to_ns - s->from_ns;
}

static void text_outage_add_stall(struct strbuf *b,
                                  const struct outage_report *r,
                                  const struct stall *s)
{
  strbuf_addf(b, "    at %.3f s for %.3f s, %u of %u clients",
              text_outage_since(r, s->from_ns), text_s(text_outage_length(s)),
              s->clients, r->clients);
  if (r->open_loop)
    strbuf_addf(b, ", %" PRIu64 " arrivals", s->arrivals);
  if (s->ended_by >= 0)
    strbuf_addf(b, ", until client %" PRId64 " was served", s->ended_by);
  else
    strbuf_adds(b, ", until the end of the run");
  if (s->fault.at_ns > 0)
    strbuf_addf(b, "\n        first error (%s): %s%s%s",
                fault_phase_name(s->fault.phase), s->fault.code,
                s->fault.code[0] ? " " : "", s->fault.text);
  strbuf_adds(b, "\n");
}

static void text_outage_add_more(struct strbuf *b, uint64_t all, unsigned shown)
{
  if (all > shown)
    strbuf_addf(b, "    and %" PRIu64 " more\n", all - shown);
}

/* Length of the n-th longest; 0: fewer. */
static uint64_t text_outage_nth_longest(const struct outage_report *r,
                                        unsigned n)
{
  uint64_t at = UINT64_MAX;

  /* From the longest on. */
  for (unsigned found = 0; found < n;) {
    uint64_t next = 0;

    for (unsigned i = 0; i < r->n_stalls; i++) {
      if (text_outage_length(&r->stalls[i]) < at)
        next = max_u64(next, text_outage_length(&r->stalls[i]));
    }
    if (next == 0)
      return 0;
    at = next;
    for (unsigned i = 0; i < r->n_stalls; i++)
      found += text_outage_length(&r->stalls[i]) == at;
  }
  return at;
}

static void text_outage_add_stalls(struct strbuf *b,
                                   const struct outage_report *r)
{
  const unsigned n = r->n_stalls < TEXT_OUTAGES_SHOWN ? r->n_stalls
                                                      : TEXT_OUTAGES_SHOWN;
  const uint64_t least_ns = text_outage_nth_longest(r, n);
  unsigned longer = 0, alike;
  const char *least = r->at_least ? "at least " : "";

  strbuf_addf(b,
              "    times without any success:           %s%" PRIu64
              ", together %s%.3f s\n",
              least, r->count, least, text_s(r->stalled_ns));
  for (unsigned i = 0; i < r->n_stalls; i++)
    longer += text_outage_length(&r->stalls[i]) > least_ns;
  alike = n - longer; /* to show, as long as the last */
  for (unsigned i = 0; i < r->n_stalls; i++) {
    const uint64_t ns = text_outage_length(&r->stalls[i]);

    if (ns > least_ns || (ns == least_ns && alike > 0)) {
      alike -= ns == least_ns;
      text_outage_add_stall(b, r, &r->stalls[i]);
    }
  }
  text_outage_add_more(b, r->count, n);
}

static void text_outage_add_brownouts(struct strbuf *b,
                                      const struct outage_report *r)
{
  const unsigned n = r->n_brownouts < TEXT_OUTAGES_SHOWN ? r->n_brownouts
                                                         : TEXT_OUTAGES_SHOWN;

  strbuf_addf(b,
              "    below half of the usual throughput:  %" PRIu64
              ", together %.1f s\n",
              r->brownout_count, text_s(r->brownout_ns));
  for (unsigned i = 0; i < n; i++) {
    const struct brownout *o = &r->brownouts[i];

    strbuf_addf(b,
                "    at %.1f s for %.1f s, down to %.2f of %.2f per second\n",
                text_outage_since(r, o->from_ns), text_s(o->to_ns - o->from_ns),
                o->lowest_per_s, o->usual_per_s);
  }
  text_outage_add_more(b, r->brownout_count, n);
}

static void text_outage_add_spread(struct strbuf *b, const char *title,
                                   const struct outage_spread *s)
{
  strbuf_addf(b, "        %-33smedian %.3f s, 95%% %.3f s, longest %.3f s\n",
              title, text_s(s->median_ns), text_s(s->p95_ns),
              text_s(s->max_ns));
}

static void text_outage_add_clients(struct strbuf *b,
                                    const struct outage_report *r)
{
  strbuf_addf(b, "    clients whose service failed:        %u of %u",
              r->affected, r->clients);
  if (r->still_down > 0)
    strbuf_addf(b, ", %u until the end", r->still_down);
  strbuf_adds(b, "\n");
  text_outage_add_spread(b, "from the last success:", &r->unavailable);
  text_outage_add_spread(b, "from the first error:", &r->noticed);
}

void text_outages(struct strbuf *b, const struct outage_report *r)
{
  strbuf_adds(b, "Outages:\n");
  if (r->count > 0)
    text_outage_add_stalls(b, r);
  if (r->brownout_count > 0)
    text_outage_add_brownouts(b, r);
  if (r->outages > 0)
    text_outage_add_clients(b, r);
  if (!r->open_loop)
    strbuf_addf(b,
                "    (a closed loop: without --rate there is one request per "
                "client, %u in all)\n",
                r->clients);
  strbuf_adds(b, "\n");
}

static void text_storm_add_times(struct strbuf *b, const char *what,
                                 const struct storm_times *t)
{
  if (t->count == 0)
    return;
  strbuf_addf(b,
              "        %s %7u: half within %.3f s, 99%% within %.3f s, all "
              "within %.3f s\n",
              what, t->count, text_s(t->p50_ns), text_s(t->p99_ns),
              text_s(t->max_ns));
}

static void text_storm_add_storm(struct strbuf *b, const struct storm_report *s)
{
  const unsigned lost = s->clients - s->served.count - s->failed;

  strbuf_addf(b, "    at %.3f s, %u client%s:\n", text_s(s->at_ns), s->clients,
              fmt_plural(s->clients));
  text_storm_add_times(b, "connected:", &s->connected);
  text_storm_add_times(b, "served:   ", &s->served);
  if (s->failed > 0)
    strbuf_addf(b, "        refused:    %7u, the first one: %s\n", s->failed,
                s->reason);
  if (lost > 0)
    strbuf_addf(b, "        not served: %7u until the end of the run\n", lost);
}

void text_storms(struct strbuf *b, const struct storm_report *of, unsigned n)
{
  strbuf_adds(b, "Storms:\n");
  for (unsigned i = 0; i < n; i++)
    text_storm_add_storm(b, &of[i]);
  strbuf_adds(b, "\n");
}

/* ---- the objective ---- */

static const char *const text_slo_titles[] = {
  [SLO_HELD] = "held",
  [SLO_FAILED] = "not held",
  [SLO_UNKNOWN] = "not shown to be held",
};

void text_slo_remark(struct strbuf *b, const struct slo_result *r)
{
  switch (slo_result_state(r)) {
  case SLO_HELD:
    strbuf_adds(b, "holds");
    break;
  case SLO_FAILED:
    strbuf_adds(b, "does not hold");
    break;
  case SLO_UNKNOWN:
    strbuf_addf(b, "too few events (%" PRIu64 ", at least %" PRIu64 " needed)",
                r->all, r->needed);
    return;
  }
  if (r->bad > 0)
    strbuf_addf(b, ": %" PRIu64 " of %" PRIu64 " %s", r->bad, r->all,
                r->term->kind->measure == SLO_ERRORS ? "failed"
                : r->bad == 1                        ? "was later"
                                                     : "were later");
  if (!r->sure)
    strbuf_adds(b, ", which may be chance");
}

void text_slo(struct strbuf *b, const struct slo_verdict *v)
{
  strbuf_addf(b, "Objective: %s\n", text_slo_titles[v->state]);
  for (unsigned i = 0; i < v->n; i++) {
    char value[SLO_VALUE_SIZE];

    strbuf_addf(b, "    %-20s %14s  ", v->of[i].term->text,
                slo_value_text(value, &v->of[i]));
    text_slo_remark(b, &v->of[i]);
    strbuf_adds(b, "\n");
  }
  strbuf_adds(b, "\n");
}

/* ---- the default form ---- */

void form_interval_latency(struct strbuf *b, const struct report_setup *setup,
                           const struct report *r, int decimals)
{
  if (r->events == 0 && r->percentile_ns == 0 && setup->percentile > 0 &&
      !setup->as_sysbench)
    strbuf_adds(b, "-");
  else
    strbuf_addf(b, "%4.*f", decimals, text_ms(r->percentile_ns));
}

void form_interval_events(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r, const char *percentile)
{
  strbuf_addf(b, "thds: %u eps: %4.2f lat (ms,%s%%): ", r->threads_running,
              report_rate(r, r->events), percentile);
  form_interval_latency(b, setup, r, 2);
  strbuf_adds(b, "\n");
}

const struct report_form form_events = {
  .interval = form_interval_events,
  .queue_mark = "",
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
};
