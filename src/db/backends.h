/*
 * backends.h - how many backends of servers the clients of a run have met: a
 * pooler in between gives them fewer than there are clients.
 */
#ifndef BENCH_DB_BACKENDS_H
#define BENCH_DB_BACKENDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct db_cfg;
struct driver;

/* Shared by all threads of a run. */
struct backends {
  pthread_mutex_t lock; /* protects the rest */
  uint64_t *key;        /* [room] owned; 0: free */
  size_t n, room;
  uint64_t asked;  /* answers */
  uint64_t failed; /* questions without one */
  uint64_t askers; /* workers that have an answer */
  bool incomplete; /* no memory for one more */
};

struct backends_seen {
  uint64_t backends, asked, failed, askers;
  bool incomplete;
};

/* The driver has a server that can be asked, or --backend-sample asks none;
 * false after a FATAL line.  `cfg` is that of the driver. */
bool backends_are_possible(const struct db_cfg *set, const struct driver *d,
                           const void *cfg);

void backends_init(struct backends *b);
void backends_done(struct backends *b);

/* Backend `id` of the server `target` has answered.  `first`: the worker has
 * not asked before. */
void backends_add(struct backends *b, const char *target, uint64_t id,
                  bool first);
/* A question had no answer. */
void backends_fail(struct backends *b);

struct backends_seen backends_get(struct backends *b);

#endif
