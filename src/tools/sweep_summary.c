/*
 * sweep_summary.c - a sweep in a few lines of Markdown.
 */
#include "base/strbuf.h"
#include "results/summary.h"
#include "tools/sweep_internal.h"
#include "tools/table.h"

static const char *outcome(const struct sweep *s)
{
  bool missed = false;

  for (size_t i = 0; i < s->n_outcomes; i++) {
    if (s->outcomes[i].failed)
      return ": **a step failed**";
    missed = missed || s->outcomes[i].missed;
  }
  return missed ? ": objective **not held** by all steps" : "";
}

int sweep_write_summary(const struct sweep *s, struct err *err)
{
  struct strbuf out = { 0 };
  int rc;

  strbuf_adds(&out, "## Sweep of ");
  table_add_text(&out, s->in->test ? s->in->test : "a script", TABLE_MARKDOWN);
  strbuf_addf(&out, "%s\n\n", outcome(s));
  sweep_table(s, TABLE_MARKDOWN, &out);
  summary_machine(&out);
  rc = summary_write(s->in->summary, &out, err);
  strbuf_done(&out);
  return rc;
}
