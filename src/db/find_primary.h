/*
 * find_primary.h - finds a server of the lists: with the role of --target, or
 * one that takes writes.
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
 * transport_open() for the first session of a connection.  With --target: WAITS
 * for a server with the role up to `until_ns`, a quarter longer for a silent
 * one; turns and the question for the role (--db-query-timeout) come in
 * addition.  -1: `seen` has what was seen of each server, or is empty and
 * c->out has the reason.
 */
int find_server(struct conn *c, uint64_t until_ns, struct strbuf *seen);

enum find_result {
  FIND_NONE,      /* no usable server */
  FIND_REPLICA,   /* none takes writes, at least one may be a replica */
  FIND_READ_ONLY, /* ... and at least one is known to be none */
  FIND_WRITER,
  FIND_CACHED, /* find_one_server(): that of an earlier connection */
};

/*
 * Open a session at the first server from c->session->number that takes writes
 * (a single one is not asked), or that has the role of --target.  WAITS: each
 * server is asked once; if lost connections are ignored, for
 * --db-connect-timeout or until all in turn refuse for good.  FIND_REPLICA,
 * FIND_READ_ONLY: nothing is open, c->first is the attempt that found the
 * server.  Without a writer `seen` has what was seen.
 */
enum find_result find_writer(struct conn *c, struct strbuf *seen);

/*
 * Open a session at the command's one server: the first that takes writes, else
 * the first that is no replica, else a replica; WAITS as find_writer().  With
 * --target: as find_server().  Later connections look for another server if
 * that is away, but not for a read-only one in place of a writer.  FIND_NONE:
 * as -1 of find_server().
 */
enum find_result find_one_server(struct conn *c, struct strbuf *seen);

/* Number for a connection to the server of the last one opened. */
uint64_t find_served(const struct conn *c);

/*
 * Find a server for connections after the run: one that takes writes if there
 * are several; with --target=replica, a replica.  First where clients were
 * served last, then the lists; BLOCKS as find_writer().  NULL: found; else the
 * reason.  Failures are not reported.
 */
const char *find_server_after_run(struct driver_handle *h);

#endif
