/*
 * role.c - the roles of servers that --target asks for.
 */
#include "db/role.h"

#include "base/log.h"
#include "db/driver.h"
#include "db/options.h"

const char *role_wanted(const struct db_cfg *cfg)
{
  static const char *const names[] = {
    [ROLE_ANY] = "any",
    [ROLE_PRIMARY] = "primary",
    [ROLE_REPLICA] = "replica",
  };

  return names[cfg->target];
}

bool role_is_possible(const struct db_cfg *cfg, const struct driver *d)
{
  if (cfg->target == ROLE_ANY || d->role_query)
    return true;
  log_msg(LOG_FATAL,
          "--target=%s is for servers that have replicas; --db-driver=%s has "
          "none",
          role_wanted(cfg), d->name);
  return false;
}
