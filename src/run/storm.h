/*
 * storm.h - clients that come all at once, run one event, and leave.
 */
#ifndef BENCH_RUN_STORM_H
#define BENCH_RUN_STORM_H

struct err;
struct plan;
struct storm_report;
struct storms;
struct worker;

int storms_new(struct storms **ret, const struct plan *plan, struct err *err);
void storms_free(struct storms *s);

/* WAITS for the worker's storm; returns the error of its event. */
int storm_loop(struct worker *w, void *thr, struct err *err);

/* One per storm, valid until storms_free(); after the clients. */
const struct storm_report *storms_report(struct storms *s);

#endif
