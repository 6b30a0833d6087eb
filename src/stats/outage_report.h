/*
 * outage_report.h - the outages of a run, as plain numbers.
 */
#ifndef BENCH_STATS_OUTAGE_REPORT_H
#define BENCH_STATS_OUTAGE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/service.h"

/* The longest outage of each affected client. */
struct outage_spread {
  uint64_t median_ns, p95_ns, max_ns;
};

/* Less than half of the usual throughput. */
struct brownout {
  uint64_t from_ns, to_ns;
  double lowest_per_s;
  double usual_per_s; /* the median of the minute before */
};

enum {
  BROWNOUTS_MAX = 100 /* further ones are only counted */
};

struct outage_report {
  uint64_t base_ns; /* the measured start: times count from here */
  uint64_t end_ns;  /* when its clients ended; 0 in a sum */
  uint64_t limit_ns;
  bool open_loop; /* events were due by a schedule */

  unsigned n_stalls; /* borrowed, like all arrays here; ascending */
  const struct stall *stalls;
  uint64_t count; /* includes stalls that were not kept */
  bool at_least;  /* count and stalled_ns are lower bounds */
  uint64_t stalled_ns;
  uint64_t longest_ns;
  uint64_t arrivals; /* due in stalls, with a rate */

  unsigned n_brownouts;
  const struct brownout *brownouts; /* NULL: unknown */
  uint64_t brownout_count, brownout_ns;

  unsigned clients;
  unsigned affected;
  unsigned still_down; /* had an outage at the end */
  uint64_t outages;    /* of all clients */
  uint64_t unserved_ns;
  /* From the last success, or the first error, to the next success. */
  struct outage_spread unavailable, noticed;
  unsigned n_longest;
  const uint64_t *longest_of, *noticed_of;
  uint64_t phases[FAULT_PHASES];
};

struct outage_spread outage_spread_of(uint64_t *of, unsigned n);

static inline bool outage_report_any(const struct outage_report *r)
{
  return r && (r->count > 0 || r->outages > 0 || r->brownout_count > 0);
}

/* More than a pause: with an error, or a second long. */
bool outage_report_serious(const struct outage_report *r);

/*
 * The sum over processes. It has a stall while each process is in a stall or
 * has ended. Clients are added up. Times count from the measured starts, which
 * are together. Brown-outs are unknown. If processes have dropped short stalls,
 * common ones can be missing.
 */

/* By time; the last one never ends. */
struct outage_list {
  struct stall *of;
  unsigned n;
  uint64_t end_ns;
};

struct outage_sum {
  unsigned parts;
  struct outage_report all;
  struct outage_list list;
  struct stall *stalls;        /* owned; [list.n], those of the report */
  uint64_t *longest, *noticed; /* owned; [n], per affected client */
  size_t n;
};

/* `r` is copied; {0} is empty. After -ENOMEM, only outage_sum_clear() may
 * follow. */
int outage_sum_add(struct outage_sum *s, const struct outage_report *r);

/* NULL: nothing was added. Valid until the next call. */
const struct outage_report *outage_sum_report(struct outage_sum *s);

void outage_sum_clear(struct outage_sum *s);

#endif
