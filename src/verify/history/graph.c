#include "verify/history/graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct finder {
  struct versions *v;
  const struct history *h;
  struct finding *findings;
  uint32_t *longest;       /* owned; lists, per key: longest read */
  uint32_t *next;          /* owned; lists, per version: next element */
  uint32_t *last;          /* owned; lists, per key: last version */
  bool *is_placed;         /* owned; per operation: is in a list */
  struct successor *pairs; /* owned; in the order of transactions */
  size_t n_pairs;
};

static void versions_found(struct finder *f, enum anomaly a, uint32_t op,
                           uint32_t other)
{
  struct finding *it = &f->findings[a];

  if (it->n++ == 0) {
    it->op[0] = op;
    it->op[1] = other;
  }
}

static const struct history_trx *versions_trx_of(const struct finder *f,
                                                 uint32_t op)
{
  return &f->h->trxs[f->h->ops[op].trx];
}

/* A read of a certainly committed transaction. */
static bool versions_counts(const struct finder *f, uint32_t op)
{
  const struct history_op *o = &f->h->ops[op];

  return !o->is_write && o->is_known &&
         versions_trx_of(f, op)->outcome == HISTORY_OK;
}

static uint32_t versions_initial(const struct finder *f, uint32_t key)
{
  return f->h->n_ops + key;
}

/* The write of a value that was read; HISTORY_NONE: no such write can have
 * committed. */
static uint32_t versions_source(struct finder *f, uint32_t reader,
                                int64_t value)
{
  const uint32_t w = history_writer(f->h, f->h->ops[reader].key, value);

  if (w == HISTORY_NONE) {
    versions_found(f, ANOMALY_GARBAGE, reader, HISTORY_NONE);
    return HISTORY_NONE;
  }
  if (versions_trx_of(f, w)->outcome == HISTORY_FAIL) {
    versions_found(f, ANOMALY_G1A, reader, w);
    return HISTORY_NONE;
  }
  f->v->committed[f->h->ops[w].trx] = true;
  return w;
}

/* ---- lists ---- */

/* *at moves behind it. */
static int64_t versions_element(const char **at, const char *end)
{
  int64_t n = 0;

  while (*at < end && **at != ',')
    n = n * 10 + (*(*at)++ - '0');
  *at += *at < end;
  return n;
}

static void versions_find_longest(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    uint32_t *longest = &f->longest[h->ops[i].key];

    if (versions_counts(f, i) &&
        (*longest == HISTORY_NONE || h->ops[i].bytes > h->ops[*longest].bytes))
      *longest = i;
  }
}

/* A transaction's appends to a key become visible together and in order. */
static void versions_check_whole(struct finder *f, uint32_t reader,
                                 uint32_t write)
{
  const struct history_op *ops = f->h->ops;
  uint32_t before = ops[write].before;

  while (before != HISTORY_NONE && !ops[before].is_write)
    before = ops[before].before;
  if (before != HISTORY_NONE && !f->is_placed[before])
    versions_found(f, ANOMALY_ORDER, reader, before);
}

static void versions_order_key(struct finder *f, uint32_t key)
{
  const struct history *h = f->h;
  const uint32_t reader = f->longest[key];
  uint32_t before = versions_initial(f, key);

  f->last[key] = before;
  if (reader == HISTORY_NONE)
    return;
  for (const char *at = h->text + h->ops[reader].at,
                  *end = at + h->ops[reader].bytes;
       at < end;) {
    const uint32_t w = versions_source(f, reader, versions_element(&at, end));

    if (w == HISTORY_NONE)
      continue;
    if (f->is_placed[w]) {
      versions_found(f, ANOMALY_DUPLICATE, reader, w);
      continue;
    }
    versions_check_whole(f, reader, w);
    f->is_placed[w] = true;
    f->next[before] = w;
    f->last[key] = before = w;
  }
}

/* Does the longest list begin with this one? */
static bool versions_is_compatible(const struct history *h,
                                   const struct history_op *op,
                                   const struct history_op *longest)
{
  const char *text = h->text + op->at, *all = h->text + longest->at;

  return memcmp(text, all, op->bytes) == 0 &&
         (op->bytes == longest->bytes || op->bytes == 0 ||
          all[op->bytes] == ',');
}

