/*
 * hear.c - messages of the server besides its answers: notifications, and
 * settings that have changed.
 */
#include <string.h>

#include "db/emul.h"
#include "drivers/pgsql/session.h"

static const char strings[] = "standard_conforming_strings";
static const char encoding[] = "client_encoding";

void pgsql_hear_listen(struct pgsql_session *p)
{
  if (pgsql_is_raw(p)) /* nobody else reads its messages */
    return;
  p->listens = true;
  p->plain = false;
  p->base.blocks |= SESSION_BLOCKS_ALL;
}

void pgsql_hear_tag(struct pgsql_session *p, const char *tag)
{
  if (strcmp(tag, "LISTEN") == 0)
    pgsql_hear_listen(p);
}

void pgsql_drop_notifications(struct pgsql_session *p)
{
  PGnotify *n;

  while ((n = PQnotifies(p->conn)) != NULL)
    PQfreemem(n);
}

void pgsql_set_dialect(struct pgsql_session *p, const char *conforming)
{
  p->base.dialect = EMUL_PGSQL;
  if (conforming && strcmp(conforming, "off") == 0)
    p->base.dialect |= EMUL_BACKSLASH;
}

void pgsql_hear_setting(struct pgsql_session *p, const char *name,
                        const char *value)
{
  const bool of_strings = strcmp(name, strings) == 0;

  if (!of_strings && strcmp(name, encoding) != 0)
    return;
  if (!p->settings_moved)
    p->encoding = PQclientEncoding(p->conn);
  p->settings_moved = true;
  if (of_strings)
    pgsql_set_dialect(p, value);
  else
    p->encoding = pg_char_to_encoding(value);
}
