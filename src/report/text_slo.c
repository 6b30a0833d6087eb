/*
 * text_slo.c - the verdict on the objective as text.
 */
#include <inttypes.h>

#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/text.h"
#include "stats/report.h"

static const char *const titles[] = {
  [SLO_HELD] = "held",
  [SLO_FAILED] = "not held",
  [SLO_UNKNOWN] = "not shown to be held",
};

void text_slo_remark(struct strbuf *b, const struct slo_result *r)
{
  switch (slo_result_state(r)) {
  case SLO_HELD:
    strbuf_adds(b, "holds");
    break;
  case SLO_FAILED:
    strbuf_adds(b, "does not hold");
    break;
  case SLO_UNKNOWN:
    strbuf_addf(b, "too few events (%" PRIu64 ", at least %" PRIu64 " needed)",
                r->all, r->needed);
    return;
  }
  if (r->bad > 0)
    strbuf_addf(b, ": %" PRIu64 " of %" PRIu64 " %s", r->bad, r->all,
                r->term->kind->measure == SLO_ERRORS ? "failed"
                : r->bad == 1                        ? "was later"
                                                     : "were later");
  if (!r->sure)
    strbuf_adds(b, ", which may be chance");
}

void text_slo(struct strbuf *b, const struct slo_verdict *v)
{
  strbuf_addf(b, "Objective: %s\n", titles[v->state]);
  for (unsigned i = 0; i < v->n; i++) {
    char value[SLO_VALUE_SIZE];

    strbuf_addf(b, "    %-20s %14s  ", v->of[i].term->text,
                slo_value_text(value, &v->of[i]));
    text_slo_remark(b, &v->of[i]);
    strbuf_adds(b, "\n");
  }
  strbuf_adds(b, "\n");
}
