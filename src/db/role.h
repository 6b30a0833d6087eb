/*
 * role.h - the roles of servers that --target asks for.
 */
#ifndef BENCH_DB_ROLE_H
#define BENCH_DB_ROLE_H

#include <stdbool.h>

struct db_cfg;
struct driver;

/* Values of --target, in the order of its words. */
enum server_role {
  ROLE_ANY,
  ROLE_PRIMARY, /* the server lets clients write */
  ROLE_REPLICA, /* it is read-only */
};

/* The word of --target. */
const char *role_wanted(const struct db_cfg *cfg);

/* The driver has servers with roles, or --target does not ask for one; false
 * after a FATAL line. */
bool role_is_possible(const struct db_cfg *cfg, const struct driver *d);

#endif
