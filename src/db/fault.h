/*
 * fault.h - which failures are failures of the service, and where they find the
 * client.  A pure function for each; nothing is counted here.
 *
 * A conflict with another client (a deadlock, a duplicate key) is none, nor is
 * a mistake of a script.
 */
#ifndef BENCH_DB_FAULT_H
#define BENCH_DB_FAULT_H

#include <stdbool.h>

#include "stats/service.h"

struct driver;
struct outcome;

/* A way in which a server refuses its service; a row of driver->refusals. */
struct driver_refusal {
  int code;          /* native number; 0: the state decides */
  const char *state; /* SQLSTATE */
  const char *says;  /* [opt] a word of its text */
  enum fault_phase phase;
};

/* Where the client was when a statement failed. */
enum fault_place {
  FAULT_ALONE,
  FAULT_INSIDE,
  FAULT_COMMITS
};

/* False: the service has not failed. */
bool fault_of_statement(const struct driver *d, const struct outcome *out,
                        enum fault_place place, enum fault_phase *ret);

/* A connection could not be made again. */
enum fault_phase fault_of_connect(const struct driver *d,
                                  const struct outcome *out);

/* The row for this failure, or NULL. */
const struct driver_refusal *fault_refusal(const struct driver *d,
                                           const struct outcome *out);

#endif
