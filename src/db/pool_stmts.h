/*
 * pool_stmts.h - the prepared statements of a session that clients share.
 *
 * They are found by their texts, so what one client has prepared is there for
 * the next one.  A statement object of a script has one of them as long as the
 * lease of its connection lasts (for src/db only).
 */
#ifndef BENCH_DB_POOL_STMTS_H
#define BENCH_DB_POOL_STMTS_H

#include <stddef.h>

#include "db/pool_parts.h"

struct conn_stmt;
struct driver;

/*
 * Gives `user` the statement with this text that no other object has in this
 * lease, with user->prepared; a new one is all zero and not ready.  NULL: no
 * memory.
 */
struct pool_stmt *pool_stmts_get(struct pool_stmts *s, struct conn_stmt *user,
                                 const char *sql, size_t len,
                                 size_t prepared_size);

/*
 * A statement that has to go, as there are more than so many: the one that
 * nobody has had for longest; NULL: none.  A client that drops its statement
 * objects while it has no lease cannot close what they stood for.
 */
enum {
  POOL_STMTS_KEPT = 1000
};
struct pool_stmt *pool_stmts_surplus(const struct pool_stmts *s);

/* It was not prepared, or is not any more; its user has none then. */
void pool_stmts_remove(struct pool_stmts *s, struct pool_stmt *st);

/* The lease ends: nobody uses them. */
void pool_stmts_release(struct pool_stmts *s);

/* The session is about to be closed: all of them go with it. */
void pool_stmts_clear(struct pool_stmts *s, const struct driver *driver);

#endif
