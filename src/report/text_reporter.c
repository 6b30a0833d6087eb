#include "report/text_reporter.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "report/form.h"
#include "report/marks.h"
#include "report/text.h"
#include "stats/outage_report.h"
#include "stats/report.h"

static int text_reporter_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the report");
}

/* With one call; empties the buffer. */
static int text_reporter_print(struct strbuf *b, struct err *err)
{
  if (b->failed)
    return text_reporter_no_memory(err);
  if (b->len > 0)
    log_msg(LOG_NOTICE, "%s", strbuf_str(b));
  strbuf_clear(b);
  return 0;
}

/* A message per line. */
static int text_reporter_debug_lines(struct strbuf *b, struct err *err)
{
  char *line = b->text;

  if (b->failed)
    return text_reporter_no_memory(err);
  while (line && *line) {
    char *end = strchr(line, '\n');

    if (!end) /* not a line */
      break;
    *end = '\0';
    log_msg(LOG_DEBUG, "%s", line);
    line = end + 1;
  }
  strbuf_clear(b);
  return 0;
}

static int text_reporter_print_statement_times(struct strbuf *b,
                                               const struct report *r,
                                               struct err *err)
{
  struct strbuf lines = { 0 };
  int rc = text_reporter_print(b, err); /* flushes earlier text */

  if (rc == 0) {
    text_statement_times(&lines, r);
    rc = text_reporter_debug_lines(&lines, err);
  }
  strbuf_done(&lines);
  return rc;
}

static int text_reporter_print_threads(struct strbuf *b, const struct report *r,
                                       struct err *err)
{
  struct strbuf lines = { 0 };
  int rc = text_reporter_print(b, err);

  if (rc == 0) {
    log_msg(LOG_DEBUG, "%s", TEXT_THREADS_TITLE);
    text_threads(&lines, r);
    rc = text_reporter_debug_lines(&lines, err);
  }
  strbuf_adds(b, "\n");
  strbuf_done(&lines);
  return rc;
}

/* Appends to `b`. */
static int text_reporter_print_cumulative(struct strbuf *b,
                                          const struct report_setup *setup,
                                          const struct report *r,
                                          struct err *err)
{
  int rc = 0;

  if (r->members.n > 0)
    text_members(b, setup, r);
  text_results(b, setup, r);
  if (setup->statement_times && r->form->has_statements)
    rc = text_reporter_print_statement_times(b, r, err);
  if (rc < 0)
    return rc;
  text_common(b, setup, r);
  if (r->thread && setup->per_thread &&
      !(setup->layout_1_1 && r->form->is_brief_1_1))
    rc = text_reporter_print_threads(b, r, err);
  if (rc < 0)
    return rc;
  if (r->kind != REPORT_CHECKPOINT)
    text_percentiles(b, setup, r);
  if (r->kind != REPORT_CHECKPOINT && setup->class_table &&
      text_classes(b, setup, r) < 0)
    return text_reporter_no_memory(err);
  return text_reporter_print(b, err);
}

/* `b`: text before a hook's. */
static int text_reporter_cumulative(const struct text_reporter *t,
                                    struct strbuf *b,
                                    const struct report_setup *setup,
                                    const struct report *r, struct err *err)
{
  const struct text_hooks *hooks = t->hooks;
  int rc;

  if (!hooks || !hooks->cumulative)
    return text_reporter_print_cumulative(b, setup, r, err);
  rc = text_reporter_print(b, err);
  if (rc < 0 || hooks->cumulative(hooks->arg, r))
    return rc;
  return text_reporter_print_cumulative(b, setup, r, err);
}

static int text_on_interval(void *ctx, const struct report_setup *setup,
                            const struct report *r, struct err *err)
{
  const struct text_hooks *hooks = ((const struct text_reporter *)ctx)->hooks;
  struct strbuf b = { 0 };
  int rc;

  if (r->unprinted)
    return 0;
  if (hooks && hooks->interval && hooks->interval(hooks->arg, r))
    return 0;
  text_interval(&b, setup, r);
  rc = text_reporter_print(&b, err);
  strbuf_done(&b);
  return rc;
}

