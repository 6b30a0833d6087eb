/*
 * graph.h - the versions of keys, and the graph of dependencies between
 * transactions.
 */
#ifndef BENCH_HISTORY_GRAPH_H
#define BENCH_HISTORY_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "verify/history/anomaly.h"
#include "verify/history/history.h"

struct versions;

/*
 * A version is the result of a committed write: its number is the operation's,
 * or n_ops + key for the first version. In lists, the longest read of a key
 * shows the order of versions. In registers, a version follows the one that its
 * transaction read before; without a read, it follows the first version, and
 * its place is unknown.
 */

struct successor {
  uint32_t from;
  uint32_t trx;
};

struct versions {
  uint32_t n;      /* n_ops + n_keys */
  bool *committed; /* owned; per transaction: ok, or proved by a read */
  uint32_t *seen;  /* owned; per operation: the version read, or HISTORY_NONE */

  /* Owned; successors of version v are [first[v], first[v + 1]), in the
   * order of transactions, each once. */
  uint32_t *first;
  uint32_t *successors;

  uint32_t unseen;   /* lists: committed writes without a read */
  uint32_t unplaced; /* registers: writes of unknown place */
};

/* Also makes the findings up to ANOMALY_DIRECT. -ENOMEM; versions_done()
 * frees all in any case. */
int versions_init(struct versions *v, const struct history *h,
                  struct finding *findings);
void versions_done(struct versions *v);

/*
 * All readers of a version depend on all followers. Helper nodes save edges:
 * node i of one chain stands for the followers from i on, of the other for
 * those up to i.
 */
struct graph {
  uint32_t n; /* nodes; transactions come first */
  uint32_t n_trxs;
  /* Owned; edges of node i are [first[i], first[i + 1]). */
  uint32_t *first;
  uint32_t *to;
  uint32_t *cause;
  uint8_t *kind; /* enum edge */
};

/* -ENOMEM or -E2BIG (more edges than 32 bits); graph_done() frees all in any
 * case. */
int graph_init(struct graph *g, const struct history *h,
               const struct versions *v);
void graph_done(struct graph *g);

#endif
