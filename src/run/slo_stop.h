/*
 * slo_stop.h - decides about the objective of a run while it goes on, so that
 * the run can end as soon as that is certain.
 *
 * The report thread looks at the counts in short intervals; after it has ended
 * or was left behind, the conductor has the last look.  Intervals count from
 * the moment at which throughput and latency are steady, which is the end of
 * the warm-up, or up to twice its length later.
 */
#ifndef BENCH_RUN_SLO_STOP_H
#define BENCH_RUN_SLO_STOP_H

#include <stdbool.h>
#include <stdint.h>

struct decision_result;
struct err;
struct slo_stop;
struct run;

/* run->plan has an objective.  The result borrows the run. */
int slo_stop_new(struct slo_stop **ret, struct run *run, struct err *err);
void slo_stop_free(struct slo_stop *j);

/* The time from one look to the next. */
uint64_t slo_stop_interval_ns(const struct slo_stop *j);

/* The measured part begins; before that, looks only see whether the run is
 * steady. */
void slo_stop_measure_from(struct slo_stop *j, uint64_t now_ns);

/* True: it is decided, and the run may end.  The time between looks is the
 * interval. */
bool slo_stop_look(struct slo_stop *j, uint64_t now_ns);

/* The run has ended, with so many workers still inside of events. */
void slo_stop_end(struct slo_stop *j, uint64_t now_ns, uint64_t unfinished);

/* After slo_stop_end(). */
const struct decision_result *slo_stop_result(const struct slo_stop *j);

#endif