/* Elements that only a contradicting list has. */
static void versions_check_odd_list(struct finder *f, uint32_t reader)
{
  const struct history *h = f->h;
  const struct history_op *op = &h->ops[reader];

  for (const char *at = h->text + op->at, *end = at + op->bytes; at < end;) {
    const int64_t value = versions_element(&at, end);
    const uint32_t w = history_writer(h, op->key, value);

    if (w == HISTORY_NONE || !f->is_placed[w])
      (void)versions_source(f, reader, value);
  }
}

static void versions_see_list(struct finder *f, uint32_t i)
{
  const struct history *h = f->h;
  const struct history_op *op = &h->ops[i];
  const uint32_t longest = f->longest[op->key];
  uint32_t w;

  if (!versions_is_compatible(h, op, &h->ops[longest])) {
    versions_found(f, ANOMALY_ORDER, i, longest);
    versions_check_odd_list(f, i);
    return;
  }
  if (op->bytes == 0) {
    f->v->seen[i] = versions_initial(f, op->key);
    return;
  }
  w = history_writer(h, op->key, op->value);
  if (w != HISTORY_NONE && f->is_placed[w])
    f->v->seen[i] = w;
}

static void versions_order_lists(struct finder *f)
{
  const struct history *h = f->h;

  versions_find_longest(f);
  for (uint32_t key = 0; key < h->n_keys; key++)
    versions_order_key(f, key);
  for (uint32_t i = 0; i < h->n_ops; i++) {
    if (versions_counts(f, i))
      versions_see_list(f, i);
  }
}

static void versions_add_pair(struct finder *f, uint32_t from, uint32_t trx)
{
  f->pairs[f->n_pairs++] = (struct successor){ from, trx };
}

/* Committed appends without a read come last. */
static void versions_follow_lists(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    const struct history_op *op = &h->ops[i];

    if (!op->is_write || !f->v->committed[op->trx] || f->is_placed[i])
      continue;
    f->v->unseen++;
    versions_add_pair(f, f->last[op->key], op->trx);
  }
  for (uint32_t v = 0; v < f->v->n; v++) {
    if (f->next[v] != HISTORY_NONE)
      versions_add_pair(f, v, h->ops[f->next[v]].trx);
  }
}

static void versions_see_registers(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    const struct history_op *op = &h->ops[i];

    if (!versions_counts(f, i))
      continue;
    f->v->seen[i] = op->bytes == 0 ? versions_initial(f, op->key)
                                   : versions_source(f, i, op->value);
  }
}

/* The version that the transaction read before its first write of the key. */
static bool versions_has_read(const struct finder *f, uint32_t write,
                              uint32_t *ret)
{
  const uint32_t before = f->h->ops[write].before;

  if (before == HISTORY_NONE || f->h->ops[before].is_write ||
      f->v->seen[before] == HISTORY_NONE)
    return false;
  *ret = f->v->seen[before];
  return true;
}

static bool versions_is_first_write(const struct finder *f, uint32_t i)
{
  const struct history_op *op = &f->h->ops[i];

  if (!op->is_write)
    return false;
  for (uint32_t b = op->before; b != HISTORY_NONE; b = f->h->ops[b].before) {
    if (f->h->ops[b].is_write)
      return false;
  }
  return true;
}

static int versions_follow_registers(struct finder *f)
{
  const struct history *h = f->h;
  uint32_t *writers = calloc((size_t)h->n_keys + 1, sizeof(*writers));
  uint32_t *blind = calloc((size_t)h->n_keys + 1, sizeof(*blind));

  for (uint32_t i = 0; writers && blind && i < h->n_ops; i++) {
    const struct history_op *op = &h->ops[i];
    uint32_t version;

    if (!versions_is_first_write(f, i) || !f->v->committed[op->trx])
      continue;
    writers[op->key]++;
    if (!versions_has_read(f, i, &version)) {
      version = versions_initial(f, op->key);
      blind[op->key]++;
    }
    versions_add_pair(f, version, op->trx);
  }
  for (uint32_t key = 0; writers && blind && key < h->n_keys; key++) {
    if (writers[key] > 1)
      f->v->unplaced += blind[key];
  }
  free(writers);
  free(blind);
  return writers && blind ? 0 : -ENOMEM;
}

