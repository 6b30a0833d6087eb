/*
 * graph.c - builds the graph of dependencies.
 */
#include "history/graph.h"

#include <errno.h>
#include <stdlib.h>

#include "history/versions.h"

struct edges {
  uint32_t *from, *to, *cause; /* owned */
  uint8_t *kind;               /* owned */
  size_t n, room;
  int rc;
};

struct builder {
  struct graph *g;
  const struct history *h;
  const struct versions *v;
  struct edges e;
  uint32_t *chain; /* owned; per version: its first further node */
};

static void *wider(void *things, size_t room, size_t size, int *rc)
{
  void *more = realloc(things, room * size);

  if (!more)
    *rc = -ENOMEM;
  return more ? more : things;
}

static void make_room(struct edges *e)
{
  const size_t room = e->room ? e->room * 2 : 4096;

  if (room > UINT32_MAX / 2) {
    e->rc = -E2BIG;
    return;
  }
  e->from = wider(e->from, room, sizeof(*e->from), &e->rc);
  e->to = wider(e->to, room, sizeof(*e->to), &e->rc);
  e->cause = wider(e->cause, room, sizeof(*e->cause), &e->rc);
  e->kind = wider(e->kind, room, sizeof(*e->kind), &e->rc);
  if (e->rc == 0)
    e->room = room;
}

static void add(struct builder *b, uint32_t from, uint32_t to, enum edge kind,
                uint32_t cause)
{
  struct edges *e = &b->e;

  if (from == to)
    return;
  if (e->n == e->room)
    make_room(e);
  if (e->rc)
    return;
  e->from[e->n] = from;
  e->to[e->n] = to;
  e->cause[e->n] = cause;
  e->kind[e->n] = (uint8_t)kind;
  e->n++;
}

/* ---- readers and those who follow ---- */

static uint32_t followers(const struct builder *b, uint32_t version)
{
  return b->v->first[version + 1] - b->v->first[version];
}

static uint32_t follower(const struct builder *b, uint32_t version, uint32_t i)
{
  return b->v->successors[b->v->first[version] + i];
}

/* The node for the followers from i on, and that for those up to i. */
static uint32_t from_on(const struct builder *b, uint32_t version, uint32_t i)
{
  return b->chain[version] + 2 * i;
}

static uint32_t up_to(const struct builder *b, uint32_t version, uint32_t i)
{
  return b->chain[version] + 2 * i + 1;
}

static void add_chains(struct builder *b, uint32_t version)
{
  const uint32_t n = followers(b, version);

  if (n < 2)
    return;
  b->chain[version] = b->g->n;
  b->g->n += 2 * n;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t trx = follower(b, version, i);

    add(b, from_on(b, version, i), trx, EDGE_VIA, HISTORY_NONE);
    add(b, up_to(b, version, i), trx, EDGE_VIA, HISTORY_NONE);
    if (i + 1 < n)
      add(b, from_on(b, version, i), from_on(b, version, i + 1), EDGE_VIA,
          HISTORY_NONE);
    if (i > 0)
      add(b, up_to(b, version, i), up_to(b, version, i - 1), EDGE_VIA,
          HISTORY_NONE);
  }
}

/* The place of a transaction in a row of followers; their number: it is none.
 */
static uint32_t place_of(const struct builder *b, uint32_t version,
                         uint32_t trx)
{
  uint32_t low = 0, high = followers(b, version);

  while (low < high) {
    const uint32_t mid = low + (high - low) / 2;

    if (follower(b, version, mid) < trx)
      low = mid + 1;
    else
      high = mid;
  }
  if (low < followers(b, version) && follower(b, version, low) == trx)
    return low;
  return followers(b, version);
}

static void add_read(struct builder *b, uint32_t read)
{
  const uint32_t version = b->v->seen[read], trx = b->h->ops[read].trx;
  const uint32_t n = followers(b, version);
  uint32_t own;

  if (version < b->h->n_ops)
    add(b, b->h->ops[version].trx, trx, EDGE_WR, read);
  if (n == 1)
    add(b, trx, follower(b, version, 0), EDGE_RW, read);
  if (n < 2)
    return;
  own = place_of(b, version, trx);
  if (own == n) {
    add(b, trx, from_on(b, version, 0), EDGE_RW, read);
    return;
  }
  if (own + 1 < n)
    add(b, trx, from_on(b, version, own + 1), EDGE_RW, read);
  if (own > 0)
    add(b, trx, up_to(b, version, own - 1), EDGE_RW, read);
}

/* ---- writes ---- */

/* The first operation with which a transaction writes a key. */
static uint32_t write_of(const struct history *h, uint32_t trx, uint32_t key)
{
  for (uint32_t i = h->trxs[trx].first; i < history_end(h, trx); i++) {
    if (h->ops[i].is_write && h->ops[i].key == key)
      return i;
  }
  return HISTORY_NONE;
}

static void add_writes(struct builder *b, uint32_t version)
{
  const struct history_op *op = &b->h->ops[version];

  for (uint32_t i = 0; i < followers(b, version); i++) {
    const uint32_t trx = follower(b, version, i);

    if (trx != op->trx)
      add(b, op->trx, trx, EDGE_WW, write_of(b->h, trx, op->key));
  }
}

/* ---- all of it ---- */

static int sort_edges(struct graph *g, const struct edges *e)
{
  uint32_t i;

  g->first = calloc((size_t)g->n + 2, sizeof(*g->first));
  g->to = malloc((e->n + 1) * sizeof(*g->to));
  g->cause = malloc((e->n + 1) * sizeof(*g->cause));
  g->kind = malloc(e->n + 1);
  if (!g->first || !g->to || !g->cause || !g->kind)
    return -ENOMEM;
  for (size_t k = 0; k < e->n; k++)
    g->first[e->from[k] + 2]++;
  for (i = 0; i <= g->n; i++)
    g->first[i + 1] += g->first[i];
  for (size_t k = 0; k < e->n; k++) {
    i = g->first[e->from[k] + 1]++;
    g->to[i] = e->to[k];
    g->cause[i] = e->cause[k];
    g->kind[i] = e->kind[k];
  }
  return 0;
}

static void add_all(struct builder *b)
{
  for (uint32_t v = 0; v < b->v->n && b->e.rc == 0; v++) {
    add_chains(b, v);
    if (v < b->h->n_ops)
      add_writes(b, v);
  }
  for (uint32_t i = 0; i < b->h->n_ops && b->e.rc == 0; i++) {
    if (b->v->seen[i] != HISTORY_NONE)
      add_read(b, i);
  }
}

int graph_init(struct graph *g, const struct history *h,
               const struct versions *v)
{
  struct builder b = { .g = g, .h = h, .v = v };
  int rc = -ENOMEM;

  *g = (struct graph){ .n = h->n_trxs, .n_trxs = h->n_trxs };
  b.chain = malloc(((size_t)v->n + 1) * sizeof(*b.chain));
  if (b.chain) {
    add_all(&b);
    rc = b.e.rc ? b.e.rc : sort_edges(g, &b.e);
  }
  free(b.chain);
  free(b.e.from);
  free(b.e.to);
  free(b.e.cause);
  free(b.e.kind);
  return rc;
}

void graph_done(struct graph *g)
{
  free(g->first);
  free(g->to);
  free(g->cause);
  free(g->kind);
  *g = (struct graph){ 0 };
}
