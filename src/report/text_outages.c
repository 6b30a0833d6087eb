/*
 * text_outages.c - the outages of a run as text.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/minmax.h"
#include "base/strbuf.h"
#include "report/text.h"
#include "report/text_num.h"
#include "stats/outage_report.h"
#include "stats/report.h"

enum {
  SHOWN = 10 /* stalls and brown-outs, of each */
};

static double since(const struct outage_report *r, uint64_t at_ns)
{
  return text_s(at_ns - r->base_ns);
}

static uint64_t length(const struct stall *s)
{
  return s->to_ns - s->from_ns;
}

static void add_stall(struct strbuf *b, const struct outage_report *r,
                      const struct stall *s)
{
  strbuf_addf(b, "    at %.3f s for %.3f s, %u of %u clients",
              since(r, s->from_ns), text_s(length(s)), s->clients, r->clients);
  if (r->open_loop)
    strbuf_addf(b, ", %" PRIu64 " arrivals", s->arrivals);
  if (s->ended_by >= 0)
    strbuf_addf(b, ", until client %" PRId64 " was served", s->ended_by);
  else
    strbuf_adds(b, ", until the end of the run");
  if (s->fault.at_ns > 0)
    strbuf_addf(b, "\n        first error (%s): %s%s%s",
                fault_phase_name(s->fault.phase), s->fault.code,
                s->fault.code[0] ? " " : "", s->fault.text);
  strbuf_adds(b, "\n");
}

static void add_more(struct strbuf *b, uint64_t all, unsigned shown)
{
  if (all > shown)
    strbuf_addf(b, "    and %" PRIu64 " more\n", all - shown);
}

/* The n-th longest is so long; 0: there are not so many. */
static uint64_t nth_longest(const struct outage_report *r, unsigned n)
{
  uint64_t at = UINT64_MAX;

  /* From the longest on, each that is next to it, until there are n. */
  for (unsigned found = 0; found < n;) {
    uint64_t next = 0;

    for (unsigned i = 0; i < r->n_stalls; i++) {
      if (length(&r->stalls[i]) < at)
        next = max_u64(next, length(&r->stalls[i]));
    }
    if (next == 0)
      return 0;
    at = next;
    for (unsigned i = 0; i < r->n_stalls; i++)
      found += length(&r->stalls[i]) == at;
  }
  return at;
}

/* The longest ones, in the order of time. */
static void add_stalls(struct strbuf *b, const struct outage_report *r)
{
  const unsigned n = r->n_stalls < SHOWN ? r->n_stalls : SHOWN;
  const uint64_t least_ns = nth_longest(r, n);
  unsigned longer = 0, alike;
  const char *least = r->at_least ? "at least " : "";

  strbuf_addf(b,
              "    times without any success:           %s%" PRIu64
              ", together %s%.3f s\n",
              least, r->count, least, text_s(r->stalled_ns));
  for (unsigned i = 0; i < r->n_stalls; i++)
    longer += length(&r->stalls[i]) > least_ns;
  alike = n - longer; /* of those that are exactly as long as the last one */
  for (unsigned i = 0; i < r->n_stalls; i++) {
    const uint64_t ns = length(&r->stalls[i]);

    if (ns > least_ns || (ns == least_ns && alike > 0)) {
      alike -= ns == least_ns;
      add_stall(b, r, &r->stalls[i]);
    }
  }
  add_more(b, r->count, n);
}

static void add_brownouts(struct strbuf *b, const struct outage_report *r)
{
  const unsigned n = r->n_brownouts < SHOWN ? r->n_brownouts : SHOWN;

  strbuf_addf(b,
              "    below half of the usual throughput:  %" PRIu64
              ", together %.1f s\n",
              r->brownout_count, text_s(r->brownout_ns));
  for (unsigned i = 0; i < n; i++) {
    const struct brownout *o = &r->brownouts[i];

    strbuf_addf(b,
                "    at %.1f s for %.1f s, down to %.2f of %.2f per second\n",
                since(r, o->from_ns), text_s(o->to_ns - o->from_ns),
                o->lowest_per_s, o->usual_per_s);
  }
  add_more(b, r->brownout_count, n);
}

static void add_spread(struct strbuf *b, const char *title,
                       const struct outage_spread *s)
{
  strbuf_addf(b, "        %-33smedian %.3f s, 95%% %.3f s, longest %.3f s\n",
              title, text_s(s->median_ns), text_s(s->p95_ns),
              text_s(s->max_ns));
}

static void add_clients(struct strbuf *b, const struct outage_report *r)
{
  strbuf_addf(b, "    clients whose service failed:        %u of %u",
              r->affected, r->clients);
  if (r->still_down > 0)
    strbuf_addf(b, ", %u until the end", r->still_down);
  strbuf_adds(b, "\n");
  add_spread(b, "from the last success:", &r->unavailable);
  add_spread(b, "from the first error:", &r->noticed);
}

void text_outages(struct strbuf *b, const struct outage_report *r)
{
  strbuf_adds(b, "Outages:\n");
  if (r->count > 0)
    add_stalls(b, r);
  if (r->brownout_count > 0)
    add_brownouts(b, r);
  if (r->outages > 0)
    add_clients(b, r);
  if (!r->open_loop)
    strbuf_addf(b,
                "    (a closed loop: without --rate there is one request per "
                "client, %u in all)\n",
                r->clients);
  strbuf_adds(b, "\n");
}
