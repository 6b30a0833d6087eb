/*
 * program_drivers.h - what the SQL layer is told about a run.
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

#endif
