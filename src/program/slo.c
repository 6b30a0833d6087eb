/*
 * slo.c - judges a run by its objective.
 */
#include "program/slo.h"

#include <errno.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "report/text.h"
#include "stats/report.h"

/* A run that ended by an error in an event has an error to report instead. */
static int on_final(void *ctx, const struct report_setup *setup,
                    const struct report *r, struct err *err)
{
  struct slo_reporter *s = ctx;
  struct slo_verdict verdict;
  struct strbuf b = { 0 };
  int rc = 0;

  if (setup->slo.n == 0)
    return 0;
  slo_judge_report(r, setup, &verdict);
  s->missed = verdict.state != SLO_HELD;
  if (r->failure)
    return 0;
  text_slo(&b, &verdict);
  if (b.failed)
    rc = err_set(err, -ENOMEM, "not enough memory for the report");
  else
    log_msg(LOG_NOTICE, "%s", strbuf_str(&b));
  strbuf_done(&b);
  return rc;
}

const struct reporter slo_reporter = {
  .name = "objective",
  .final = on_final,
};
