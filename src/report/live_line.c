#include "report/live_line.h"

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/text_num.h"
#include "stats/report.h"

/* From long to short. */
enum form {
  FORM_ALL,
  FORM_RATE, /* without latency and errors */
  FORM_LEFT, /* time or events left */
  FORM_STEP, /* a step without its sweep */
  FORMS,
};

static void live_line_add_step(struct strbuf *line, const struct live_line *l,
                               const struct report *r, enum form form)
{
  strbuf_addf(line, "step %" PRIu64 " of %" PRIu64, l->step, l->steps);
  if (l->time_ns != UINT64_MAX && isfinite(l->rest_s)) {
    const double mine_s = l->time_ns > r->elapsed_ns
                            ? text_s(l->time_ns - r->elapsed_ns)
                            : 0;

    strbuf_adds(line, ", about ");
    progress_add_time(line, mine_s + l->rest_s);
    strbuf_adds(line, " left");
  }
  if (form != FORM_STEP)
    strbuf_adds(line, "; ");
}

static void live_line_add_place(struct strbuf *line, const struct live_line *l,
                                const struct report *r)
{
  progress_add_time(line, text_s(r->elapsed_ns));
  if (l->events != UINT64_MAX) {
    strbuf_addf(line, ", %" PRIu64 " of %" PRIu64 " events", l->done,
                l->events);
  } else if (l->time_ns != UINT64_MAX) {
    strbuf_adds(line, " of ");
    progress_add_time(line, text_s(l->time_ns));
    if (l->time_ns > r->elapsed_ns) {
      strbuf_adds(line, ", ");
      progress_add_time(line, text_s(l->time_ns - r->elapsed_ns));
      strbuf_adds(line, " left");
    }
  }
}

static void live_line_add_latency(struct strbuf *line,
                                  const struct report_setup *setup,
                                  const struct report *r)
{
  char percentile[FMT_DOUBLE_SIZE];

  if (setup->percentile <= 0 || r->events == 0)
    return;
  strbuf_addf(line, ", p%s %.2f ms",
              fmt_shortest(percentile, setup->percentile),
              (double)r->percentile_ns / (double)NS_PER_MS);
}

static void live_line_add_form(struct strbuf *line, const struct live_line *l,
                               const struct report_setup *setup,
                               const struct report *r, enum form form)
{
  if (l->steps > 0)
    live_line_add_step(line, l, r, form);
  if (form == FORM_STEP)
    return;
  live_line_add_place(line, l, r);
  if (form == FORM_LEFT)
    return;
  strbuf_addf(line, ": %.*f events/s", report_rate(r, r->events) < 100 ? 1 : 0,
              report_rate(r, r->events));
  if (form == FORM_RATE)
    return;
  live_line_add_latency(line, setup, r);
  if (l->errors > 0)
    strbuf_addf(line, ", %" PRIu64 " error%s", l->errors,
                l->errors == 1 ? "" : "s");
}

/* The longest form below `columns` characters.  Counts include the interval. */
static void live_line_text(struct strbuf *line, const struct live_line *l,
                           const struct report_setup *setup,
                           const struct report *r, unsigned columns)
{
  for (int form = 0; form < FORMS; form++) {
    strbuf_clear(line);
    live_line_add_form(line, l, setup, r, (enum form)form);
    if (line->len < columns)
      return;
  }
  strbuf_clear(line);
}

static int live_line_on_interval(void *ctx, const struct report_setup *setup,
                                 const struct report *r, struct err *err)
{
  struct live_line *l = ctx;
  const unsigned columns = l->io->columns(l->io_ctx);
  struct strbuf line = { 0 };

  (void)err;
  l->done += r->events;
  l->errors += r->counter[COUNTER_ERROR];
  if (columns == 0)
    return 0;
  live_line_text(&line, l, setup, r, columns);
  if (!line.failed)
    l->io->show(l->io_ctx, strbuf_str(&line), false);
  strbuf_done(&line);
  return 0;
}

static int live_line_remove_line(struct live_line *l)
{
  l->io->show(l->io_ctx, NULL, false);
  return 0;
}

static int live_line_on_final(void *ctx, const struct report_setup *setup,
                              const struct report *r, struct err *err)
{
  (void)setup, (void)r, (void)err;
  return live_line_remove_line(ctx);
}

static int live_line_on_end(void *ctx, struct err *err)
{
  (void)err;
  return live_line_remove_line(ctx);
}

const struct reporter live_line_reporter = {
  .name = "progress",
  .interval = live_line_on_interval,
  .final = live_line_on_final,
  .end = live_line_on_end,
};
