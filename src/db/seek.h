/*
 * seek.h - searches for a server in the lists of hosts and ports: one with the
 * role of --target, one that takes writes (for src/db only).
 */
#ifndef BENCH_DB_SEEK_H
#define BENCH_DB_SEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct conn;
struct strbuf;

/*
 * The first session of a connection: as transport_open(); with --target at the
 * first server of the lists that has the role, for which it WAITS up to
 * `until_ns`, and a quarter longer for a server that is silent; its turns to
 * open a session come in addition, and so does an answer to the question for
 * the role, whose only limit is --db-query-timeout.  -1: `seen` has what was
 * seen of each server, or is empty and c->out says why.
 */
int seek_server(struct conn *c, uint64_t until_ns, struct strbuf *seen);

enum seek_found {
  SEEK_NONE,      /* no server can be used */
  SEEK_REPLICA,   /* none takes writes, and at least one may be a replica */
  SEEK_READ_ONLY, /* ... and at least one of them is known to be none */
  SEEK_WRITER,
  SEEK_SETTLED, /* seek_one(): the server of an earlier connection */
};

/*
 * Opens a session at the first server, from c->session->number on, that takes
 * writes; a single one is not asked.  With --target it is one with the role.
 * WAITS: each server is asked once, or, if lost connections are ignored, again
 * and again for --db-connect-timeout or until all in turn have refused for
 * good.  SEEK_REPLICA, SEEK_READ_ONLY: nothing is open, and c->first is the
 * attempt that has found the first one.  Without a writer, `seen` has what was
 * seen of each server.
 */
enum seek_found seek_writer(struct conn *c, struct strbuf *seen);

/*
 * Opens a session there: at the first server that takes writes, else at the
 * first that is no replica, else at the first replica; WAITS as seek_writer().
 * With --target: as seek_server().  If that server is away later, another one
 * is looked for, but none that is read-only in place of one that took writes.
 * SEEK_NONE: `seen` has what was seen of each server, or is empty and c->out
 * says why.
 */
enum seek_found seek_one(struct conn *c, struct strbuf *seen);

/*
 * The time that one server gets of that from `begin_ns` to `until_ns`: half of
 * what is left for the others, if this one is silent, and the last attempts
 * have enough to get an answer.
 */
uint64_t seek_share(uint64_t begin_ns, uint64_t until_ns, uint64_t now);

/* A number for a connection that goes where one was opened last. */
uint64_t seek_served(const struct conn *c);

#endif
