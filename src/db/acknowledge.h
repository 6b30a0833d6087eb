/*
 * acknowledge.h - the outcome of the committing statement, for the
 * acknowledgement log.  A script calls acknowledge_next(); its next statement
 * is the COMMIT.
 */
#ifndef BENCH_DB_ACKNOWLEDGE_H
#define BENCH_DB_ACKNOWLEDGE_H

#include <stdint.h>

#include "db/env.h"
#include "db/outcome.h"

struct conn;

/* 0, or what ack_intent() returns. */
int acknowledge_next(struct db_env *env, uint64_t id);

/* A call of the driver returned `rc`, and env->ack_due is set. */
void acknowledge(struct conn *c, enum call call, int rc);

/* The attempt of the event is over: what was named was not sent, or its outcome
 * not seen. */
void acknowledge_nothing(struct db_env *env);

/* The connection was lost, or its server is being left. */
void acknowledge_loss(const struct conn *c);

#endif
