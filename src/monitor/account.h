/*
 * account.h - from readings of a server to what it did in an interval and in
 * the whole run.  Plain arithmetic; the caller keeps threads apart.
 */
#ifndef BENCH_MONITOR_ACCOUNT_H
#define BENCH_MONITOR_ACCOUNT_H

#include "monitor/reading.h"

struct monitor_source;

/* A part of the run that has been reported. */
struct account_part {
  uint64_t end_ns;
  bool due; /* it should have a reading */
};

/* All {0} at first. */
struct account {
  bool has_base;
  bool unsure;                   /* is it still the server of the base? */
  struct server_reading base;    /* what the next reading is compared with */
  struct server_owed owed;       /* by what came before */
  struct server_waits waits;     /* since then */
  struct server_waits now;       /* in the interval that goes on */
  struct server_reading seen;    /* the levels that follow from them */
  struct server_interval ready;  /* for the interval that goes on */
  struct server_interval shown;  /* of the interval that is reported */
  struct server_interval latest; /* the last one that is known */
  uint64_t passed_ns; /* the end of the last interval that was reported */

  uint64_t over_ns; /* the end of the load; 0: it goes on */

  double events; /* of the run, between the readings of `sum` */

  uint64_t readings, late, missed, lost, restarts;
  uint64_t took_ns, took_max_ns, took_last_ns;

  uint64_t period_ns;
  struct server_reading sum;  /* counts; of levels, the sum over `levels` */
  struct server_reading most; /* levels */
  uint64_t levels[SERVER_METRICS];
  struct server_waits all_waits;
};

/*
 * A reading has come.  `grid_ns` is the end of the interval that it is for: 0
 * for the first one, UINT64_MAX for the last one.  If that interval was
 * reported, the reading is late, and dropped.
 */
void account_add(struct account *a, const struct monitor_source *source,
                 const struct server_access *access,
                 const struct server_reading *r, uint64_t grid_ns);

/* What sessions do has been looked at. */
void account_look(struct account *a, const struct monitor_source *source,
                  const struct server_access *access,
                  const struct server_waits *waits);

/* The connection was lost.  Behind the next one may be another server, so the
 * next reading is compared with no earlier one. */
void account_lose(struct account *a);

/* Behind the new connection the server has begun anew, or it is another. */
void account_restart(struct account *a);

/* The interval that ends there is reported now. */
void account_pass(struct account *a, const struct account_part *interval);

/* The load has ended at that moment.  What a server does behind it is in no
 * figure, unless a reading has begun before it. */
void account_finish(struct account *a, uint64_t end_ns);

/* Fills in the numbers of *ret. */
void account_total(const struct account *a, struct server_total *ret);

#endif
