/*
 * session.c - what all parts of the pgsql driver do with a session.
 */
#include "drivers/pgsql/session.h"

void pgsql_wire_lend(struct pgsql_session *p)
{
  if (p->wire.blocking)
    pgsql_wire_set_blocking(&p->wire, p->fd, false);
}
