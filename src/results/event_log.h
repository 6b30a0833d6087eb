/*
 * event_log.h - one line per event, written by a thread.
 *
 * START,LATENCY,THREAD,CLASS,ERROR: nanoseconds since the load began,
 * nanoseconds, the worker's number, the class (or ""), 0 or 1.  Lines of one
 * worker are in order; workers are mixed.
 */
#ifndef BENCH_RESULTS_EVENT_LOG_H
#define BENCH_RESULTS_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "report/reporter.h"

struct err;
struct event_log;
struct event_rings;

/* `first`: number of the first thread. */
int event_log_new(struct event_log **ret, const char *name, unsigned threads,
                  unsigned first, struct err *err);
void event_log_free(struct event_log *l);

/* Was the thread left behind in outfile_write()?  Then do not free the log. */
bool event_log_is_left(const struct event_log *l);

struct event_rings *event_log_rings(struct event_log *l);

/*
 * Set by over(), which WAITS while the file takes data.  If a block (64 kB) is
 * not taken in OUTFILE_PATIENCE_NS, the log fails, the thread keeps the file,
 * and the rest is dropped, with all lines of an incomplete block.
 */
struct event_log_end {
  uint64_t written; /* lines */
  uint64_t dropped; /* events without a line */
  bool failed;
};

void event_log_tell(struct event_log *l, struct event_log_end *ret);

extern const struct reporter event_log_reporter; /* ctx: struct event_log */

#endif
