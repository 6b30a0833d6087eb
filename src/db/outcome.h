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
  TRX_ABORTED, /* pgsql: only ROLLBACK is accepted */
  TRX_UNKNOWN, /* after a failure: one may be open */
};

/* For messages. */
enum call {
  CALL_QUERY,   /* direct or emulated */
  CALL_PREPARE, /* prepare, or bind where that prepares */
  CALL_EXECUTE,
  CALL_NEXT, /* next result of a direct statement */
  CALL_STMT_NEXT,
  CALL_ROLLBACK, /* sent by the layer */
  CALL_UNREAD,   /* unread results; drivers get CALL_NEXT */
};

/* All zero when the call begins. */
struct outcome {
  /* Success. */
  enum counter counter; /* COUNTER_READ: with a result set */
  uint32_t nfields;     /* pgsql: may be 0 with rows */
  uint64_t nrows;       /* exact; rows need not be decoded */
  uint64_t taken; /* end of a copy: stored rows; also DRIVER_COUNTS_STORED */
  bool more;      /* further results are pending */
  bool ended;     /* next_result only: nothing was left */
  bool settled;   /* end_results() has nothing to do */

  /* Failure. */
  int code;        /* mysql errno, sqlite extended code; pgsql: 0 */
  int base_code;   /* without its extension; else 0 */
  char state[6];   /* SQLSTATE */
  const char *msg; /* until the next call on the session */
  bool lost;       /* the connection is gone; disconnect still closes sockets */
  bool in_trx;     /* lost inside a transaction */
  bool during_results; /* the server failed while rows were read */
  bool emulate;        /* prepare only: the statement has to be emulated */
  bool permanent;      /* connect only: trying again is useless */
  bool no_server;
  bool other_role; /* connect only: not the role of --target; `msg` names it */
  bool no_files;   /* connect only: no more files can be opened */
  bool skipped; /* pipeline: not executed, as an earlier statement has failed */
  bool in_time; /* pipeline: --db-query-timeout cancelled another statement */
  bool over;    /* gave up because the run is over; no error */
  const char *api_error; /* misuse, no SQL error: the text to raise; static */
};

#endif
