/*
 * storm.h - clients that come all at once in the middle of a run: they connect,
 * run one event each, and leave.
 */
#ifndef BENCH_RUN_STORM_H
#define BENCH_RUN_STORM_H

struct err;
struct plan;
struct storm_report;
struct storms;
struct worker;

/* What the clients of a run's storms have lived through. */
int storms_new(struct storms **ret, const struct plan *plan, struct err *err);
void storms_free(struct storms *s);

/* The life of such a worker: it waits for its storm, connects, and runs one
 * event.  Returns the error of that event. */
int storm_loop(struct worker *w, void *thr, struct err *err);

/* One for each storm, valid until storms_free(); the clients have ended, or
 * were left behind. */
const struct storm_report *storms_report(struct storms *s);

#endif
