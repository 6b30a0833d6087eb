/*
 * seek.h - the first server of the lists that has the role of --target (for
 * src/db only).
 */
#ifndef BENCH_DB_SEEK_H
#define BENCH_DB_SEEK_H

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

/*
 * The time that one server gets of that from `begin_ns` to `until_ns`: half of
 * what is left for the others, if this one is silent, and the last attempts
 * have enough to get an answer.
 */
uint64_t seek_share(uint64_t begin_ns, uint64_t until_ns, uint64_t now);

/* How many servers the lists have. */
size_t seek_servers(const struct conn *c);

/* A number for a connection that goes where one was opened last. */
uint64_t seek_served(const struct conn *c);

#endif
