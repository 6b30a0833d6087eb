#include "db/figures/sql_form.h"

#include <inttypes.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/text_num.h"

static uint64_t sql_form_queries(const struct report *r)
{
  return r->counter[COUNTER_READ] + r->counter[COUNTER_WRITE] +
         r->counter[COUNTER_OTHER];
}

static void sql_form_add_interval(struct strbuf *b,
                                  const struct report_setup *setup,
                                  const struct report *r,
                                  const char *percentile)
{
  strbuf_addf(b,
              "thds: %u tps: %4.2f qps: %4.2f (r/w/o: %4.2f/%4.2f/%4.2f) "
              "lat (ms,%s%%): ",
              r->threads_running, report_rate(r, r->events),
              report_rate(r, sql_form_queries(r)),
              report_counter_rate(r, COUNTER_READ),
              report_counter_rate(r, COUNTER_WRITE),
              report_counter_rate(r, COUNTER_OTHER), percentile);
  form_interval_latency(b, setup, r, 2);
  strbuf_addf(b, " err/s: %4.2f reconn/s: %4.2f\n",
              report_counter_rate(r, COUNTER_ERROR),
              report_counter_rate(r, COUNTER_RECONNECT));
}

static void sql_form_add_results(struct strbuf *b,
                                 const struct report_setup *setup,
                                 const struct report *r)
{
  const struct {
    const char *title;
    uint64_t count;
  } rated[] = {
    { "transactions:                        ", r->events },
    { "queries:                             ", sql_form_queries(r) },
    { "ignored errors:                      ", r->counter[COUNTER_ERROR] },
    { "reconnects:                          ", r->counter[COUNTER_RECONNECT] },
  };

  (void)setup;
  strbuf_addf(b,
              "SQL statistics:\n"
              "    queries performed:\n"
              "        read:                            %" PRIu64 "\n"
              "        write:                           %" PRIu64 "\n"
              "        other:                           %" PRIu64 "\n"
              "        total:                           %" PRIu64 "\n",
              r->counter[COUNTER_READ], r->counter[COUNTER_WRITE],
              r->counter[COUNTER_OTHER], sql_form_queries(r));
  for (size_t i = 0; i < ARRAY_SIZE(rated); i++)
    strbuf_addf(b, "    %s%-6" PRIu64 " (%.2f per sec.)\n", rated[i].title,
                rated[i].count, report_rate(r, rated[i].count));
}

static void sql_form_add_figures(const struct figures *to,
                                 const struct report_setup *setup,
                                 const struct report *r)
{
  (void)setup;
  to->begin(to->ctx, "queries");
  to->count(to->ctx, "read", r->counter[COUNTER_READ]);
  to->count(to->ctx, "read_empty", r->counter[COUNTER_READ_EMPTY]);
  to->count(to->ctx, "write", r->counter[COUNTER_WRITE]);
  to->count(to->ctx, "other", r->counter[COUNTER_OTHER]);
  to->count(to->ctx, "total", sql_form_queries(r));
  to->real(to->ctx, "total_per_s", report_rate(r, sql_form_queries(r)));
  to->end(to->ctx);
}

const struct report_form sql_form = {
  .interval = sql_form_add_interval,
  .results = sql_form_add_results,
  .figures = sql_form_add_figures,
  .queue_mark = ",",
  .classes = "SQL statements",
  .class = "statement",
  .has_statements = true,
};
