/*
 * drivers.h - what the SQL layer is told about a run, and whether it
 * makes sense.
 */
#ifndef BENCH_PROGRAM_DRIVERS_H
#define BENCH_PROGRAM_DRIVERS_H

#include "db/env.h"

struct err;
struct plan;
struct program;

/*
 * Fill in *db, which is zero, from the options and start it; the caller ends it
 * with process_done().  -EINVAL: an option is wrong.
 */
int program_start_database(struct program *p, const struct plan *plan,
                           struct db_process *db, struct err *err);

/*
 * Where --db-driver will certainly be used: does it name a driver?  Else
 * complains, with a suggestion.  Returns the exit status.
 */
int program_check_driver(const struct program *p);

#endif
