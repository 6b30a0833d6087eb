/*
 * sweep_summary.c - a sweep in a few lines of Markdown.
 */
#include "base/strbuf.h"
#include "results/summary.h"
#include "run/signals.h"
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

/* The answer in sentences, and the steps. */
static void search_text(const struct sweep *s, struct strbuf *out)
{
  struct strbuf answer = { 0 };

  find_say(&s->find, &answer);
  table_add_text(out, strbuf_str(&answer), TABLE_MARKDOWN);
  strbuf_adds(out, "\n\n");
  find_table(&s->find, out);
  strbuf_done(&answer);
  sweep_doubts(s, "\n### Warnings\n\n", TABLE_MARKDOWN, out);
}

int sweep_write_summary(const struct sweep *s, struct err *err)
{
  struct strbuf out = { 0 };
  int rc;

  strbuf_addf(&out, "## %s of ", sweep_finds(s) ? "Search" : "Sweep");
  table_add_text(&out, s->in->test ? s->in->test : "a script", TABLE_MARKDOWN);
  if (s->children.signal != 0)
    strbuf_addf(&out, ": **ended by %s**", signals_name(s->children.signal));
  strbuf_addf(&out, "%s\n\n", sweep_finds(s) ? "" : outcome(s));
  if (sweep_finds(s))
    search_text(s, &out);
  else
    sweep_table(s, TABLE_MARKDOWN, &out);
  summary_machine(&out);
  rc = summary_write(s->in->summary, &out, err);
  strbuf_done(&out);
  return rc;
}
