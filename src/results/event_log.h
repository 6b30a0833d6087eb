/*
 * event_log.h - one line per event, written by a thread of its own.
 *
 * Lines are START,LATENCY,THREAD,CLASS,ERROR: nanoseconds since the load began,
 * nanoseconds, the worker's number, the class ("" where there is none), 0 or 1.
 * Events of one worker are in their order, those of several are mixed.
 */
#ifndef BENCH_RESULTS_EVENT_LOG_H
#define BENCH_RESULTS_EVENT_LOG_H

#include <stdint.h>

#include "report/reporter.h"

struct err;
struct event_log;
struct event_rings;

/* Numbers of threads begin with `first`. */
int event_log_new(struct event_log **ret, const char *name, unsigned threads,
                  unsigned first, struct err *err);
void event_log_free(struct event_log *l);

/* Where workers put their events. */
struct event_rings *event_log_rings(struct event_log *l);

/* Where over() tells how many lines there are, and how many events found no
 * place. */
void event_log_tell(struct event_log *l, uint64_t *ret_written,
                    uint64_t *ret_dropped);

extern const struct reporter event_log_reporter; /* ctx: struct event_log */

#endif
