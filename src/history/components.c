/*
 * components.c - strongly connected components: Tarjan's algorithm, without
 * recursion.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history/walk.h"

struct search {
  const struct graph *g;
  const struct way *way;
  uint32_t *number; /* owned; per place: when it was met, from 1; 0: not yet */
  uint32_t *low;    /* owned; the earliest place that it leads to */
  uint32_t *edge;   /* owned; the next edge to follow */
  uint32_t *path;   /* owned; places that are being left */
  uint32_t *open;   /* owned; places whose component is not complete */
  uint32_t *component;
  uint32_t n_path, n_open, met, n_components;
};

bool walk_step(const struct graph *g, const struct way *way, uint32_t place,
               uint32_t edge, uint32_t *ret)
{
  const enum edge kind = (enum edge)g->kind[edge];
  const uint32_t to = g->to[edge] * 2;

  if (!(way->kinds >> kind & 1))
    return false;
  *ret = to;
  if (!way->apart)
    return true;
  if (kind == EDGE_RW && place % 2 == 1)
    return false;
  *ret = to + (kind == EDGE_RW || (kind == EDGE_VIA && place % 2 == 1));
  return true;
}

static void enter(struct search *s, uint32_t place)
{
  s->number[place] = s->low[place] = ++s->met;
  s->edge[place] = s->g->first[place / 2];
  s->path[s->n_path++] = place;
  s->open[s->n_open++] = place;
}

static void close_component(struct search *s, uint32_t place)
{
  uint32_t member;

  do {
    member = s->open[--s->n_open];
    s->component[member] = s->n_components;
  } while (member != place);
  s->n_components++;
}

static void leave(struct search *s, uint32_t place)
{
  s->n_path--;
  if (s->low[place] == s->number[place])
    close_component(s, place);
  if (s->n_path > 0) {
    const uint32_t above = s->path[s->n_path - 1];

    if (s->low[place] < s->low[above])
      s->low[above] = s->low[place];
  }
}

static void visit(struct search *s, uint32_t root)
{
  enter(s, root);
  while (s->n_path > 0) {
    const uint32_t place = s->path[s->n_path - 1];
    uint32_t to;

    if (s->edge[place] == s->g->first[place / 2 + 1]) {
      leave(s, place);
      continue;
    }
    if (!walk_step(s->g, s->way, place, s->edge[place]++, &to))
      continue;
    if (s->number[to] == 0)
      enter(s, to);
    else if (s->component[to] == HISTORY_NONE && s->number[to] < s->low[place])
      s->low[place] = s->number[to];
  }
}

int walk_components(const struct graph *g, const struct way *way,
                    uint32_t **ret)
{
  const size_t n = (size_t)g->n * 2 + 1;
  struct search s = { .g = g, .way = way };
  int rc = -ENOMEM;

  s.number = calloc(n, sizeof(*s.number));
  s.low = malloc(n * sizeof(*s.low));
  s.edge = malloc(n * sizeof(*s.edge));
  s.path = malloc(n * sizeof(*s.path));
  s.open = malloc(n * sizeof(*s.open));
  s.component = malloc(n * sizeof(*s.component));
  if (s.number && s.low && s.edge && s.path && s.open && s.component) {
    memset(s.component, 0xFF, n * sizeof(*s.component));
    for (uint32_t node = 0; node < g->n; node++) {
      if (s.number[node * 2] == 0)
        visit(&s, node * 2);
    }
    *ret = s.component;
    s.component = NULL;
    rc = 0;
  }
  free(s.number);
  free(s.low);
  free(s.edge);
  free(s.path);
  free(s.open);
  free(s.component);
  return rc;
}
