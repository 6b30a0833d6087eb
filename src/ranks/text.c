/*
 * text.c - the text about the ranks of a run.
 */
#include "ranks/end.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/strbuf.h"

enum {
  PERCENTILE_MIN = 10, /* columns */
};

static double milliseconds(double ns)
{
  return ns / (double)NS_PER_MS;
}

/* `width` is that of the percentile's column; 0: there is none. */
static void add_row(struct strbuf *b, const struct rank_part *p,
                    double percentile, int width)
{
  const double seconds = (double)p->period_ns / (double)NS_PER_S;
  const double cpu_ns = (double)(p->client.user_ns + p->client.system_ns);
  const struct report r = { .events = p->events,
                            .min_ns = p->min_ns,
                            .max_ns = p->max_ns,
                            .hist = p->hist };

  strbuf_addf(b, "    %4u  %-20s", p->rank, p->host);
  if (p->lost) {
    strbuf_adds(b, "  lost\n");
    return;
  }
  strbuf_addf(b, " %7u %12llu %12.2f %8llu", p->threads,
              (unsigned long long)p->events,
              seconds > 0.0 ? (double)p->events / seconds : 0.0,
              (unsigned long long)p->errors);
  strbuf_addf(
    b, " %10.2f %10.2f",
    p->events > 0 ? milliseconds((double)p->sum_ns / (double)p->events) : 0.0,
    milliseconds((double)p->max_ns));
  if (width > 0)
    strbuf_addf(b, " %*.2f", width,
                milliseconds((double)report_percentile(&r, percentile)));
  strbuf_addf(b, " %6.1f%%",
              p->client.wall_ns > 0 ? 100.0 * cpu_ns / (double)p->client.wall_ns
                                    : 0.0);
  if (p->start_known)
    strbuf_addf(b, " %11.3f\n", milliseconds((double)p->start_offset_ns));
  else
    strbuf_addf(b, " %11s\n", "-");
}

static void print_table(struct ranks_end *e)
{
  const double percentile = e->setup ? e->setup->percentile : 0.0;
  struct strbuf b = { 0 };
  char number[FMT_DOUBLE_SIZE], title[FMT_DOUBLE_SIZE + sizeof("th, ms")] = "";
  int width = 0;

  if (percentile > 0.0) {
    width = snprintf(title, sizeof(title), "%sth, ms",
                     fmt_shortest(number, percentile));
    if (width < PERCENTILE_MIN)
      width = PERCENTILE_MIN;
  }
  strbuf_addf(&b,
              "Processes:\n    rank  host                 threads       events "
              "    events/s   errors    avg, ms    max, ms");
  if (width > 0)
    strbuf_addf(&b, " %*s", width, title);
  strbuf_addf(&b, "     CPU   start, ms\n");
  for (unsigned i = 0; i < e->size; i++)
    add_row(&b, &e->part[i], percentile, width);
  strbuf_addf(&b, "\n");
  log_msg(LOG_NOTICE, "%s", strbuf_str(&b));
  strbuf_done(&b);
}

void ranks_end_print(struct ranks_end *e, const struct run_end *end, bool table)
{
  uint64_t error_ns = 0;

  for (unsigned i = 0; i < e->size; i++) {
    if (e->part[i].clock_error_ns > error_ns)
      error_ns = e->part[i].clock_error_ns;
  }
  if (!end->started)
    return;
  if (table)
    print_table(e);
  if (log_get_level() < LOG_NOTICE)
    return;
  log_flush();
  (void)fprintf(
    stderr, "cluster: started within %.3f ms (clocks known to %.3f ms)\n",
    milliseconds((double)end->start_skew_ns), milliseconds((double)error_ns));
}
