/*
 * event_log.h - one line per event, written by a thread of its own.
 *
 * Lines are START,LATENCY,THREAD,CLASS,ERROR: nanoseconds since the load began,
 * nanoseconds, the worker's number, the class ("" if there is none), 0 or 1.
 * Events of one worker are in their order; those of several workers are mixed.
 */
#ifndef BENCH_RESULTS_EVENT_LOG_H
#define BENCH_RESULTS_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "report/reporter.h"

struct err;
struct event_log;
struct event_rings;

/* `first` is the number of the first thread. */
int event_log_new(struct event_log **ret, const char *name, unsigned threads,
                  unsigned first, struct err *err);
void event_log_free(struct event_log *l);

/* Was its thread left behind, inside outfile_write()?  Then the log must not be
 * freed. */
bool event_log_is_left(const struct event_log *l);

/* The rings in which workers store their events. */
struct event_rings *event_log_rings(struct event_log *l);

/*
 * over() sets this place to the outcome.  It waits as long as the file takes
 * something.  If the file does not take a block (64 kB) in OUTFILE_PATIENCE_NS,
 * the log has failed, the file is left to the thread, and the rest is dropped.
 * All lines of a block that was not written completely count as dropped, even
 * those that did get there.
 */
struct event_log_end {
  uint64_t written; /* lines */
  uint64_t dropped; /* events that are not in the file */
  bool failed;      /* the file could not be written */
};

void event_log_tell(struct event_log *l, struct event_log_end *ret);

extern const struct reporter event_log_reporter; /* ctx: struct event_log */

#endif
