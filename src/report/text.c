/*
 * text.c - cumulative reports as text: results of each style, common blocks.
 */
#include "report/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/grid.h"
#include "report/text_num.h"

static void add_sql_results(struct strbuf *b, const struct report *r)
{
  const struct {
    const char *title;
    uint64_t count;
  } rated[] = {
    { "transactions:                        ", r->events },
    { "queries:                             ", text_queries(r) },
    { "ignored errors:                      ", r->counter[COUNTER_ERROR] },
    { "reconnects:                          ", r->counter[COUNTER_RECONNECT] },
  };

  strbuf_addf(b,
              "SQL statistics:\n"
              "    queries performed:\n"
              "        read:                            %" PRIu64 "\n"
              "        write:                           %" PRIu64 "\n"
              "        other:                           %" PRIu64 "\n"
              "        total:                           %" PRIu64 "\n",
              r->counter[COUNTER_READ], r->counter[COUNTER_WRITE],
              r->counter[COUNTER_OTHER], text_queries(r));
  for (size_t i = 0; i < ARRAY_SIZE(rated); i++)
    strbuf_addf(b, "    %s%-6" PRIu64 " (%.2f per sec.)\n", rated[i].title,
                rated[i].count, report_rate(r, rated[i].count));
}

static void add_memory_results(struct strbuf *b,
                               const struct report_setup *setup,
                               const struct report *r)
{
  const double mib = text_memory_mib(setup, r->events);

  strbuf_addf(b, "Total operations: %" PRIu64 " (%8.2f per second)\n\n",
              r->events, report_rate(r, r->events));
  if (setup->memory_bytes)
    strbuf_addf(b, "%4.2f MiB transferred (%4.2f MiB/sec)\n\n", mib,
                text_per_s(r, mib));
}

static void add_fileio_results_1_0(struct strbuf *b, const struct report *r)
{
  const uint64_t *c = r->counter;

  strbuf_addf(b,
              "\n"
              "File operations:\n"
              "    reads/s:                      %4.2f\n"
              "    writes/s:                     %4.2f\n"
              "    fsyncs/s:                     %4.2f\n"
              "\n"
              "Throughput:\n"
              "    read, MiB/s:                  %4.2f\n"
              "    written, MiB/s:               %4.2f\n",
              report_rate(r, c[COUNTER_READ]), report_rate(r, c[COUNTER_WRITE]),
              report_rate(r, c[COUNTER_OTHER]),
              report_rate(r, c[COUNTER_BYTES_READ]) / TEXT_MIB,
              report_rate(r, c[COUNTER_BYTES_WRITTEN]) / TEXT_MIB);
}

static void add_fileio_results_1_1(struct strbuf *b, const struct report *r)
{
  const double read = report_rate(r, r->counter[COUNTER_BYTES_READ]);
  const double written = report_rate(r, r->counter[COUNTER_BYTES_WRITTEN]);

  strbuf_addf(b,
              "\n"
              "Throughput:\n"
              "         read:  IOPS=%4.2f %4.2f MiB/s (%4.2f MB/s)\n"
              "         write: IOPS=%4.2f %4.2f MiB/s (%4.2f MB/s)\n"
              "         fsync: IOPS=%4.2f\n",
              report_rate(r, r->counter[COUNTER_READ]), read / TEXT_MIB,
              read / TEXT_MB, report_rate(r, r->counter[COUNTER_WRITE]),
              written / TEXT_MIB, written / TEXT_MB,
              report_rate(r, r->counter[COUNTER_OTHER]));
}

void text_results(struct strbuf *b, const struct report_setup *setup,
                  const struct report *r)
{
  switch (r->style) {
  case REPORT_EVENTS:
    break;
  case REPORT_CPU:
    strbuf_addf(b,
                "CPU speed:\n"
                "    events per second: %8.2f\n",
                report_rate(r, r->events));
    break;
  case REPORT_MEMORY:
    add_memory_results(b, setup, r);
    break;
  case REPORT_FILEIO:
    if (setup->layout_1_1)
      add_fileio_results_1_1(b, r);
    else
      add_fileio_results_1_0(b, r);
    break;
  case REPORT_SQL:
    add_sql_results(b, r);
    break;
  }
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

/* Where the numbers of a latency block stand. */
struct latency_columns {
  int gap;       /* blanks after "min:" */
  int width;     /* of the numbers there */
  int pct_gap;   /* the same on the line of the percentile */
  int pct_width; /* ... for a label of up to three characters */
};

static const struct latency_columns usual_columns = { 1, 39, 1, 27 };
static const struct latency_columns fileio_1_1_columns = { 28, 10, 16, 10 };

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
  if (width < 0) /* printf would align to the left */
    width = 0;
  strbuf_addf(b, "        %3sth percentile:%*s%*.2f\n", label, col->pct_gap, "",
              width, text_ms(r->percentile_ns));
}

static void add_latency(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  const struct latency_columns *col = setup->layout_1_1 &&
                                          r->style == REPORT_FILEIO
                                        ? &fileio_1_1_columns
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
  if (r->style == REPORT_FILEIO && setup->layout_1_1) {
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
