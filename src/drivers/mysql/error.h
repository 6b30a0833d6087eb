/*
 * error.h - outcomes, and the consequences of error codes.
 */
#ifndef BENCH_DRIVERS_MYSQL_ERROR_H
#define BENCH_DRIVERS_MYSQL_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver.h"
#include "drivers/mysql/shim.h"

struct mysql_session;

bool mysqld_error_is_lost(int code);

#define NO_FILE_TEXT "no file is given to the server"

/* The libraries spell these differently. */
enum mysql_status_flag {
  STATUS_IN_TRANS = 1,
  STATUS_AUTOCOMMIT = 2,
  STATUS_MORE_RESULTS = 8,
  STATUS_NO_BACKSLASH = 512,
};

/* Fill in *out, and keep the text.  All return -1.  `state` has five
 * characters; NULL: HY000. */
int mysqld_error_set(struct mysql_session *s, struct outcome *out, int code,
                     const char *state, const char *msg, size_t len);
/* No session was opened. */
int mysqld_error_connect(struct mysql_session *s, struct outcome *out, int code,
                         const char *state, const char *text);
int mysqld_error_gone(struct mysql_session *s, struct outcome *out);
int mysqld_error_lost(struct mysql_session *s, struct outcome *out);
int mysqld_error_malformed(struct mysql_session *s, struct outcome *out);
int mysqld_error_out_of_step(struct mysql_session *s, struct outcome *out);
int mysqld_error_no_memory(struct mysql_session *s, struct outcome *out);
/* A statement of a pipeline asks for a file: the connection is lost. */
int mysqld_error_no_file_here(struct mysql_session *s, struct outcome *out);
/* More bytes than may be kept; the rest is not read. */
int mysqld_error_too_large(struct mysql_session *s, struct outcome *out);

/* A statement, or a later result (`sql` NULL), has failed.  Errors have no
 * status flags. */
void mysqld_error_note_trx(struct mysql_session *s, const struct outcome *out,
                           const char *sql, size_t len);

/* `status`: the server's flags. */
void mysqld_error_none(struct mysql_session *s, struct outcome *out,
                       unsigned status, uint32_t nfields,
                       uint64_t nrows_or_affected);

#endif
