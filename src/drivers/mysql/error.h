/*
 * error.h - how calls end: outcomes, and the consequences of error codes.
 */
#ifndef BENCH_DRIVERS_MYSQL_ERROR_H
#define BENCH_DRIVERS_MYSQL_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver.h"
#include "drivers/mysql/code.h"

struct mysql_session;

/* An error of the driver: a statement asks for a file of the client. */
#define NO_FILE_TEXT "no file is given to the server"

/* Flags of the server; the libraries spell them differently. */
enum mysql_status_flag {
  STATUS_IN_TRANS = 1,
  STATUS_AUTOCOMMIT = 2,
  STATUS_MORE_RESULTS = 8,
  STATUS_NO_BACKSLASH = 512,
};

/*
 * Fill in *out, and keep the text in the session.  All return -1, so that
 * callers can return it.  `state` has five characters; NULL: the general one.
 */
int mysqld_error_set(struct mysql_session *s, struct outcome *out, int code,
                     const char *state, const char *msg, size_t len);
/* The session never became usable. */
int mysqld_error_connect(struct mysql_session *s, struct outcome *out, int code,
                         const char *state, const char *text);
/*
 * The request could not be sent, or the answer did not come or made no sense.
 */
int mysqld_error_gone(struct mysql_session *s, struct outcome *out);
int mysqld_error_lost(struct mysql_session *s, struct outcome *out);
int mysqld_error_malformed(struct mysql_session *s, struct outcome *out);
/* What was received is not part of the answer. */
int mysqld_error_out_of_step(struct mysql_session *s, struct outcome *out);
int mysqld_error_no_memory(struct mysql_session *s, struct outcome *out);
/* Inside of a pipeline a statement asks for a file: the connection is lost. */
int mysqld_error_no_file_here(struct mysql_session *s, struct outcome *out);
/* The result has more bytes than may be kept: the rest is not read. */
int mysqld_error_too_large(struct mysql_session *s, struct outcome *out);

/*
 * Update the state of the transaction after the statement, or a later result of
 * it (`sql` is NULL), has failed.  An error has no flags.
 */
void mysqld_error_note_trx(struct mysql_session *s, const struct outcome *out,
                           const char *sql, size_t len);

/* A statement succeeded; `status` are the server's flags. */
void mysqld_error_none(struct mysql_session *s, struct outcome *out,
                       unsigned status, uint32_t nfields,
                       uint64_t nrows_or_affected);

#endif
