/*
 * cancel.h - ending a statement of another connection.
 */
#ifndef BENCH_DRIVERS_MYSQL_CANCEL_H
#define BENCH_DRIVERS_MYSQL_CANCEL_H

struct mysql_session;

/* As the members of struct driver with these names. */
void *mysqld_cancel_token(struct mysql_session *s);
void mysqld_cancel_send(void *token);
void mysqld_cancel_free(void *token);

#endif