/* ---- within a transaction ---- */

/* A list ends with the transaction's appends since its last read, and begins
 * with the list of that read. */
static bool versions_list_fits(const struct history *h, uint32_t reader)
{
  const struct history_op *op = &h->ops[reader];
  const char *const text = h->text + op->at, *end = text + op->bytes;
  uint32_t b = op->before;

  for (; b != HISTORY_NONE && h->ops[b].is_write; b = h->ops[b].before) {
    const char *from = end;
    const char *at;

    while (from > text && from[-1] != ',')
      from--;
    at = from;
    if (from == end || versions_element(&at, end) != h->ops[b].value)
      return false;
    end = from > text ? from - 1 : from;
  }
  if (b == HISTORY_NONE || !h->ops[b].is_known)
    return true;
  return h->ops[b].bytes == (size_t)(end - text) &&
         memcmp(h->text + h->ops[b].at, text, h->ops[b].bytes) == 0;
}

static bool versions_register_fits(const struct history *h, uint32_t reader)
{
  const struct history_op *op = &h->ops[reader], *b;

  if (op->before == HISTORY_NONE || !h->ops[op->before].is_known)
    return true;
  b = &h->ops[op->before];
  if (b->is_write)
    return op->bytes > 0 && op->value == b->value;
  return op->bytes == b->bytes && op->value == b->value;
}

/* A read of the transaction's own later write. */
static bool versions_is_ahead(const struct finder *f, uint32_t reader)
{
  const uint32_t v = f->v->seen[reader];

  return v < f->h->n_ops && v > reader &&
         f->h->ops[v].trx == f->h->ops[reader].trx;
}

static void versions_check_reads(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    const uint32_t seen = f->v->seen[i];

    if (!versions_counts(f, i))
      continue;
    if (versions_is_ahead(f, i) ||
        !(h->kind == HISTORY_LISTS ? versions_list_fits
                                   : versions_register_fits)(h, i))
      versions_found(f, ANOMALY_INTERNAL, i, h->ops[i].before);
    if (seen < h->n_ops && h->ops[seen].trx != h->ops[i].trx &&
        !h->ops[seen].is_final)
      versions_found(f, ANOMALY_G1B, i, seen);
  }
}

/* ---- lost updates ---- */

static int versions_find_lost(struct finder *f)
{
  const struct history *h = f->h;
  uint32_t *changed = malloc(((size_t)f->v->n + 1) * sizeof(*changed));

  if (!changed)
    return -ENOMEM;
  memset(changed, 0xFF, ((size_t)f->v->n + 1) * sizeof(*changed));
  for (uint32_t i = 0; i < h->n_ops; i++) {
    uint32_t version;

    if (!h->ops[i].is_write || versions_trx_of(f, i)->outcome != HISTORY_OK ||
        !versions_has_read(f, i, &version))
      continue;
    if (version < h->n_ops && h->ops[version].trx == h->ops[i].trx)
      continue; /* its own */
    if (changed[version] == HISTORY_NONE)
      changed[version] = i;
    else
      versions_found(f, ANOMALY_LOST_UPDATE, changed[version], i);
  }
  free(changed);
  return 0;
}

/* By version; the order within a version stays. */
static int versions_sort_pairs(struct finder *f)
{
  struct versions *v = f->v;
  uint32_t *to;

  v->first = calloc((size_t)v->n + 2, sizeof(*v->first));
  v->successors = malloc((f->n_pairs + 1) * sizeof(*v->successors));
  if (!v->first || !v->successors)
    return -ENOMEM;
  /* first[x + 1] is the place of the next one of x, and finally the begin of x
   * + 1. */
  for (size_t i = 0; i < f->n_pairs; i++)
    v->first[f->pairs[i].from + 2]++;
  for (uint32_t x = 0; x <= v->n; x++)
    v->first[x + 1] += v->first[x];
  for (size_t i = 0; i < f->n_pairs; i++) {
    to = &v->first[f->pairs[i].from + 1];
    v->successors[(*to)++] = f->pairs[i].trx;
  }
  return 0;
}

