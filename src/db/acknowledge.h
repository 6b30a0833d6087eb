/*
 * acknowledge.h - the outcome of the statement that commits, for the
 * acknowledgement log.
 *
 * A script names what it is about to commit by acknowledge_next(); the
 * statement that the client executes then is the COMMIT.
 */
#ifndef BENCH_DB_ACKNOWLEDGE_H
#define BENCH_DB_ACKNOWLEDGE_H

#include <stdint.h>

#include "db/env.h"
#include "db/outcome.h"

struct conn;

/* The next statement commits `id`.  0, or what ack_intent() returns. */
int acknowledge_next(struct db_env *env, uint64_t id);

/* A call of the driver returned `rc`, and env->ack_due is set. */
void acknowledge(struct conn *c, enum call call, int rc);

/* The attempt of the event is over; whatever was named was not sent, or its
 * outcome was not seen. */
void acknowledge_nothing(struct db_env *env);

/* The connection was lost, or its server is about to be left. */
void acknowledge_loss(const struct conn *c);

#endif
