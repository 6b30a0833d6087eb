/*
 * results.h - files of results and live metrics behind one reporter.
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
struct mark_fifo;
struct monitor;
struct optset;
struct results;
struct strbuf;

/* Borrowed until the program's end. */
struct results_input {
  const struct results_cfg *cfg;
  const struct optset *set;
  const char *name;
  const char *version;
  const char *test;
  unsigned threads;
  unsigned first_thread; /* of the first */
  results_page *page;    /* [opt] for --live */
  bool keep;             /* a copy of the document: kept.h */
  /* Called for a thread stuck in a file. */
  struct leave *leave;
};

/* Opens the configured files; *ret NULL: none, which all functions accept. */
int results_new(struct results **ret, const struct results_input *in,
                struct err *err);
void results_free(struct results *r);

/* Before the run: remaining limits; UINT64_MAX: none. */
void results_limits(struct results *r, uint64_t time_ns, uint64_t events);

/* These two: before a run; borrowed to the end; can be NULL. */
void results_set_monitor(struct results *r, struct monitor *monitor);

void results_set_marks(struct results *r, const struct mark_fifo *marks);

/* After the run: a sentence; false: no more. */
bool results_coincidence(const struct results *r, unsigned i,
                         struct strbuf *ret);

/* The same as document_in_memory(). */
bool results_in_memory(const struct results *r);

/* NULL: not wanted. */
struct event_rings *results_event_rings(struct results *r);

/* These two: after the run. */
uint64_t results_dropped(const struct results *r);

bool results_document_written(const struct results *r);

/* Context: struct results. */
extern const struct reporter results_reporter;

#endif
