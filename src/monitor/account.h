/*
 * account.h - makes intervals and totals from readings of a server. The caller
 * keeps threads apart.
 */
#ifndef BENCH_MONITOR_ACCOUNT_H
#define BENCH_MONITOR_ACCOUNT_H

#include "monitor/reading.h"

struct monitor_source;

struct account_part {
  uint64_t end_ns;
  bool due; /* expects a reading */
};

/* {0} at first. */
struct account {
  bool has_base;
  bool unsure;                  /* is it still the server of the base? */
  struct server_reading base;   /* compared with the next reading */
  struct server_owed owed;      /* by the time before */
  struct server_waits waits;    /* since the base */
  struct server_waits now;      /* in the present interval */
  struct server_reading seen;   /* their levels */
  struct server_interval ready; /* for the present interval */
  struct server_interval shown;
  struct server_interval latest; /* the last one with a reading */
  uint64_t passed_ns;            /* the end of the last reported interval */

  uint64_t over_ns; /* the end of the load; 0: not yet */

  double events; /* of the run, in the time of `sum` */

  uint64_t readings, late, missed, lost, restarts;
  uint64_t took_ns, took_max_ns, took_last_ns;

  uint64_t period_ns;
  struct server_reading
    sum; /* counts; for levels the sum of `levels` readings */
  struct server_reading most;
  uint64_t levels[SERVER_METRICS];
  struct server_waits all_waits;
};

/* For the interval that ends at `grid_ns` (0: first reading, UINT64_MAX: last).
 * Dropped if that interval was reported. */
void account_add(struct account *a, const struct monitor_source *source,
                 const struct server_access *access,
                 const struct server_reading *r, uint64_t grid_ns);

/* What sessions do. */
void account_look(struct account *a, const struct monitor_source *source,
                  const struct server_access *access,
                  const struct server_waits *waits);

/* The next connection can lead to another server: drops earlier readings. */
void account_lose(struct account *a);

/* The server was restarted, or is another. */
void account_restart(struct account *a);

void account_pass(struct account *a, const struct account_part *interval);

/* The end of the load. A later reading counts only if its base is before. */
void account_finish(struct account *a, uint64_t end_ns);

void account_total(const struct account *a, struct server_total *ret);

#endif
