/*
 * cancel.h - ends a statement of another connection.
 */
#ifndef BENCH_DRIVERS_MYSQL_CANCEL_H
#define BENCH_DRIVERS_MYSQL_CANCEL_H

struct mysql_session;

/* Members of struct driver, which describes them. */
void *mysqld_cancel_token(struct mysql_session *s);
void mysqld_cancel_send(void *token);
void mysqld_cancel_free(void *token);

#endif
