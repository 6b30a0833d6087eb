/*
 * cycle.c - the shortest cycle: breadth first from each edge that may begin it,
 * to a depth that grows until one is found.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history/walk.h"

#define BIT(kind) (1U << (kind))

struct finder {
  const struct graph *g;
  const struct walk_rule *rule;
  const uint32_t *components;
  struct way between;
  uint64_t effort; /* edges that may still be followed */

  /* Owned; of the present search. */
  uint32_t *seen_in; /* per place: the number of the search that has met it */
  uint32_t *depth;
  uint32_t *parent;
  uint32_t *by; /* the edge from the parent */
  uint32_t *now, *next;
  uint32_t n_now, n_next;
  uint32_t search;

  uint32_t goal, begin; /* places */
  bool was_cut;         /* a search has stopped because of its depth */
};

static bool is_goal(const struct finder *f, uint32_t place, uint32_t edge)
{
  if (f->rule->ends_by_rw)
    return place / 2 == f->goal / 2 &&
           (BIT(f->g->kind[edge]) & (BIT(EDGE_RW) | BIT(EDGE_VIA)));
  return place == f->goal;
}

/* The goal is no way station. */
static bool is_passable(const struct finder *f, uint32_t place)
{
  return place / 2 != f->goal / 2 || f->rule->way.apart;
}

/* A way is as long as it has transactions. */
static uint32_t length_of(const struct finder *f, uint32_t place)
{
  return place / 2 < f->g->n_trxs;
}

static void reach(struct finder *f, uint32_t to, uint32_t from, uint32_t edge,
                  uint32_t depth)
{
  const uint32_t cost = length_of(f, to);

  if (f->seen_in[to] == f->search && f->depth[to] <= depth + cost)
    return;
  f->seen_in[to] = f->search;
  f->depth[to] = depth + cost;
  f->parent[to] = from;
  f->by[to] = edge;
  if (cost)
    f->next[f->n_next++] = to;
  else
    f->now[f->n_now++] = to;
}

/* Follow the edges of a place.  Returns whether the goal is reached: then the
 * edge is in *ret. */
static bool expand(struct finder *f, uint32_t place, uint32_t depth,
                   uint32_t *ret)
{
  const uint32_t component = f->components[f->begin];

  for (uint32_t e = f->g->first[place / 2]; e < f->g->first[place / 2 + 1];
       e++) {
    uint32_t to;

    f->effort -= f->effort > 0;
    if (!walk_step(f->g, &f->between, place, e, &to) ||
        f->components[to] != component)
      continue;
    if (is_goal(f, to, e)) {
      *ret = e;
      return true;
    }
    if (is_passable(f, to))
      reach(f, to, place, e, depth);
  }
  return false;
}

/* Search from `begin` to `goal` by at most `limit` transactions.  Returns
 * whether it is reached: then *ret_place and *ret_edge are the last step. */
static bool breadth(struct finder *f, uint32_t limit, uint32_t *ret_place,
                    uint32_t *ret_edge)
{
  f->search++;
  f->n_now = f->n_next = 0;
  f->seen_in[f->begin] = f->search;
  f->depth[f->begin] = length_of(f, f->begin);
  f->parent[f->begin] = HISTORY_NONE;
  f->now[f->n_now++] = f->begin;
  for (uint32_t depth = length_of(f, f->begin); f->n_now > 0; depth++) {
    uint32_t *more;

    if (depth > limit) {
      f->was_cut = true;
      return false;
    }
    for (uint32_t i = 0; i < f->n_now; i++) {
      if (f->depth[f->now[i]] != depth)
        continue; /* a shorter way to it was found */
      *ret_place = f->now[i];
      if (expand(f, f->now[i], depth, ret_edge))
        return true;
    }
    more = f->now;
    f->now = f->next;
    f->next = more;
    f->n_now = f->n_next;
    f->n_next = 0;
  }
  return false;
}

/* ---- the cycle ---- */

static uint32_t steps_back(const struct finder *f, uint32_t place,
                           struct cycle_step *to)
{
  uint32_t n = 0;

  for (; f->parent[place] != HISTORY_NONE; place = f->parent[place]) {
    const uint32_t edge = f->by[place], node = f->parent[place] / 2;

    if (node >= f->g->n_trxs)
      continue; /* the edge to it is told */
    if (to)
      to[n] = (struct cycle_step){ node, (enum edge)f->g->kind[edge],
                                   f->g->cause[edge] };
    n++;
  }
  return n;
}

