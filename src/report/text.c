/*
 * text.c - cumulative reports as text: the blocks that all tests have.
 */
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/grid.h"
#include "report/text_num.h"

void text_results(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r)
{
  if (r->form->results)
    r->form->results(b, setup, r);
}

static void add_general(struct strbuf *b, const struct report_setup *setup,
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

/* The positions of the numbers in a latency block. */
struct latency_columns {
  int gap;       /* blanks after "min:" */
  int width;     /* of the numbers on that line */
  int pct_gap;   /* the same on the line of the percentile */
  int pct_width; /* the same, for a label of up to three characters */
};

static const struct latency_columns usual_columns = { 1, 39, 1, 27 };
static const struct latency_columns brief_columns = { 28, 10, 16, 10 };

static void add_latency_percentile(struct strbuf *b,
                                   const struct latency_columns *col,
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
  if (width < 0) /* a negative width would make printf align to the left */
    width = 0;
  strbuf_addf(b, "        %3sth percentile:%*s%*.2f\n", label, col->pct_gap, "",
              width, text_ms(r->percentile_ns));
}

static void add_latency(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  const struct latency_columns *col = setup->layout_1_1 && r->form->is_brief_1_1
                                        ? &brief_columns
                                        : &usual_columns;
  const double sum_ms = text_ms(r->sum_ns);
  const double avg_ms = r->events ? sum_ms / (double)r->events : 0.0;

  strbuf_adds(b, "Latency (ms):\n");
  strbuf_addf(b, "         min:%*s%*.2f\n", col->gap, "", col->width,
              text_ms(r->min_ns));
  strbuf_addf(b, "         avg:%*s%*.2f\n", col->gap, "", col->width, avg_ms);
  strbuf_addf(b, "         max:%*s%*.2f\n", col->gap, "", col->width,
              text_ms(r->max_ns));
  add_latency_percentile(b, col, setup, r);
  strbuf_addf(b, "         sum:%*s%*.2f\n\n", col->gap, "", col->width, sum_ms);
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
    add_latency(b, setup, r);
    return;
  }
  add_general(b, setup, r);
  add_latency(b, setup, r);
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

static void add_times(struct strbuf *b, const char *title,
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
  add_times(b, "Query execution", &r->execution);
  add_times(b, "Results fetching", &r->fetching);
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
