/*
 * form.c - the form of tests that have nothing to add to a report.
 */
#include "report/form.h"

#include "base/strbuf.h"
#include "report/text_num.h"

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
