#include "tests/ns_form.h"

#include <inttypes.h>

#include "base/strbuf.h"
#include "report/form.h"
#include "stats/report.h"

static void ns_form_add_line(struct strbuf *b, const char *name, uint64_t ns)
{
  strbuf_addf(b, "    %-20s %12" PRIu64 "\n", name, ns);
}

static void ns_form_add_results(struct strbuf *b,
                                const struct report_setup *setup,
                                const struct report *r)
{
  static const struct {
    const char *name;
    double percentile;
  } lines[] = { { "median, ns:", 50 },
                { "99%, ns:", 99 },
                { "99.9%, ns:", 99.9 } };
  const char *title = setup->of_test;

  strbuf_addf(b, "%s:\n    %-20s %12.2f\n", title,
              "per second:", report_rate(r, r->events));
  if (r->events == 0)
    return;
  ns_form_add_line(b, "average, ns:", r->sum_ns / r->events);
  for (unsigned i = 0; r->hist && i < sizeof(lines) / sizeof(lines[0]); i++)
    ns_form_add_line(b, lines[i].name,
                     report_percentile(r, lines[i].percentile));
  ns_form_add_line(b, "max, ns:", r->max_ns);
}

const struct report_form ns_form = {
  .interval = form_interval_events,
  .results = ns_form_add_results,
  .queue_mark = "",
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the rate is",
};
