/*
 * pool.h - the sessions that the clients of a thread share, and their prepared
 * statements (for src/db only).  See broker.h for who gets which session.
 *
 * Statements are found by their texts, so what one client has prepared is there
 * for the next one.  A statement object of a script has one of them as long as
 * the lease of its connection lasts.
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

/* What a connection knows of its statements: enough to forget them with the
 * session that they were prepared in. */
struct conn_stmt {
  struct conn_stmt *next, *prev;
  struct prepared *prepared; /* owned by the statement, or with a pool by
                              * `shared`; NULL when emulated */
  bool ready;                /* prepared in a session of this connection */
  struct pool_stmt *shared;  /* [opt] that of the session of the lease */
  uint64_t hash;             /* of the text, for that; 0: unknown */
};

/* A prepared statement of a session. */
struct pool_stmt {
  struct pool_stmt *next;      /* at the same place of the table */
  struct pool_stmt *next_used; /* in this lease */
  bool used;                   /* it is in that list */
  bool ready;                  /* prepared on the server */
  uint64_t last;               /* the last lease in which it was used */
  struct conn_stmt *user;      /* in this lease; NULL: none */
  uint64_t hash;
  size_t len;
  struct prepared *prepared; /* owned */
  char sql[];
};

/* {0} is one without statements. */
struct pool_stmts {
  struct pool_stmt **table; /* owned */
  size_t room, n;           /* places: a power of two; statements */
  struct pool_stmt *used;
  uint64_t lease; /* the number of this one */
};

/* A session that clients lease. */
struct pool_session {
  struct pool_session *next; /* of those that are free */
  struct session *session;   /* owned; NULL: it was not made yet */
  struct watched watched;
  bool open;
  char lost[160]; /* why it is not open any more */
  unsigned first; /* attempts begin at this target */
  bool sized;     /* `sizes` is of this session */
  struct statement_sizes sizes;
  struct pool_stmts stmts;
  struct churn churn;
  bool churns; /* `churn` has begun */
};

/* A client that waits for one. */
struct pool_wait {
  struct pool_wait *next;
  struct fiber *fiber;
  struct pool_session *got;
};

/* The thread of the pool writes them, others read. */
struct pool_figures {
  _Atomic uint64_t leases;      /* in what counts */
  _Atomic uint64_t waits;       /* those of them that had to wait */
  _Atomic uint64_t wait_ns;     /* for so long, all together */
  _Atomic uint64_t longest_ns;  /* and for so long at most */
  _Atomic uint64_t rolled_back; /* transactions that clients had left open */
};

/* Of one thread that carries clients, which alone uses it. */
struct pool {
  unsigned size;                         /* sessions that it may have */
  struct pool_session *of;               /* owned; [size] */
  const struct driver *driver;           /* NULL: it was not used yet */
  unsigned made;                         /* sessions in `of` */
  struct pool_session *free, **free_end; /* in the order of their return */
  struct pool_wait *waits, **waits_end;  /* only while none is free */
  unsigned users;                        /* clients with a connection of it */
  uint64_t seed;                         /* for the lives of sessions */
  struct session *nobody; /* owned; what connections without a lease have */
  struct watched watched_nobody;
  struct pool_figures figures;
} CACHE_ALIGNED;

/* `n` pools that have `sessions` together; the shares differ by one at most.
 * NULL: no memory. */
struct pool *pools_new(unsigned n, unsigned sessions);
/* They are closed. */
void pools_free(struct pool *pools, unsigned n);

/* A figure grows; the thread of the pool does it. */
static inline void pool_figure(_Atomic uint64_t *figure, uint64_t n)
{
  atomic_store_explicit(figure,
                        atomic_load_explicit(figure, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

/* Of all of them. */
struct pool_sum {
  uint64_t leases, waits, wait_ns, longest_ns, rolled_back;
};
struct pool_sum pools_sum(const struct pool *pools, unsigned n);

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
