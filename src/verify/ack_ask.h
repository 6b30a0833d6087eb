/*
 * ack_ask.h - what the database has of the work that acknowledgement logs name.
 *
 * One query reads all numbers, so they are those of one moment.  The functions
 * connect to the server that the options name, and WAIT.
 */
#ifndef BENCH_VERIFY_ACK_ASK_H
#define BENCH_VERIFY_ACK_ASK_H

#include <stdbool.h>

#include "verify/acks.h"

struct db_process;
struct err;

/* Marks in `set` all numbers that the database has.  *ret_replica: a replica
 * has answered, which may not have everything yet, and --target does not ask
 * for one.  < 0: why not is in `err`, or was printed. */
int ack_ask_numbers(struct db_process *db, const char *query,
                    struct ack_set *set, bool *ret_replica, struct err *err);

/* The same for the only number that the query returns. */
int ack_ask_total(struct db_process *db, const char *query, double *ret,
                  bool *ret_replica, struct err *err);

#endif
