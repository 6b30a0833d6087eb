/*
 * text_storms.c - the storms of a run as text.
 */
#include "base/clock.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "report/text.h"
#include "report/text_num.h"
#include "stats/storm_report.h"

static void add_times(struct strbuf *b, const char *what,
                      const struct storm_times *t)
{
  if (t->count == 0)
    return;
  strbuf_addf(b,
              "        %s %7u: half within %.3f s, 99%% within %.3f s, all "
              "within %.3f s\n",
              what, t->count, text_s(t->p50_ns), text_s(t->p99_ns),
              text_s(t->max_ns));
}

static void add_storm(struct strbuf *b, const struct storm_report *s)
{
  const unsigned lost = s->clients - s->served.count - s->failed;

  strbuf_addf(b, "    at %.3f s, %u client%s:\n", text_s(s->at_ns), s->clients,
              fmt_plural(s->clients));
  add_times(b, "connected:", &s->connected);
  add_times(b, "served:   ", &s->served);
  if (s->failed > 0)
    strbuf_addf(b, "        refused:    %7u, the first one: %s\n", s->failed,
                s->reason);
  if (lost > 0)
    strbuf_addf(b, "        not served: %7u until the end of the run\n", lost);
}

void text_storms(struct strbuf *b, const struct storm_report *of, unsigned n)
{
  strbuf_adds(b, "Storms:\n");
  for (unsigned i = 0; i < n; i++)
    add_storm(b, &of[i]);
  strbuf_adds(b, "\n");
}
