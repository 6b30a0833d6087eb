/*
 * error.h - how calls end: outcomes, and what follows from error codes.
 */
#ifndef BENCH_DRIVERS_MYSQL_ERROR_H
#define BENCH_DRIVERS_MYSQL_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver.h"

struct mysql_session;

/* Of an error of our own: a statement wants a file of the client. */
#define NO_FILE_TEXT "no file is given to the server"

enum mysql_code {
  CODE_NO_FILE = 1,
  CODE_HOST_REFUSES = 1130,
  CODE_DEADLOCK = 1213,
  CODE_NO_PREPARE = 1295,
  CODE_NO_SOCKET = 2002,
  CODE_NO_HOST = 2003,
  CODE_UNKNOWN_HOST = 2005,
  CODE_GONE = 2006,
  CODE_PROTOCOL = 2007,
  CODE_NO_MEMORY = 2008,
  CODE_LOST = 2013,
  CODE_TLS = 2026,
  CODE_MALFORMED = 2027,
  CODE_NEW_COLUMNS = 2057,
};

/* Flags of the server; the libraries spell them differently. */
enum mysql_status_flag {
  STATUS_IN_TRANS = 1,
  STATUS_AUTOCOMMIT = 2,
  STATUS_MORE_RESULTS = 8,
  STATUS_NO_BACKSLASH = 512,
};

/* The connection is gone when one of these was reported. */
bool mysqld_error_is_lost(int code);
/* Of a failed connect: trying again is useless; nobody is there. */
bool mysqld_error_is_permanent(int code);
bool mysqld_error_is_no_server(int code);

/*
 * Fill in *out, keep the text in the session.  All return -1, so that callers
 * can return it.  `state` has five characters;
 * NULL: general.
 */
int mysqld_error_set(struct mysql_session *s, struct outcome *out, int code,
                     const char *state, const char *msg, size_t len);
/* The request could not be sent; the answer did not come; or made no sense. */
int mysqld_error_gone(struct mysql_session *s, struct outcome *out);
int mysqld_error_lost(struct mysql_session *s, struct outcome *out);
int mysqld_error_malformed(struct mysql_session *s, struct outcome *out);
/* What came is no part of the answer. */
int mysqld_error_out_of_step(struct mysql_session *s, struct outcome *out);
int mysqld_error_no_memory(struct mysql_session *s, struct outcome *out);
/* The result has more bytes than may be kept: what follows is not read. */
int mysqld_error_too_large(struct mysql_session *s, struct outcome *out);

/*
 * The statement, or a later result of it (`sql` is NULL), has failed: follow
 * the transaction.  An error has no flags.
 */
void mysqld_error_note_trx(struct mysql_session *s, const struct outcome *out,
                           const char *sql, size_t len);

/* A statement succeeded; `status` are the server's flags. */
void mysqld_error_none(struct mysql_session *s, struct outcome *out,
                       unsigned status, uint32_t nfields,
                       uint64_t nrows_or_affected);

#endif
