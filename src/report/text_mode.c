/*
 * text_mode.c - the lines that show the options of a run.
 */
#include "report/text_mode.h"

#include <inttypes.h>

#include "base/fmt.h"
#include "base/strbuf.h"

static void checkpoints(struct strbuf *b, const struct text_mode *m)
{
  if (m->n_checkpoints == 0)
    return;
  strbuf_adds(b, "Report checkpoint(s) at ");
  for (size_t i = 0; i < m->n_checkpoints; i++)
    strbuf_addf(b, "%s%" PRIu64, i ? ", " : "", m->checkpoints[i]);
  strbuf_adds(b, " seconds\n");
}

void text_mode(struct strbuf *b, const struct text_mode *m)
{
  char number[FMT_DOUBLE_SIZE];

  strbuf_adds(b, "Running the test with following options:\n");
  if (m->carriers > 0)
    strbuf_addf(b, "Number of clients: %u on %u thread%s\n", m->threads,
                m->carriers, fmt_plural(m->carriers));
  else
    strbuf_addf(b, "Number of threads: %u\n", m->threads);
  if (m->idle > 0)
    strbuf_addf(b, "Idle clients: %u\n", m->idle);
  if (m->storm)
    strbuf_addf(b, "Storms of clients: %s\n", m->storm);
  if (m->warmup_s > 0)
    strbuf_addf(b, "Warmup time: %" PRIu64 "s\n", m->warmup_s);
  if (m->rate > 0.0)
    strbuf_addf(b, "Target transaction rate: %s/sec\n",
                fmt_shortest(number, m->rate));
  if (m->profile && *m->profile)
    strbuf_addf(b, "Load profile: %s\n", m->profile);
  if (m->interval_s > 0.0)
    strbuf_addf(b, "Report intermediate results every %s second(s)\n",
                fmt_shortest(number, m->interval_s));
  checkpoints(b, m);
  if (m->debug)
    strbuf_adds(b, "Debug mode enabled.\n\n");
  if (m->validate)
    strbuf_adds(b, "Validation checks: on.\n\n");
  if (m->seed == 0)
    strbuf_adds(b, "Initializing random number generator from current time\n");
  else
    strbuf_addf(
      b, "Initializing random number generator from seed (%" PRId64 ").\n",
      m->seed);
  strbuf_adds(b, "\n");
  if (m->forced)
    strbuf_addf(b, "Forcing shutdown in %" PRIu64 " seconds\n", m->forced_s);
  if (m->extra && *m->extra)
    strbuf_addf(b, "%s\n", m->extra);
  strbuf_adds(b, "\n");
}
