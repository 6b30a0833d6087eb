#include "tests/fileio/form.h"

#include "base/strbuf.h"
#include "report/form.h"
#include "report/text_num.h"

static void form_add_interval(struct strbuf *b,
                              const struct report_setup *setup,
                              const struct report *r, const char *percentile)
{
  strbuf_addf(b,
              "reads: %4.2f MiB/s writes: %4.2f MiB/s fsyncs: %4.2f/s "
              "latency (ms,%s%%): ",
              report_counter_rate(r, COUNTER_BYTES_READ) / TEXT_MIB,
              report_counter_rate(r, COUNTER_BYTES_WRITTEN) / TEXT_MIB,
              report_counter_rate(r, COUNTER_OTHER), percentile);
  form_interval_latency(b, setup, r, 3);
  strbuf_adds(b, "\n");
}

static void form_add_results_1_0(struct strbuf *b, const struct report *r)
{
  strbuf_addf(b,
              "\n"
              "File operations:\n"
              "    reads/s:                      %4.2f\n"
              "    writes/s:                     %4.2f\n"
              "    fsyncs/s:                     %4.2f\n",
              report_counter_rate(r, COUNTER_READ),
              report_counter_rate(r, COUNTER_WRITE),
              report_counter_rate(r, COUNTER_OTHER));
  if (r->counter[COUNTER_TRIM] > 0)
    strbuf_addf(b, "    trims/s:                      %4.2f\n",
                report_counter_rate(r, COUNTER_TRIM));
  strbuf_addf(b,
              "\n"
              "Throughput:\n"
              "    read, MiB/s:                  %4.2f\n"
              "    written, MiB/s:               %4.2f\n",
              report_counter_rate(r, COUNTER_BYTES_READ) / TEXT_MIB,
              report_counter_rate(r, COUNTER_BYTES_WRITTEN) / TEXT_MIB);
}

static void form_add_results_1_1(struct strbuf *b, const struct report *r)
{
  const double read = report_counter_rate(r, COUNTER_BYTES_READ);
  const double written = report_counter_rate(r, COUNTER_BYTES_WRITTEN);

  strbuf_addf(b,
              "\n"
              "Throughput:\n"
              "         read:  IOPS=%4.2f %4.2f MiB/s (%4.2f MB/s)\n"
              "         write: IOPS=%4.2f %4.2f MiB/s (%4.2f MB/s)\n"
              "         fsync: IOPS=%4.2f\n",
              report_counter_rate(r, COUNTER_READ), read / TEXT_MIB,
              read / TEXT_MB, report_counter_rate(r, COUNTER_WRITE),
              written / TEXT_MIB, written / TEXT_MB,
              report_counter_rate(r, COUNTER_OTHER));
  if (r->counter[COUNTER_TRIM] > 0)
    strbuf_addf(b, "         trim:  IOPS=%4.2f\n",
                report_counter_rate(r, COUNTER_TRIM));
}

static void form_add_results(struct strbuf *b, const struct report_setup *setup,
                             const struct report *r)
{
  if (setup->layout_1_1)
    form_add_results_1_1(b, r);
  else
    form_add_results_1_0(b, r);
}

/* `bytes` is `n` for requests without bytes. */
static void form_add_requests(const struct figures *to, const struct report *r,
                              const char *name, enum counter n,
                              enum counter bytes)
{
  to->begin(to->ctx, name);
  to->count(to->ctx, "count", r->counter[n]);
  to->real(to->ctx, "per_s", report_counter_rate(r, n));
  if (bytes != n) {
    to->count(to->ctx, "bytes", r->counter[bytes]);
    to->real(to->ctx, "bytes_per_s", report_counter_rate(r, bytes));
  }
  to->end(to->ctx);
}

static void form_add_figures(const struct figures *to,
                             const struct report_setup *setup,
                             const struct report *r)
{
  (void)setup;
  to->begin(to->ctx, "file_operations");
  form_add_requests(to, r, "read", COUNTER_READ, COUNTER_BYTES_READ);
  form_add_requests(to, r, "write", COUNTER_WRITE, COUNTER_BYTES_WRITTEN);
  form_add_requests(to, r, "fsync", COUNTER_OTHER, COUNTER_OTHER);
  if (r->counter[COUNTER_TRIM] > 0)
    form_add_requests(to, r, "trim", COUNTER_TRIM, COUNTER_TRIM);
  to->end(to->ctx);
}

const struct report_form fileio_form = {
  .interval = form_add_interval,
  .results = form_add_results,
  .figures = form_add_figures,
  .classes = "Operations",
  .class = "operation",
  .is_brief_1_1 = true,
};
