/*
 * wire.h - executes statements, direct and prepared ones, on the plain socket
 * of a connection that libpq has opened.
 *
 * libpq stores every value of every row in memory of its own, and asks for a
 * description of each result.  That is nine tenths of the instructions of a
 * client that only counts rows.  Here the answer stays in one buffer, rows are
 * counted, and they become values only when they are fetched.  In the long run
 * nothing is allocated.
 *
 * The library is idle meanwhile and does not see the messages: they are whole
 * exchanges, up to ReadyForQuery.  It still prepares and frees statements,
 * sends the rows of a loader, and answers questions about the connection;
 * settings.c handles what it cannot know then.  A COPY between the server and a
 * script is refused or dropped, as with the library. libpq alone serves
 * connections under TLS or GSS, and sessions while they listen for
 * notifications.
 */
#ifndef BENCH_DRIVERS_PGSQL_WIRE_H
#define BENCH_DRIVERS_PGSQL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ffi_api.h"

struct outcome;
struct pgsql_prepared;
struct pgsql_session;
struct pgsql_wire;
struct wire_pipe;

enum {
  PGSQL_WIRE_TEXT_MAX = 0x7ffffff0, /* maximum bytes of a direct statement */
};

/*
 * NULL: the connection is plain; otherwise the reason why it is not (static).
 */
const char *pgsql_wire_why_not(const struct pgsql_session *p);

/* ---- statements (wire.c) ---- */

/* The query() and next_result() of the driver; the latter is for w->more. */
int pgsql_wire_query(struct pgsql_session *p, const char *sql, size_t len,
                     struct outcome *out);
int pgsql_wire_next(struct pgsql_session *p, struct outcome *out);
/*
 * Read the results that w->more announces, and drop them.  -1: *out is a
 * failure among them, whose text is in the buffer.
 */
int pgsql_wire_drain(struct pgsql_session *p, struct outcome *out);

/* Does what pgsql_execute() does. */
int pgsql_wire_execute(struct pgsql_prepared *st, struct outcome *out);

int pgsql_wire_fetch(struct pgsql_wire *w, sql_value *values);

/* ---- requests (wire_request.c) ---- */

/*
 * False: no memory.  If a request cannot be sent, reading reports the reason.
 */
bool pgsql_wire_send_query(struct pgsql_session *p, const char *sql,
                           size_t len);
bool pgsql_wire_send_execute(struct pgsql_prepared *st);
/* Prepare st->name with st->types. */
bool pgsql_wire_send_parse(struct pgsql_prepared *st, const char *sql);
/* Add an execution, without a Sync.  False: no memory. */
bool pgsql_wire_add_execute(struct pgsql_prepared *st, struct wire_pipe *pipe);
/* Call this when the statement is prepared again, or gone. */
void pgsql_wire_forget(struct pgsql_prepared *st);

#endif
