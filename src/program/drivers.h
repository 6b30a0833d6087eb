/*
 * drivers.h - what the SQL layer has to know about a run, and whether the
 * options make sense.
 */
#ifndef BENCH_PROGRAM_DRIVERS_H
#define BENCH_PROGRAM_DRIVERS_H

#include <stdbool.h>

#include "db/env.h"

struct err;
struct plan;
struct program;

/*
 * Fill in *db, which is zero, from the options, and start it.  The caller calls
 * process_done().  -EINVAL: an option is wrong.
 */
int program_start_database(struct program *p, const struct plan *plan,
                           struct db_process *db, struct err *err);

/*
 * Does --db-driver name a driver?  If not, complain, with a suggestion.  Call
 * this if a driver will certainly be used.  Returns the exit status.
 */
int program_check_driver(const struct program *p);

/*
 * Are there too few open files for a connection of each worker?  If so, the
 * reason is printed.  Call this after program_start_database(), if each worker
 * certainly has one.
 */
bool program_lacks_files(const struct program *p, const struct plan *plan,
                         const struct db_process *db);

#endif