/* Two appends of a transaction are one successor. */
static void versions_drop_repeated(struct versions *v)
{
  uint32_t to = 0, from = 0;

  for (uint32_t x = 0; x < v->n; x++) {
    const uint32_t end = v->first[x + 1], begin = to;

    for (; from < end; from++) {
      if (to == begin || v->successors[to - 1] != v->successors[from])
        v->successors[to++] = v->successors[from];
    }
    v->first[x] = begin;
  }
  v->first[v->n] = to;
}

static int versions_find_all(struct finder *f)
{
  const struct history *h = f->h;
  int rc = 0;

  if (h->kind == HISTORY_LISTS) {
    versions_order_lists(f);
    versions_follow_lists(f);
  } else {
    versions_see_registers(f);
    rc = versions_follow_registers(f);
  }
  rc = rc ? rc : versions_sort_pairs(f);
  if (rc)
    return rc;
  versions_drop_repeated(f->v);
  versions_check_reads(f);
  return versions_find_lost(f);
}

static uint32_t *versions_all_none(size_t n)
{
  uint32_t *list = malloc((n + 1) * sizeof(*list));

  if (list)
    memset(list, 0xFF, (n + 1) * sizeof(*list));
  return list;
}

int versions_init(struct versions *v, const struct history *h,
                  struct finding *findings)
{
  struct finder f = { .v = v, .h = h, .findings = findings };
  int rc = -ENOMEM;

  *v = (struct versions){ .n = h->n_ops + h->n_keys };
  v->committed = calloc((size_t)h->n_trxs + 1, sizeof(*v->committed));
  v->seen = versions_all_none(h->n_ops);
  f.longest = versions_all_none(h->n_keys);
  f.last = versions_all_none(h->n_keys);
  f.next = versions_all_none(v->n);
  f.is_placed = calloc((size_t)h->n_ops + 1, sizeof(*f.is_placed));
  f.pairs = malloc(((size_t)h->n_ops + 1) * sizeof(*f.pairs));
  if (v->committed && v->seen && f.longest && f.last && f.next && f.is_placed &&
      f.pairs) {
    for (uint32_t i = 0; i < h->n_trxs; i++)
      v->committed[i] = h->trxs[i].outcome == HISTORY_OK;
    rc = versions_find_all(&f);
  }
  free(f.longest);
  free(f.last);
  free(f.next);
  free(f.is_placed);
  free(f.pairs);
  return rc;
}

void versions_done(struct versions *v)
{
  free(v->committed);
  free(v->seen);
  free(v->first);
  free(v->successors);
  *v = (struct versions){ 0 };
}

struct edges {
  uint32_t *from, *to, *cause;
  uint8_t *kind;
  size_t n, room;
  int rc;
};

struct builder {
  struct graph *g;
  const struct history *h;
  const struct versions *v;
  struct edges e;
  uint32_t *chain; /* owned; per version: its first helper node */
};

static void *graph_wider(void *things, size_t room, size_t size, int *rc)
{
  void *more = realloc(things, room * size);

  if (!more)
    *rc = -ENOMEM;
  return more ? more : things;
}

static void graph_make_room(struct edges *e)
{
  const size_t room = e->room ? e->room * 2 : 4096;

  if (room > UINT32_MAX / 2) {
    e->rc = -E2BIG;
    return;
  }
  e->from = graph_wider(e->from, room, sizeof(*e->from), &e->rc);
  e->to = graph_wider(e->to, room, sizeof(*e->to), &e->rc);
  e->cause = graph_wider(e->cause, room, sizeof(*e->cause), &e->rc);
  e->kind = graph_wider(e->kind, room, sizeof(*e->kind), &e->rc);
  if (e->rc == 0)
    e->room = room;
}

static void graph_add(struct builder *b, uint32_t from, uint32_t to,
                      enum edge kind, uint32_t cause)
{
  struct edges *e = &b->e;

  if (from == to)
    return;
  if (e->n == e->room)
    graph_make_room(e);
  if (e->rc)
    return;
  e->from[e->n] = from;
  e->to[e->n] = to;
  e->cause[e->n] = cause;
  e->kind[e->n] = (uint8_t)kind;
  e->n++;
}

