/*
 * churn.h - how many events, or how long, a connection is used before it is
 * closed and opened again.  Each life draws a new limit.  The first is shorter,
 * so that clients do not come back together.
 */
#ifndef BENCH_DB_CHURN_H
#define BENCH_DB_CHURN_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/rand/rng.h"

/* Both 0: off. */
struct churn_range {
  uint64_t min, max;
};

struct churn_cfg {
  struct churn_range events, time_ns;
};

/* "off", events "100" or "100..200", or a time. -EINVAL. */
int churn_parse(const char *text, struct churn_cfg *ret);
/* "off", "30s", "30s..1m", "30" seconds. */
int churn_parse_time(const char *text, struct churn_range *ret);

static inline bool churn_is_wanted(const struct churn_cfg *cfg)
{
  return cfg->events.max > 0 || cfg->time_ns.max > 0;
}

/* The current life. */
struct churn {
  struct churn_cfg cfg;
  struct rng rng;
  uint64_t left;   /* events; 0: no limit */
  uint64_t due_ns; /* 0: no limit */
};

void churn_init(struct churn *c, const struct churn_cfg *cfg, uint64_t seed,
                uint64_t index, uint64_t now_ns);

/* After an event. */
bool churn_is_due(struct churn *c, uint64_t now_ns);

void churn_begin(struct churn *c, uint64_t now_ns);

#endif
