/*
 * pool.h - sessions that clients of a thread share, and their prepared
 * statements, found by text (for src/db only).  A statement object has one
 * during a lease.
 */
#ifndef BENCH_DB_POOL_H
#define BENCH_DB_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "db/churn.h"
#include "db/driver.h"
#include "db/watch.h"

struct fiber;

struct conn_stmt {
  struct conn_stmt *next, *prev;
  struct prepared *prepared; /* owned, or by `shared`; NULL: emulated */
  bool ready;                /* in a session of this connection */
  struct pool_stmt *shared;  /* [opt] */
  uint64_t hash;             /* of the text; 0: unknown */
};

struct pool_stmt {
  struct pool_stmt *next;      /* in the bucket */
  struct pool_stmt *next_used; /* in this lease */
  bool used;
  bool ready; /* on the server */
  uint64_t last;
  struct conn_stmt *user; /* in this lease; [opt] */
  uint64_t hash;
  size_t len;
  struct prepared *prepared; /* owned */
  char sql[];
};

/* {0} is empty. */
struct pool_stmts {
  struct pool_stmt **table; /* owned */
  size_t room, n;           /* a power of two */
  struct pool_stmt *used;
  uint64_t lease;
};

struct pool_session {
  struct pool_session *next;
  struct session *session; /* owned; [opt] */
  struct watched watched;
  bool open;
  char lost[160]; /* why it is closed */
  unsigned first; /* first attempt */
  bool sized;     /* `sizes` is valid */
  struct statement_sizes sizes;
  struct pool_stmts stmts;
  struct churn churn;
  bool churns; /* `churn` has begun */
};

struct pool_wait {
  struct pool_wait *next;
  struct fiber *fiber;
  struct pool_session *got;
};

/* By the pool's thread. */
struct pool_figures {
  _Atomic uint64_t leases; /* while results count */
  _Atomic uint64_t waits;  /* leases that waited */
  _Atomic uint64_t wait_ns;
  _Atomic uint64_t longest_ns;
  _Atomic uint64_t rolled_back; /* left open */
};

/* Used by one thread. */
struct pool {
  unsigned size;               /* maximum of sessions */
  struct pool_session *of;     /* owned; [size] */
  const struct driver *driver; /* NULL: not used yet */
  unsigned made;
  struct pool_session *free, **free_end;
  struct pool_wait *waits, **waits_end;
  unsigned users;
  uint64_t seed;
  struct session *nobody;
  struct watched watched_nobody;
  struct pool_figures figures;
} CACHE_ALIGNED;

/* Sizes differ by at most one.  NULL: no memory. */
struct pool *pools_new(unsigned n, unsigned sessions);
void pools_free(struct pool *pools, unsigned n);

static inline void pool_figure(_Atomic uint64_t *figure, uint64_t n)
{
  atomic_store_explicit(figure,
                        atomic_load_explicit(figure, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

struct pool_sum {
  uint64_t leases, waits, wait_ns, longest_ns, rolled_back;
};
struct pool_sum pools_sum(const struct pool *pools, unsigned n);

/* A statement with this text that is free in this lease, or a new one, zero and
 * not ready.  NULL: no memory. */
struct pool_stmt *pool_stmts_get(struct pool_stmts *s, struct conn_stmt *user,
                                 const char *sql, size_t len,
                                 size_t prepared_size);

/* The longest unused of more than POOL_STMTS_KEPT, or NULL.  Clients without a
 * lease cannot close statements. */
enum {
  POOL_STMTS_KEPT = 1000
};
struct pool_stmt *pool_stmts_surplus(const struct pool_stmts *s);

/* Not prepared; its user loses it. */
void pool_stmts_remove(struct pool_stmts *s, struct pool_stmt *st);

void pool_stmts_release(struct pool_stmts *s);

/* Before the session is closed. */
void pool_stmts_clear(struct pool_stmts *s, const struct driver *driver);

#endif
