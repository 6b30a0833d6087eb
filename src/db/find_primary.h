/*
 * find_primary.h - searches the lists of hosts and ports for a server: one with
 * the role of --target, one that takes writes.
 */
#ifndef BENCH_DB_FIND_PRIMARY_H
#define BENCH_DB_FIND_PRIMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conn;
struct driver_handle;
struct strbuf;

/*
 * The first session of a connection: as transport_open(); with --target at the
 * first server of the lists that has the role, for which it WAITS up to
 * `until_ns`, and a quarter longer for a server that is silent; its turns to
 * open a session come in addition, and so does an answer to the question for
 * the role, whose only limit is --db-query-timeout.  -1: `seen` has what was
 * seen of each server, or is empty and c->out says why.
 */
int find_server(struct conn *c, uint64_t until_ns, struct strbuf *seen);

enum find_result {
  FIND_NONE,      /* no server can be used */
  FIND_REPLICA,   /* none takes writes, and at least one may be a replica */
  FIND_READ_ONLY, /* ... and at least one of them is known to be none */
  FIND_WRITER,
  FIND_CACHED, /* find_one_server(): the server of an earlier connection */
};

/*
 * Opens a session at the first server, from c->session->number on, that takes
 * writes; a single one is not asked.  With --target it is one with the role.
 * WAITS: each server is asked once, or, if lost connections are ignored, again
 * and again for --db-connect-timeout or until all in turn have refused for
 * good.  FIND_REPLICA, FIND_READ_ONLY: nothing is open, and c->first is the
 * attempt that has found the first one.  Without a writer, `seen` has what was
 * seen of each server.
 */
enum find_result find_writer(struct conn *c, struct strbuf *seen);

/*
 * Opens a session there: at the first server that takes writes, else at the
 * first that is no replica, else at the first replica; WAITS as find_writer().
 * With --target: as find_server().  If that server is away later, another one
 * is looked for, but none that is read-only in place of one that took writes.
 * FIND_NONE: `seen` has what was seen of each server, or is empty and c->out
 * says why.
 */
enum find_result find_one_server(struct conn *c, struct strbuf *seen);

/* A number for a connection that goes where one was opened last. */
uint64_t find_served(const struct conn *c);

/*
 * Looks for a server at which a connection can be opened, and which takes
 * writes if there are several; with --target=replica it is a replica, as no
 * connection goes elsewhere, and takes none.  First where clients were served
 * last, then through the lists of hosts and ports; BLOCKS.  If the run ignores
 * lost connections, it goes on for --db-connect-timeout, or until all servers
 * in turn have refused it for good; otherwise it asks each server once.  NULL:
 * connections of now on go there.  Else why not; what has failed is not
 * reported.
 */
const char *find_server_after_run(struct driver_handle *h);

#endif
