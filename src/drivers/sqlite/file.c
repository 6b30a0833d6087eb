/*
 * file.c - the file of a database, and the folder that it is in.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "drivers/sqlite/session.h"

const char *sqlite_file(const struct session *s)
{
  const struct sqlite_cfg *cfg = s->cfg;

  return s->params->db ? s->params->db : cfg->db;
}

int sqlite_folder_error(const char *path)
{
  const char *slash = strrchr(path, '/');
  char folder[PATH_MAX] = ".";

  if (slash)
    (void)snprintf(folder, sizeof(folder), "%.*s",
                   slash == path ? 1 : (int)(slash - path), path);
  return access(folder, W_OK) == 0 ? 0 : errno;
}
