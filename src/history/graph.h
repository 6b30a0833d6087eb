/*
 * graph.h - the graph of dependencies between transactions.
 *
 * Nodes below n_trxs are transactions.  If several transactions follow one
 * version, all readers of it depend on all of them: further nodes stand for
 * parts of such a set, so that the number of edges stays that of operations.
 * Nobody gets an edge to himself that way: the followers are in a row, and node
 * i of one chain stands for those from i on, node i of another for those up to
 * i.
 */
#ifndef BENCH_HISTORY_GRAPH_H
#define BENCH_HISTORY_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "history/anomaly.h"
#include "history/history.h"

struct versions;

struct graph {
  uint32_t n;      /* nodes */
  uint32_t n_trxs; /* those that are transactions */
  /* Owned; the edges of node i are [first[i], first[i + 1]). */
  uint32_t *first;
  uint32_t *to;
  uint32_t *cause; /* as in struct cycle_step */
  uint8_t *kind;   /* enum edge */
};

/* Returns -ENOMEM, or -E2BIG: there are more edges than 32 bits can count.
 * graph_done() frees everything in any case. */
int graph_init(struct graph *g, const struct history *h,
               const struct versions *v);
void graph_done(struct graph *g);

#endif
