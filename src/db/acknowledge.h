/*
 * acknowledge.h - the outcome of a COMMIT for the acknowledgement log.
 */
#ifndef BENCH_DB_ACKNOWLEDGE_H
#define BENCH_DB_ACKNOWLEDGE_H

#include <stdint.h>

#include "db/env.h"
#include "db/outcome.h"

struct conn;

/* The next statement is the COMMIT.  Returns 0, or the error of
 * ack_intent(). */
int acknowledge_next(struct db_env *env, uint64_t id);

/* env->ack_due is set; a call of the driver returned `rc`. */
void acknowledge(struct conn *c, enum call call, int rc);

/* The COMMIT was not sent, or its outcome not seen. */
void acknowledge_nothing(struct db_env *env);

/* The connection is lost, or about to be left. */
void acknowledge_loss(const struct conn *c);

#endif
