/*
 * results.h - the results that machines read: files and live metrics, behind
 * one reporter.
 */
#ifndef BENCH_RESULTS_RESULTS_H
#define BENCH_RESULTS_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/reporter.h"
#include "results/live.h"
#include "results/options.h"

struct err;
struct event_rings;
struct leave;
struct marks;
struct monitor;
struct optset;
struct results;
struct strbuf;

/* Borrowed until the end of the program. */
struct results_input {
  const struct results_cfg *cfg;
  const struct optset *set;
  const char *name;    /* of the program */
  const char *version; /* as printed by --version */
  const char *test;
  unsigned threads;
  unsigned first_thread; /* number of the first one */
  results_page *page;    /* [opt] for the end of --live */
  /* leave_thread() is called for a thread that is stuck in a file. */
  struct leave *leave;
};

/*
 * Open everything that the configuration names.  If it names nothing, *ret is
 * NULL, which all functions accept.  An error says what cannot be written.
 */
int results_new(struct results **ret, const struct results_input *in,
                struct err *err);
void results_free(struct results *r);

/* Before the run: its limits, for the time that is left; UINT64_MAX: none.
 * `r` may be NULL. */
void results_limits(struct results *r, uint64_t time_ns, uint64_t events);

/* Before a run: what reads the servers; borrowed until the end.  Both may be
 * NULL. */
void results_set_monitor(struct results *r, struct monitor *monitor);

/* Before a run: the marks that it gets; borrowed until the end.  Both may be
 * NULL. */
void results_set_marks(struct results *r, const struct marks *marks);

/* After the run: what happens when it stumbles, as a sentence; false: there are
 * no more. */
bool results_coincidence(const struct results *r, unsigned i,
                         struct strbuf *ret);

/* Do intervals of the document wait in memory, because no folder takes a
 * temporary file? */
bool results_in_memory(const struct results *r);

/* The rings where workers store single events; NULL: they are not wanted. */
struct event_rings *results_event_rings(struct results *r);

/* After the run: the number of events that are missing in the event log. */
uint64_t results_dropped(const struct results *r);

/* After the run: is the JSON document in its place? */
bool results_document_written(const struct results *r);

/* Its context is a struct results. */
extern const struct reporter results_reporter;

#endif
