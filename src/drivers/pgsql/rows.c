/*
 * rows.c - rows that the library receives one by one.
 *
 * libpq would keep a whole result, however large it is.  Here each row is added
 * to one result while the bytes are counted.  A result that becomes too large
 * ends the connection, because the server would continue to send it.
 */
#include <limits.h>

#include "base/compiler.h"
#include "db/env.h"
#include "drivers/pgsql/session.h"

enum {
  VALUE_HEAD = 16, /* what the library stores for each value, in addition */
};

void pgsql_rows_begin(struct pgsql_session *p)
{
  (void)PQsetSingleRowMode(p->conn); /* if it fails, all rows come at once */
}

/* Adds the row in `one` to `all`; false: no memory. */
static bool add_row(PGresult *all, const PGresult *one, int n_fields,
                    size_t *bytes)
{
  const int row = PQntuples(all);

  for (int i = 0; i < n_fields; i++) {
    const int len = PQgetisnull(one, 0, i) ? -1 : PQgetlength(one, 0, i);

    if (!PQsetvalue(all, row, i, len < 0 ? NULL : PQgetvalue(one, 0, i), len))
      return false;
    *bytes += VALUE_HEAD + (size_t)(len < 0 ? 0 : len + 1);
  }
  *bytes += sizeof(void *);
  return true;
}

static struct pgsql_reply give_up(struct pgsql_session *p, PGresult *all,
                                  PGresult *one, bool too_large)
{
  PQclear(all);
  PQclear(one);
  p->broken = true;
  p->too_large = too_large;
  return (struct pgsql_reply){ 0 };
}

struct pgsql_reply pgsql_rows_receive(struct pgsql_session *p, PGresult *one)
{
  const bool kept = !p->base.unread;
  const int n_fields = PQnfields(one);
  PGresult *const all = PQcopyResult(one, PG_COPYRES_ATTRS);
  uint64_t dropped = 0;
  size_t bytes = 0;
  int bare = 0;

  if (!all)
    return give_up(p, NULL, one, false);
  while (one && PQresultStatus(one) == PGRES_SINGLE_TUPLE) {
    if (!kept)
      dropped++;
    else if (n_fields == 0)
      bare += bare < INT_MAX;
    else if (UNLIKELY(!add_row(all, one, n_fields, &bytes)))
      return give_up(p, all, one, false);
    PQclear(one);
    if (UNLIKELY(!env_may_keep(p->base.env, bytes)))
      return give_up(p, all, NULL, true);
    one = PQgetResult(p->conn);
  }
  if (UNLIKELY(PQresultStatus(one) != PGRES_TUPLES_OK)) { /* an error */
    PQclear(all);
    return (struct pgsql_reply){ .result = one };
  }
  PQclear(one); /* the final result has no rows */
  return (
    struct pgsql_reply){ .result = all, .dropped = dropped, .bare = bare };
}
