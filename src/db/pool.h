/*
 * pool.h - the sessions that clients of a thread share, and their prepared
 * statements (for src/db only).
 *
 * Statements are found by their texts, so a client finds what another has
 * prepared.  A statement object keeps one for the lease of its connection.
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

struct driver;
struct fiber;

/* A statement in its connection's list. */
struct conn_stmt {
  struct conn_stmt *next, *prev;
  struct prepared *prepared; /* owned by the statement, or with a pool by
                                `shared`; NULL: emulated */
  bool ready;                /* prepared in a session of this connection */
  struct pool_stmt *shared;  /* [opt] of the leased session */
  uint64_t hash;             /* of the text; 0: unknown */
};

struct pool_stmt {
  struct pool_stmt *next;      /* in the bucket */
  struct pool_stmt *next_used; /* in this lease */
  bool used;                   /* in that list */
  bool ready;                  /* prepared on the server */
  uint64_t last;               /* lease of its last use */
  struct conn_stmt *user;      /* in this lease; NULL: none */
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
  uint64_t lease; /* number of the present lease */
};

/* A session that clients lease. */
struct pool_session {
  struct pool_session *next; /* in the list of free ones */
  struct session *session;   /* owned; NULL: not made yet */
  struct watched watched;
  bool open;
  char lost[160]; /* why it is closed */
  unsigned first; /* target of the first attempt */
  bool sized;     /* `sizes` is valid */
  struct statement_sizes sizes;
  struct pool_stmts stmts;
  struct churn churn;
  bool churns; /* `churn` has begun */
};

/* A waiting client. */
struct pool_wait {
  struct pool_wait *next;
  struct fiber *fiber;
  struct pool_session *got;
};

/* Written by the pool's thread. */
struct pool_figures {
  _Atomic uint64_t leases; /* while results count */
  _Atomic uint64_t waits;  /* leases that waited */
  _Atomic uint64_t wait_ns;
  _Atomic uint64_t longest_ns;
  _Atomic uint64_t rolled_back; /* left open by clients */
};

/* Of one thread that carries clients; no other uses it. */
struct pool {
  unsigned size;               /* sessions at most */
  struct pool_session *of;     /* owned; [size] */
  const struct driver *driver; /* NULL: not used yet */
  unsigned made;
  struct pool_session *free, **free_end; /* in the order of their return */
  struct pool_wait *waits, **waits_end;  /* only while none is free */
  unsigned users;
  uint64_t seed;
  struct session *nobody; /* owned; for connections without a lease */
  struct watched watched_nobody;
  struct pool_figures figures;
} CACHE_ALIGNED;

/* `n` pools with `sessions` together; shares differ by one at most.  NULL: no
 * memory. */
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

/* Give `user` a statement with this text that no other object has in this
 * lease; a new one is zero and not ready.  NULL: no memory. */
struct pool_stmt *pool_stmts_get(struct pool_stmts *s, struct conn_stmt *user,
                                 const char *sql, size_t len,
                                 size_t prepared_size);

/*
 * The longest unused statement if there are more than POOL_STMTS_KEPT, else
 * NULL.  A client without a lease cannot close the statements of the objects
 * that it drops.
 */
enum {
  POOL_STMTS_KEPT = 1000
};
struct pool_stmt *pool_stmts_surplus(const struct pool_stmts *s);

/* The statement is not prepared; its user loses it. */
void pool_stmts_remove(struct pool_stmts *s, struct pool_stmt *st);

/* The lease ends. */
void pool_stmts_release(struct pool_stmts *s);

/* The session is about to be closed. */
void pool_stmts_clear(struct pool_stmts *s, const struct driver *driver);

#endif
