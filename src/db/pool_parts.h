/*
 * pool_parts.h - what a pool of sessions consists of, and its figures.  See
 * pool.h for what is done with it.
 */
#ifndef BENCH_DB_POOL_PARTS_H
#define BENCH_DB_POOL_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "db/churn.h"
#include "db/driver.h"
#include "db/watch.h"

struct conn_stmt;
struct fiber;

/* A prepared statement of a session; see pool_stmts.h. */
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

#endif