/* ---- readers and followers ---- */

static uint32_t graph_followers(const struct builder *b, uint32_t version)
{
  return b->v->first[version + 1] - b->v->first[version];
}

static uint32_t graph_follower(const struct builder *b, uint32_t version,
                               uint32_t i)
{
  return b->v->successors[b->v->first[version] + i];
}

/* The helper node of the followers from i on; the next function: up to i. */
static uint32_t graph_from_on(const struct builder *b, uint32_t version,
                              uint32_t i)
{
  return b->chain[version] + 2 * i;
}

static uint32_t graph_up_to(const struct builder *b, uint32_t version,
                            uint32_t i)
{
  return b->chain[version] + 2 * i + 1;
}

static void graph_add_chains(struct builder *b, uint32_t version)
{
  const uint32_t n = graph_followers(b, version);

  if (n < 2)
    return;
  b->chain[version] = b->g->n;
  b->g->n += 2 * n;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t trx = graph_follower(b, version, i);

    graph_add(b, graph_from_on(b, version, i), trx, EDGE_VIA, HISTORY_NONE);
    graph_add(b, graph_up_to(b, version, i), trx, EDGE_VIA, HISTORY_NONE);
    if (i + 1 < n)
      graph_add(b, graph_from_on(b, version, i),
                graph_from_on(b, version, i + 1), EDGE_VIA, HISTORY_NONE);
    if (i > 0)
      graph_add(b, graph_up_to(b, version, i), graph_up_to(b, version, i - 1),
                EDGE_VIA, HISTORY_NONE);
  }
}

/* Among the followers; their number: not there. */
static uint32_t graph_place_of(const struct builder *b, uint32_t version,
                               uint32_t trx)
{
  uint32_t low = 0, high = graph_followers(b, version);

  while (low < high) {
    const uint32_t mid = low + (high - low) / 2;

    if (graph_follower(b, version, mid) < trx)
      low = mid + 1;
    else
      high = mid;
  }
  if (low < graph_followers(b, version) &&
      graph_follower(b, version, low) == trx)
    return low;
  return graph_followers(b, version);
}

static void graph_add_read(struct builder *b, uint32_t read)
{
  const uint32_t version = b->v->seen[read], trx = b->h->ops[read].trx;
  const uint32_t n = graph_followers(b, version);
  uint32_t own;

  if (version < b->h->n_ops)
    graph_add(b, b->h->ops[version].trx, trx, EDGE_WR, read);
  if (n == 1)
    graph_add(b, trx, graph_follower(b, version, 0), EDGE_RW, read);
  if (n < 2)
    return;
  own = graph_place_of(b, version, trx);
  if (own == n) {
    graph_add(b, trx, graph_from_on(b, version, 0), EDGE_RW, read);
    return;
  }
  if (own + 1 < n)
    graph_add(b, trx, graph_from_on(b, version, own + 1), EDGE_RW, read);
  if (own > 0)
    graph_add(b, trx, graph_up_to(b, version, own - 1), EDGE_RW, read);
}

static void graph_add_writes(struct builder *b, uint32_t version)
{
  const struct history_op *op = &b->h->ops[version];

  for (uint32_t i = 0; i < graph_followers(b, version); i++) {
    const uint32_t trx = graph_follower(b, version, i);

    if (trx != op->trx)
      graph_add(b, op->trx, trx, EDGE_WW, history_write_of(b->h, trx, op->key));
  }
}

static int graph_sort_edges(struct graph *g, const struct edges *e)
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

static void graph_add_all(struct builder *b)
{
  for (uint32_t v = 0; v < b->v->n && b->e.rc == 0; v++) {
    graph_add_chains(b, v);
    if (v < b->h->n_ops)
      graph_add_writes(b, v);
  }
  for (uint32_t i = 0; i < b->h->n_ops && b->e.rc == 0; i++) {
    if (b->v->seen[i] != HISTORY_NONE)
      graph_add_read(b, i);
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
    graph_add_all(&b);
    rc = b.e.rc ? b.e.rc : graph_sort_edges(g, &b.e);
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
