/*
 * form.c - the form of tests that have nothing to add to a report.
 */
#include "report/form.h"

#include "base/strbuf.h"
#include "report/text_num.h"

void form_interval_events(struct strbuf *b, const struct report_setup *setup,
                          const struct report *r, const char *percentile)
{
  (void)setup;
  strbuf_addf(b, "thds: %u eps: %4.2f lat (ms,%s%%): %4.2f\n",
              r->threads_running, report_rate(r, r->events), percentile,
              text_ms(r->percentile_ns));
}

const struct report_form form_events = {
  .interval = form_interval_events,
  .queue_mark = "",
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
};
