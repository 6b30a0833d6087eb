/*
 * outage_report.h - what a run says about its outages, as plain numbers.
 */
#ifndef BENCH_STATS_OUTAGE_REPORT_H
#define BENCH_STATS_OUTAGE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/service.h"

/* Over the clients that had an outage: the longest of each. */
struct outage_spread {
  uint64_t median_ns, p95_ns, max_ns;
};

/* A time with less than half of the usual throughput. */
struct brownout {
  uint64_t from_ns, to_ns;
  double lowest_per_s; /* of its seconds */
  double usual_per_s;  /* the median of the minute before it */
};

enum {
  BROWNOUTS_MAX = 100 /* further ones are only counted */
};

struct outage_report {
  uint64_t base_ns;  /* the measured start: times count from here */
  uint64_t end_ns;   /* of its clients; in a sum 0 */
  uint64_t limit_ns; /* --stall */
  bool open_loop;    /* events were due at moments of their own */

  unsigned n_stalls; /* borrowed, as the others; ascending */
  const struct stall *stalls;
  uint64_t count;      /* with those that were not kept */
  bool at_least;       /* count and stalled_ns may be larger */
  uint64_t stalled_ns; /* their sum */
  uint64_t longest_ns;
  uint64_t arrivals; /* with a rate: that were due in stalls */

  unsigned n_brownouts;
  const struct brownout *brownouts; /* NULL: they are not known */
  uint64_t brownout_count, brownout_ns;

  unsigned clients;     /* of the run */
  unsigned affected;    /* that had an outage, at its end too */
  unsigned still_down;  /* whose outage lasted until the end */
  uint64_t outages;     /* of all clients, with those that lasted */
  uint64_t unserved_ns; /* their sum */
  /* From the last success to the next; and from the first error on. */
  struct outage_spread unavailable, noticed;
  /* The numbers behind them, in no order; borrowed, [n_longest]. */
  unsigned n_longest;
  const uint64_t *longest_of, *noticed_of;
  uint64_t phases[FAULT_PHASES];
};

/* The spread of `n` numbers, which are put into order. */
struct outage_spread outage_spread_of(uint64_t *of, unsigned n);

/* Something has happened. */
static inline bool outage_report_any(const struct outage_report *r)
{
  return r && (r->count > 0 || r->outages > 0 || r->brownout_count > 0);
}

/* ... that is no mere pause: with an error, or a second long. */
bool outage_report_serious(const struct outage_report *r);

/* ---- several processes ---- */

/*
 * the outages of several processes of a run as those of one.
 *
 * No client was served when none of any process was: a stall of the whole is a
 * time that is in a stall of each process that has not ended.  Clients are
 * added up.  Times are those since the measured start of each process, which
 * begin together.
 * Brown-outs are not known: each process knows its own throughput only.
 *
 * A process keeps its longest stalls.  If one has not kept all, stalls of the
 * whole that are no longer than those that it dropped may be missing.
 */

/* In the order of time; the last one never ends. */
struct outage_list {
  struct stall *of;
  unsigned n;
  uint64_t end_ns; /* of the last process */
};

struct outage_sum {
  unsigned parts; /* that were added */
  struct outage_report all;
  struct outage_list list;     /* owned */
  struct stall *stalls;        /* owned; [list.n], of the report */
  uint64_t *longest, *noticed; /* owned; [n], of each affected client */
  size_t n;
};

/* Adds a copy; {0} is empty.  -ENOMEM: only outage_sum_clear() may follow. */
int outage_sum_add(struct outage_sum *s, const struct outage_report *r);

/* What was added, or NULL: nothing was.  Valid until the next call of another
 * function. */
const struct outage_report *outage_sum_report(struct outage_sum *s);

/* Empty again. */
void outage_sum_clear(struct outage_sum *s);

#endif
