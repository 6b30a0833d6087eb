/*
 * text_marks.c - the marks of a run as text.
 */
#include <inttypes.h>

#include "base/strbuf.h"
#include "report/marks.h"
#include "report/text.h"

void text_mark(struct strbuf *b, const struct marks *m, unsigned i)
{
  strbuf_addf(b, "[ %.3fs ] mark: %s\n", mark_at_s(m, i), mark_text(m, i));
}

void text_marks(struct strbuf *b, const struct marks *m)
{
  strbuf_adds(b, "Marks:\n");
  for (unsigned i = 0; i < marks_count(m); i++)
    strbuf_addf(b, "    at %.3f s: %s\n", mark_at_s(m, i), mark_text(m, i));
  if (marks_lost(m) > 0)
    strbuf_addf(b, "    and %" PRIu64 " more, which were not kept\n",
                marks_lost(m));
  strbuf_adds(b, "\n");
}
