/*
 * walk.h - strongly connected components and short cycles of a graph, along
 * some of its edges.
 *
 * With `apart`, no rw edge follows another.  Then each node is there twice: as
 * reached by an rw edge, and as reached otherwise.  A *place* is such a node:
 * 2 * node + 1, and 2 * node.
 */
#ifndef BENCH_HISTORY_WALK_H
#define BENCH_HISTORY_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "history/graph.h"

struct way {
  unsigned kinds; /* bits 1 << enum edge */
  bool apart;
};

/* Number the components of the places: places of one component, and only they,
 * can be reached from each other.  *ret is owned by the caller.  Returns
 * -ENOMEM. */
int walk_components(const struct graph *g, const struct way *way,
                    uint32_t **ret);

/* Does an edge from a place lead on, and where to? */
bool walk_step(const struct graph *g, const struct way *way, uint32_t place,
               uint32_t edge, uint32_t *ret);

struct walk_rule {
  struct way way;   /* of the components */
  unsigned first;   /* kinds of the edge that the cycle is searched with */
  unsigned between; /* kinds of the others */
  bool ends_by_rw;  /* the last edge is rw, too */
};

/*
 * Search the shortest cycle by a rule.  Takes at most about `effort` edges: if
 * that is not enough, the cycle may be longer than the shortest one, and
 * *ret_shortest is false.  Sets *ret_steps to NULL if there is none.  Returns
 * -ENOMEM.
 */
int walk_shortest(const struct graph *g, const struct walk_rule *rule,
                  const uint32_t *components, uint64_t effort,
                  struct cycle_step **ret_steps, uint32_t *ret_n,
                  bool *ret_shortest);

#endif
