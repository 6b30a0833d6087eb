/*
 * slo_stop.h - decides about the objective during a run, to end it early.
 *
 * The report thread looks in short intervals, the conductor once more after its
 * end.  Counts begin when throughput and latency are steady: at the end of the
 * warm-up, or up to twice its length later.
 */
#ifndef BENCH_RUN_SLO_STOP_H
#define BENCH_RUN_SLO_STOP_H

#include <stdbool.h>
#include <stdint.h>

struct decision_result;
struct err;
struct slo_stop;
struct run;

/* run->plan has an objective.  Borrows the run. */
int slo_stop_new(struct slo_stop **ret, struct run *run, struct err *err);
void slo_stop_free(struct slo_stop *j);

/* Between looks. */
uint64_t slo_stop_interval_ns(const struct slo_stop *j);

/* Earlier looks only see whether the run is steady. */
void slo_stop_measure_from(struct slo_stop *j, uint64_t now_ns);

/* True: the objective is decided. */
bool slo_stop_look(struct slo_stop *j, uint64_t now_ns);

/* `unfinished`: workers inside events. */
void slo_stop_end(struct slo_stop *j, uint64_t now_ns, uint64_t unfinished);

/* After slo_stop_end(). */
const struct decision_result *slo_stop_result(const struct slo_stop *j);

#endif
