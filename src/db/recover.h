/*
 * recover.h - carries out what a failure needs (for src/db only).
 */
#ifndef BENCH_DB_RECOVER_H
#define BENCH_DB_RECOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "db/conn_state.h"

/* Handles c->out of `call`, which sent `sql`.  Can WAIT: for a rollback, and a
 * new session up to the end of the run. */
void recover_failed(struct conn *c, enum call call, const char *sql,
                    size_t len);

/* No script made the call: the next one reports the failure. */
void recover_failed_late(struct conn *c, enum call call, const char *sql,
                         size_t len);

/* The next call reports the failure. */
void recover_owe(struct conn *c);

/* c->out of a life: the session is not replaced.  `sql` NULL: the opening
 * failed. */
void recover_life_failed(struct conn *c, const char *sql, size_t len);

/* c->fail, also by its code. */
void recover_count_error(struct conn *c);

/* Besides that of recover_failed(). */
void recover_failed_too(struct conn *c);

bool recover_ignorable(const struct conn *c);

/* While c->out has its text. */
bool recover_refused(const struct conn *c);

/* Both open the session again, and WAIT; `limited`: to the end of the run only
 * if losses are ignored.  False: the call has failed. */
bool recover_again(struct conn *c, bool limited);
/* `why`: it was lost.  Limited. */
bool recover_reopen(struct conn *c, const char *why);

/* As conn_forgive(), with conn_failure()->reconnected.  Can WAIT. */
sql_error_t recover_forgiven(struct conn *c);

/* Uncounted; WAITS.  DB_ERROR_IGNORABLE: replaced instead, or refused for now
 * and marked.  `keep_details` of the earlier failure. */
sql_error_t recover_rollback(struct conn *c, bool keep_details);

/* Drops pending results (WAITS).  False: a failure among them is now c's
 * failure, and that of the next call unless the caller clears
 * CONN_OWES_FAILURE. */
bool recover_drain(struct conn *c);

void recover_take_late(struct conn *c);

#endif
