/*
 * acknowledge.h - the outcome of a COMMIT for the acknowledgement log: a script
 * calls acknowledge_next(), and its next statement is the COMMIT.
 */
#ifndef BENCH_DB_ACKNOWLEDGE_H
#define BENCH_DB_ACKNOWLEDGE_H

#include <stdint.h>

#include "db/env.h"
#include "db/outcome.h"

struct conn;

/* 0, or what ack_intent() returns. */
int acknowledge_next(struct db_env *env, uint64_t id);

/* env->ack_due is set; a call of the driver returned `rc`. */
void acknowledge(struct conn *c, enum call call, int rc);

/* The attempt is over: not sent, or the outcome was not seen. */
void acknowledge_nothing(struct db_env *env);

/* Lost, or about to be left. */
void acknowledge_loss(const struct conn *c);

#endif
