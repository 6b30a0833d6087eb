/*
 * driver_list.c - the drivers that this build has.
 */
#include "drivers/driver_list.h"

#include <stddef.h>

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
