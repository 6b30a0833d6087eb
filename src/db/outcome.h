/*
 * outcome.h - how a call of a driver ended.
 */
#ifndef BENCH_DB_OUTCOME_H
#define BENCH_DB_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/recorder.h"

/* Where the transaction of a session stands. */
enum trx_state {
  TRX_NONE,
  TRX_OPEN,
  TRX_ABORTED, /* pgsql: nothing but ROLLBACK will be accepted */
  TRX_UNKNOWN, /* after a failure: one may be open, a ROLLBACK does no harm */
};

/* What was attempted, for messages. */
enum call {
  CALL_QUERY,     /* direct or emulated */
  CALL_PREPARE,   /* prepare, or bind where that prepares */
  CALL_EXECUTE,   /* native prepared statement */
  CALL_NEXT,      /* next result of a direct statement */
  CALL_STMT_NEXT, /* next result of a native prepared statement */
  CALL_ROLLBACK,  /* sent by the layer itself */
  CALL_UNREAD,    /* results that were not asked for; drivers see CALL_NEXT */
};

/* How a call ended; all zero when the call begins. */
struct outcome {
  /* Success. */
  enum counter counter; /* COUNTER_READ: with a result set; _WRITE or _OTHER */
  uint32_t nfields;     /* pgsql: rows may have no columns */
  uint64_t nrows; /* exact when the call returns; rows need not be decoded */
  uint64_t taken; /* end of a copy: rows that were stored; see also
                   * DRIVER_COUNTS_STORED */
  bool more;      /* further results of this statement are pending */
  bool ended;     /* next_result only: nothing was left; rest is unused */
  bool settled;   /* nothing is left to do for end_results() */

  /* Failure. */
  int code;        /* native number: mysql errno, sqlite extended code; pgsql:
                    * 0 */
  int base_code;   /* code without its extension, if it has one; else 0 */
  char state[6];   /* SQLSTATE */
  const char *msg; /* borrowed until the next call on this session */
  bool lost;       /* the connection is gone; sockets are still to be closed
                    * by disconnect */
  bool in_trx;     /* it was lost with a transaction */
  bool during_results; /* the server failed while rows were read */
  bool emulate;        /* prepare only: this statement has to be emulated */
  bool permanent;      /* connect only: trying again is useless */
  bool no_server;      /* connect only: there is no server */
  bool other_role;     /* connect only: not the role that --target asks for;
                        * `msg` says which */
  bool no_files;       /* connect only: no more files can be opened */
  bool skipped; /* of a pipeline: not executed, as one before it has failed */
  bool in_time; /* of a pipeline: --db-query-timeout cancelled another one */
  bool over;    /* the driver gave up waiting because the run is over; this
                 * counts as no error */
  const char *api_error; /* no SQL error but a misuse, e.g. "value cannot be
                          * sent": the text to raise; static storage */
};

#endif
