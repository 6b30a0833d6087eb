/*
 * outcome.h - how a call of a driver ended.
 */
#ifndef BENCH_DB_OUTCOME_H
#define BENCH_DB_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/recorder.h"

enum trx_state {
  TRX_NONE,
  TRX_OPEN,
  TRX_ABORTED, /* only ROLLBACK is accepted */
  TRX_UNKNOWN, /* perhaps open */
};

enum call {
  CALL_QUERY,   /* direct or emulated */
  CALL_PREPARE, /* also a bind that prepares */
  CALL_EXECUTE,
  CALL_NEXT,
  CALL_STMT_NEXT,
  CALL_ROLLBACK, /* sent by the layer */
  CALL_UNREAD,   /* drivers get CALL_NEXT */
};

/* Zero before the call. */
struct outcome {
  /* Success. */
  enum counter counter; /* COUNTER_READ: with a result set */
  uint32_t nfields;     /* can be 0 with rows */
  uint64_t nrows;
  uint64_t taken; /* rows stored by a copy; DRIVER_COUNTS_STORED */
  bool more;
  bool ended;
  bool settled; /* end_results() has nothing to do */

  /* Failure. */
  int code;        /* pgsql: 0 */
  int base_code;   /* without its extension; else 0 */
  char state[6];   /* SQLSTATE */
  const char *msg; /* until the next call */
  bool lost;       /* disconnect() still closes sockets */
  bool in_trx;     /* lost inside a transaction */
  bool during_results;
  bool emulate;
  bool permanent;
  bool no_server;
  bool other_role;
  bool no_files;         /* connect(): too many open files */
  bool skipped;          /* pipeline: after a failure */
  bool in_time;          /* pipeline: another was cancelled */
  bool over;             /* the run is over; no error */
  const char *api_error; /* misuse: the text to raise; static */
};

#endif