/* The cycle of the edge `first` from `node`, a way to `place`, and the edge
 * `last` back. */
static int collect(const struct finder *f, uint32_t node, uint32_t first,
                   uint32_t place, uint32_t last, struct cycle_step **ret,
                   uint32_t *ret_n)
{
  const bool by_trx = place / 2 < f->g->n_trxs;
  const uint32_t back = steps_back(f, place, NULL);
  struct cycle_step *steps = calloc((size_t)back + 2, sizeof(*steps)), swap;

  if (!steps)
    return -ENOMEM;
  steps[0] = (struct cycle_step){ node, (enum edge)f->g->kind[first],
                                  f->g->cause[first] };
  (void)steps_back(f, place, steps + 1);
  for (uint32_t i = 1, j = back; i < j; i++, j--) {
    swap = steps[i];
    steps[i] = steps[j];
    steps[j] = swap;
  }
  if (by_trx)
    steps[back + 1] = (struct cycle_step){ place / 2,
                                           (enum edge)f->g->kind[last],
                                           f->g->cause[last] };
  *ret = steps;
  *ret_n = back + 1 + by_trx;
  return 0;
}

/* ---- all beginnings ---- */

/* Search from every edge that may begin a cycle.  Returns 1: found, 0: not, or
 * -ENOMEM. */
static int try_all(struct finder *f, uint32_t limit, struct cycle_step **ret,
                   uint32_t *ret_n)
{
  const struct graph *g = f->g;
  uint32_t place, edge;

  f->was_cut = false;
  for (uint32_t node = 0; node < g->n_trxs && f->effort > 0; node++) {
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
      f->effort -= f->effort > 0;
      f->goal = node * 2;
      if (!(f->rule->first >> g->kind[e] & 1) ||
          !walk_step(g, &f->rule->way, f->goal, e, &f->begin) ||
          f->components[f->begin] != f->components[f->goal])
        continue;
      if (breadth(f, limit, &place, &edge))
        return collect(f, node, e, place, edge, ret, ret_n) ? -ENOMEM : 1;
    }
  }
  return 0;
}

static int search_all(struct finder *f, struct cycle_step **ret,
                      uint32_t *ret_n, bool *ret_shortest)
{
  int rc = 0;

  *ret_shortest = true;
  for (uint32_t limit = 1; rc == 0; limit++) {
    rc = try_all(f, limit, ret, ret_n);
    if (rc == 0 && f->effort > 0 && !f->was_cut)
      return 0; /* there is none */
    if (f->effort == 0)
      break;
  }
  if (rc != 0)
    return rc < 0 ? rc : 0;
  *ret_shortest = false;
  f->effort = (uint64_t)f->g->first[f->g->n] * 4;
  rc = try_all(f, UINT32_MAX, ret, ret_n);
  return rc < 0 ? rc : 0;
}

int walk_shortest(const struct graph *g, const struct walk_rule *rule,
                  const uint32_t *components, uint64_t effort,
                  struct cycle_step **ret_steps, uint32_t *ret_n,
                  bool *ret_shortest)
{
  const size_t n = (size_t)g->n * 2 + 1;
  struct finder f = { .g = g,
                      .rule = rule,
                      .components = components,
                      .between = { rule->between | BIT(EDGE_VIA),
                                   rule->way.apart },
                      .effort = effort };
  int rc = -ENOMEM;

  *ret_steps = NULL;
  *ret_n = 0;
  f.seen_in = calloc(n, sizeof(*f.seen_in));
  f.depth = malloc(n * sizeof(*f.depth));
  f.parent = malloc(n * sizeof(*f.parent));
  f.by = malloc(n * sizeof(*f.by));
  /* A place can be in a list twice: met by a longer and by a shorter way. */
  f.now = malloc(2 * n * sizeof(*f.now));
  f.next = malloc(2 * n * sizeof(*f.next));
  if (f.seen_in && f.depth && f.parent && f.by && f.now && f.next)
    rc = search_all(&f, ret_steps, ret_n, ret_shortest);
  free(f.seen_in);
  free(f.depth);
  free(f.parent);
  free(f.by);
  free(f.now);
  free(f.next);
  return rc;
}
