/*
 * library_result.c - how results of the client library end.
 */
#include <string.h>
#include <sys/socket.h>

#include "drivers/mysql/error.h"
#include "drivers/mysql/library.h"

int mysqld_library_failed(struct mysql_session *s, struct outcome *out)
{
  const char *text = mysql_error(s->mysql);

  return mysqld_error_set(s, out, (int)mysql_errno(s->mysql),
                          mysql_sqlstate(s->mysql), text, strlen(text));
}

unsigned mysqld_library_status(const struct mysql_session *s)
{
  unsigned status = s->mysql->server_status & ~(unsigned)STATUS_MORE_RESULTS;

  if (mysql_more_results(s->mysql))
    status |= STATUS_MORE_RESULTS;
  return status;
}

int mysqld_library_cut(struct mysql_session *s, bool no_memory,
                       struct outcome *out)
{
  (void)shutdown(s->fd, SHUT_RDWR); /* or all would be read */
  (void)mysqld_error_too_large(s, out);
  if (no_memory)
    out->msg = "Client run out of memory";
  return -1;
}

void mysqld_library_end_rows(struct mysql_session *s)
{
  struct library *lib = &s->lib;

  mysqld_library_rows_clear(&lib->rows);
  if (lib->from && lib->from->stmt)
    (void)mysql_stmt_free_result(lib->from->stmt); /* all rows are here */
  lib->nfields = 0;
}
