/*
 * text_interval.c - the lines that appear while a run goes on.
 */
#include <inttypes.h>

#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/text.h"
#include "report/text_num.h"

static void add_time(struct strbuf *b, const struct report_setup *setup,
                     const struct report *r)
{
  strbuf_addf(b, "[ %.*fs ] ", (int)setup->interval_decimals,
              text_s(r->elapsed_ns));
}

static double counter_rate(const struct report *r, enum counter c)
{
  return report_rate(r, r->counter[c]);
}

static void add_events(struct strbuf *b, const struct report *r,
                       const char *percentile)
{
  strbuf_addf(b, "thds: %u eps: %4.2f lat (ms,%s%%): %4.2f\n",
              r->threads_running, report_rate(r, r->events), percentile,
              text_ms(r->percentile_ns));
}

static void add_fileio(struct strbuf *b, const struct report *r,
                       const char *percentile)
{
  strbuf_addf(b,
              "reads: %4.2f MiB/s writes: %4.2f MiB/s fsyncs: %4.2f/s "
              "latency (ms,%s%%): %4.3f\n",
              counter_rate(r, COUNTER_BYTES_READ) / TEXT_MIB,
              counter_rate(r, COUNTER_BYTES_WRITTEN) / TEXT_MIB,
              counter_rate(r, COUNTER_OTHER), percentile,
              text_ms(r->percentile_ns));
}

static void add_sql(struct strbuf *b, const struct report *r,
                    const char *percentile)
{
  strbuf_addf(b,
              "thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) "
              "lat (ms,%s%%): %4.2f err/s: %4.2f reconn/s: %4.2f\n",
              r->threads_running, report_rate(r, r->events),
              report_rate(r, text_queries(r)), counter_rate(r, COUNTER_READ),
              counter_rate(r, COUNTER_WRITE), counter_rate(r, COUNTER_OTHER),
              percentile, text_ms(r->percentile_ns),
              counter_rate(r, COUNTER_ERROR),
              counter_rate(r, COUNTER_RECONNECT));
}

/* Parsers want the comma where it is, and none where it is not. */
static void add_queue(struct strbuf *b, const struct report_setup *setup,
                      const struct report *r)
{
  const char *comma = r->style == REPORT_SQL ? "," : "";

  if (!setup->rate || r->style == REPORT_MEMORY || r->style == REPORT_FILEIO)
    return;
  add_time(b, setup, r);
  strbuf_addf(b, "queue length: %" PRIu64 "%s concurrency: %" PRIu64 "\n",
              r->queue_length, comma, r->concurrency);
}

void text_interval(struct strbuf *b, const struct report_setup *setup,
                   const struct report *r)
{
  char percentile[FMT_DOUBLE_SIZE];

  (void)fmt_shortest(percentile, setup->percentile);
  add_time(b, setup, r);
  switch (r->style) {
  case REPORT_EVENTS:
  case REPORT_CPU:
    add_events(b, r, percentile);
    break;
  case REPORT_MEMORY:
    strbuf_addf(b, "%4.2f MiB/sec\n",
                text_per_s(r, text_memory_mib(setup, r->events)));
    break;
  case REPORT_FILEIO:
    add_fileio(b, r, percentile);
    break;
  case REPORT_SQL:
    add_sql(b, r, percentile);
    break;
  }
  add_queue(b, setup, r);
}

void text_checkpoint_header(struct strbuf *b, const struct report *r)
{
  strbuf_addf(b, "[ %.0fs ] Checkpoint report:\n", text_s(r->elapsed_ns));
}