static int text_on_checkpoint(void *ctx, const struct report_setup *setup,
                              const struct report *r, struct err *err)
{
  struct strbuf b = { 0 };
  int rc;

  text_checkpoint_header(&b, r);
  rc = text_reporter_cumulative(ctx, &b, setup, r, err);
  strbuf_done(&b);
  return rc;
}

static int text_reporter_print_final(const struct text_reporter *t,
                                     struct strbuf *b,
                                     const struct report_setup *setup,
                                     const struct report *r, struct err *err)
{
  if (setup->histogram && r->kind == REPORT_FINAL && text_histogram(b, r) < 0)
    return text_reporter_no_memory(err);
  return text_reporter_cumulative(t, b, setup, r, err);
}

static int text_reporter_append(const struct text_reporter *t, struct strbuf *b,
                                const struct report *r, struct err *err)
{
  const struct text_hooks *hooks = t->hooks;

  if (!hooks || !hooks->append)
    return 0;
  strbuf_clear(b);
  hooks->append(hooks->arg, r, b);
  return text_reporter_print(b, err);
}

/* After an error in an event sysbench prints no report; we print the reason
 * first, and nothing without events. */
static int text_reporter_print_failed(const struct text_reporter *t,
                                      struct strbuf *b,
                                      const struct report_setup *setup,
                                      const struct report *r, struct err *err)
{
  static const struct text_reporter no_hooks;
  const struct text_hooks *hooks = t->hooks;

  if (setup->as_sysbench)
    return 0;
  if (hooks && hooks->cumulative && hooks->cumulative(hooks->arg, r))
    return 0;
  if (r->run_events == 0)
    return 0;
  strbuf_addf(b, "The run ended early: %.*s\n\n",
              (int)strcspn(r->failure, "\n"), r->failure);
  return text_reporter_print_final(&no_hooks, b, setup, r, err);
}

/* Only if there were outages; short pauses, which any machine can have, only on
 * request.  Under the name sysbench only on request: parsers find lines by
 * place. */
static int text_reporter_print_outages(struct strbuf *b,
                                       const struct report_setup *setup,
                                       const struct report *r, struct err *err)
{
  if (!outage_report_any(r->outages) ||
      (!setup->stall_given && log_get_level() < LOG_INFO &&
       (setup->as_sysbench || !outage_report_serious(r->outages))))
    return 0;
  strbuf_clear(b);
  text_outages(b, r->outages);
  return text_reporter_print(b, err);
}

static int text_reporter_print_storms(struct strbuf *b, const struct report *r,
                                      struct err *err)
{
  if (r->n_storms == 0)
    return 0;
  strbuf_clear(b);
  text_storms(b, r->storms, r->n_storms);
  return text_reporter_print(b, err);
}

static int text_reporter_print_marks(struct strbuf *b, const struct marks *m,
                                     struct err *err)
{
  if (marks_count(m) == 0)
    return 0;
  strbuf_clear(b);
  marks_write(b, m);
  return text_reporter_print(b, err);
}

static int text_on_final(void *ctx, const struct report_setup *setup,
                         const struct report *r, struct err *err)
{
  const struct text_reporter *t = ctx;
  struct strbuf b = { 0 };
  int rc;

  if (t->hooks && t->hooks->periods_over)
    t->hooks->periods_over(t->hooks->arg);
  rc = r->failure ? text_reporter_print_failed(t, &b, setup, r, err)
                  : text_reporter_print_final(t, &b, setup, r, err);
  if (rc == 0 && !r->failure)
    rc = text_reporter_append(t, &b, r, err);
  if (rc == 0)
    rc = text_reporter_print_outages(&b, setup, r, err);
  if (rc == 0)
    rc = text_reporter_print_storms(&b, r, err);
  if (rc == 0)
    rc = text_reporter_print_marks(&b, t->marks, err);
  strbuf_done(&b);
  return rc;
}

const struct reporter text_reporter = {
  .name = "text",
  .interval = text_on_interval,
  .checkpoint = text_on_checkpoint,
  .final = text_on_final,
};
