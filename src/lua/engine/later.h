/*
 * later.h - objects that the garbage collector has found, and that their client
 * frees when it makes its next call.
 *
 * The collector of a Lua state that clients share runs in the middle of the
 * call of any client.  The owner of the object may be waiting for an answer on
 * the same connection at that moment.
 */
#ifndef BENCH_LUA_ENGINE_LATER_H
#define BENCH_LUA_ENGINE_LATER_H

#include <stddef.h>

struct conn;
struct stmt;

struct later_item {
  struct conn *conn; /* one of them is not NULL */
  struct stmt *stmt;
};

/* A zeroed list is empty. */
struct later {
  struct later_item *item; /* owned */
  size_t n, room;
};

/*
 * Add an object.  Without memory for it nothing is added: env_done() frees the
 * object.
 */
void later_add(struct later *l, struct conn *conn, struct stmt *stmt);

/* Free the objects of the list; WAITS. */
void later_free_objects(struct later *l);

/* Free the list, but not what is in it. */
void later_done(struct later *l);

#endif
