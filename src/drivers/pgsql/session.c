/*
 * session.c - functions on sessions that all parts of the pgsql driver use.
 */
#include "drivers/pgsql/session.h"

void pgsql_wire_lend(struct pgsql_session *p)
{
  if (p->wire.blocking)
    pgsql_wire_set_blocking(&p->wire, p->fd, false);
}
