/*
 * text_interval.c - the lines that appear during a run.
 */
#include <inttypes.h>

#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/text.h"
#include "report/text_num.h"
#include "stats/report.h"

static void add_time(struct strbuf *b, const struct report_setup *setup,
                     const struct report *r)
{
  strbuf_addf(b, "[ %.*fs ] ", (int)setup->interval_decimals,
              text_s(r->elapsed_ns));
}

/* Parsers need the comma in the one form, and no comma in the other. */
static void add_queue(struct strbuf *b, const struct report_setup *setup,
                      const struct report *r)
{
  const char *mark = r->form->queue_mark;

  if (!setup->rate || !mark)
    return;
  add_time(b, setup, r);
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
  add_time(b, setup, r);
  r->form->interval(b, setup, r, percentile);
  add_queue(b, setup, r);
}

void text_checkpoint_header(struct strbuf *b, const struct report *r)
{
  strbuf_addf(b, "[ %.0fs ] Checkpoint report:\n", text_s(r->elapsed_ns));
}
