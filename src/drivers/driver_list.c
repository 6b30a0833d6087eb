/*
 * driver_list.c - the drivers that this build has.
 */
#include "drivers/driver_list.h"

#include <stddef.h>

#ifdef HAVE_MYSQL
#include "drivers/mysql/driver.h"
#endif
#include "drivers/null/driver.h"
#ifdef HAVE_PGSQL
#include "drivers/pgsql/driver.h"
#endif
#ifdef HAVE_SQLITE
#include "drivers/sqlite/driver.h"
#endif

const struct driver *const driver_list[] = {
#ifdef HAVE_MYSQL
  &driver_mysql,
#endif
#ifdef HAVE_PGSQL
  &driver_pgsql,
#endif
#ifdef HAVE_SQLITE
  &driver_sqlite,
#endif
  &driver_null,   NULL,
};
