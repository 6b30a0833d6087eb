/*
 * source.c - finds the table of a kind of server.
 */
#include "monitor/source.h"

#include <string.h>

#include "base/compiler.h"

const struct monitor_source *monitor_source_find(const char *driver)
{
  static const struct monitor_source *const all[] = { &monitor_mysql,
                                                      &monitor_pgsql };

  for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
    if (strcmp(all[i]->driver, driver) == 0)
      return all[i];
  }
  return NULL;
}
