/*
 * versions.h - which version of a key each read has seen, and which versions
 * follow it; and the anomalies that need no graph.
 *
 * A version is what a committed write has left.  Its number is that of the
 * operation; the version that a key had before all writes has the number
 * n_ops + key.  In lists, the longest read of a key shows the order of its
 * versions.  In registers, a transaction that reads a key before it writes it
 * does so: its version follows the one that it has read.  A key that is written
 * without being read follows the first version, and nothing else is known.
 */
#ifndef BENCH_HISTORY_VERSIONS_H
#define BENCH_HISTORY_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "history/anomaly.h"
#include "history/history.h"

struct err;

/* The transaction whose version follows the version `from`. */
struct successor {
  uint32_t from;
  uint32_t trx;
};

struct versions {
  uint32_t n;      /* n_ops + n_keys */
  bool *committed; /* owned; per transaction: it is ok, or a read proves it */
  uint32_t *seen;  /* owned; per operation: the version that a read of a
                      transaction that is ok has seen; else HISTORY_NONE */

  /* Owned; those of version v are [first[v], first[v + 1]), in the order of the
   * transactions, each once. */
  uint32_t *first;
  uint32_t *successors;

  uint32_t unseen;   /* committed writes that no read has seen (lists) */
  uint32_t unplaced; /* writes whose place is not known (registers) */
};

/* Fill in the versions, and the findings of the kinds up to ANOMALY_DIRECT.
 * Returns -ENOMEM; versions_done() frees everything in any case. */
int versions_init(struct versions *v, const struct history *h,
                  struct finding *findings);
void versions_done(struct versions *v);

#endif
