/*
 * reopen.h - a session that was to be opened again could not be (for src/db
 * only).
 */
#ifndef BENCH_DB_REOPEN_H
#define BENCH_DB_REOPEN_H

#include "db/transport.h"

struct conn;

/* What comes of transport_retry(), `rc`, is the failure of the present call.
 * Always 1. */
int reopen_failed(struct conn *c, enum transport_rc rc);

#endif
