/*
 * find_primary.h - finds a server of the lists.
 */
#ifndef BENCH_DB_FIND_PRIMARY_H
#define BENCH_DB_FIND_PRIMARY_H

#include <stdint.h>

struct conn;
struct driver_handle;
struct strbuf;

/*
 * Opens a first session; with --server-role, at a server with that role.  WAITS
 * up to `until_ns`, a quarter longer for a silent server, plus turns and the
 * question for the role. -1: `seen` describes each server, or is empty and
 * c->out has the reason.
 */
int find_server(struct conn *c, uint64_t until_ns, struct strbuf *seen);

enum find_result {
  FIND_NONE,
  FIND_REPLICA,   /* at least one can be a replica */
  FIND_READ_ONLY, /* no replica, but at least one is read-only */
  FIND_WRITER,
  FIND_CACHED, /* from an earlier connection */
};

/*
 * Opens the first server from c->session->number that takes writes or has the
 * role; a single one is not asked.  WAITS: asks each once; if losses are
 * ignored, for --db-connect-timeout or until all refuse for good.
 * FIND_REPLICA, FIND_READ_ONLY: nothing is open, c->first is that server's
 * attempt; `seen` as above.
 */
enum find_result find_writer(struct conn *c, struct strbuf *seen);

/*
 * Opens the command's one server: the first that takes writes, else no replica,
 * else a replica; WAITS as find_writer().  With --server-role: find_server().
 * No read-only server replaces a writer.  FIND_NONE: `seen` as above.
 */
enum find_result find_one_server(struct conn *c, struct strbuf *seen);

/* The server of the last opened connection. */
uint64_t find_served(const struct conn *c);

/*
 * For connections after the run: a server that takes writes if there are
 * several, or a replica with --server-role=replica; first where clients were
 * served last.  BLOCKS as find_writer().  Returns NULL, or the reason.
 */
const char *find_server_after_run(struct driver_handle *h);

#endif
