/*
 * event_log.h - one line per event, written by a thread of its own.
 *
 * Lines are START,LATENCY,THREAD,CLASS,ERROR: nanoseconds since the load began,
 * nanoseconds, the worker's number, the class ("" where there is none), 0 or 1.
 * Events of one worker are in their order, those of several are mixed.
 */
#ifndef BENCH_RESULTS_EVENT_LOG_H
#define BENCH_RESULTS_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "report/reporter.h"

struct err;
struct event_log;
struct event_rings;

/* Numbers of threads begin with `first`. */
int event_log_new(struct event_log **ret, const char *name, unsigned threads,
                  unsigned first, struct err *err);
void event_log_free(struct event_log *l);

/* Was its thread left behind, inside outfile_write()?  Then the log must not be
 * freed. */
bool event_log_is_left(const struct event_log *l);

/* Where workers put their events. */
struct event_rings *event_log_rings(struct event_log *l);

/*
 * Where over() tells what became of the events.  It waits for as long as the
 * file takes something, and leaves a file that does not take a block (64 kB)
 * in OUTFILE_PATIENCE_NS: that has failed, and the rest was dropped.  Lines of
 * a block that was not written to its end count as dropped, also those that did
 * get there.
 */
struct event_log_end {
  uint64_t written; /* lines */
  uint64_t dropped; /* events that found no place */
  bool failed;      /* the file could not be written */
};

void event_log_tell(struct event_log *l, struct event_log_end *ret);

extern const struct reporter event_log_reporter; /* ctx: struct event_log */

#endif
