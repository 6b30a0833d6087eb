/*
 * form.c - the reports of the memory test: bytes per second.
 */
#include "tests/memory/form.h"

#include <inttypes.h>

#include "base/strbuf.h"
#include "report/form.h"
#include "report/text_num.h"

static double mib(const struct report_setup *setup, const struct report *r)
{
  const struct memory_moved *m = setup->of_test;

  return (double)r->events * (double)m->block_bytes / TEXT_MIB;
}

static void add_interval(struct strbuf *b, const struct report_setup *setup,
                         const struct report *r, const char *percentile)
{
  (void)percentile;
  strbuf_addf(b, "%4.2f MiB/sec\n", text_per_s(r, mib(setup, r)));
}

static void add_results(struct strbuf *b, const struct report_setup *setup,
                        const struct report *r)
{
  const struct memory_moved *m = setup->of_test;
  const double moved = mib(setup, r);

  strbuf_addf(b, "Total operations: %" PRIu64 " (%8.2f per second)\n\n",
              r->events, report_rate(r, r->events));
  if (m->moves)
    strbuf_addf(b, "%4.2f MiB transferred (%4.2f MiB/sec)\n\n", moved,
                text_per_s(r, moved));
}

static void add_figures(const struct figures *to,
                        const struct report_setup *setup,
                        const struct report *r)
{
  const struct memory_moved *m = setup->of_test;
  const uint64_t bytes = m->moves ? r->events * m->block_bytes : 0;

  to->begin(to->ctx, "memory");
  to->count(to->ctx, "bytes", bytes);
  to->real(to->ctx, "bytes_per_s", report_rate(r, bytes));
  to->end(to->ctx);
}

const struct report_form memory_form = {
  .interval = add_interval,
  .results = add_results,
  .figures = add_figures,
  .classes = "Operations",
  .class = "operation",
  .measures_itself = true,
  .outcome = "the bandwidth is",
};
