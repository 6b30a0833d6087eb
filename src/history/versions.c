/*
 * versions.c - see versions.h.
 */
#include "history/versions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct finder {
  struct versions *v;
  const struct history *h;
  struct finding *findings;
  uint32_t *longest; /* owned; lists, per key: the read */
  uint32_t *next;    /* owned; lists, per version: the element behind it */
  uint32_t *last;    /* owned; lists, per key: the last committed version */
  bool *is_placed;   /* owned; per operation: a list has its element */
  struct successor *pairs; /* owned; in the order of their transactions */
  size_t n_pairs;
};

static void found(struct finder *f, enum anomaly a, uint32_t op, uint32_t other)
{
  struct finding *it = &f->findings[a];

  if (it->n++ == 0) {
    it->op[0] = op;
    it->op[1] = other;
  }
}

static const struct history_trx *trx_of(const struct finder *f, uint32_t op)
{
  return &f->h->trxs[f->h->ops[op].trx];
}

/* A read whose transaction has committed for sure. */
static bool counts(const struct finder *f, uint32_t op)
{
  const struct history_op *o = &f->h->ops[op];

  return !o->is_write && o->is_known && trx_of(f, op)->outcome == HISTORY_OK;
}

static uint32_t initial(const struct finder *f, uint32_t key)
{
  return f->h->n_ops + key;
}

/* The write of a value that `reader` has read; HISTORY_NONE: there is none that
 * may have committed. */
static uint32_t source(struct finder *f, uint32_t reader, int64_t value)
{
  const uint32_t w = history_writer(f->h, f->h->ops[reader].key, value);

  if (w == HISTORY_NONE) {
    found(f, ANOMALY_GARBAGE, reader, HISTORY_NONE);
    return HISTORY_NONE;
  }
  if (trx_of(f, w)->outcome == HISTORY_FAIL) {
    found(f, ANOMALY_G1A, reader, w);
    return HISTORY_NONE;
  }
  f->v->committed[f->h->ops[w].trx] = true;
  return w;
}

/* ---- lists ---- */

/* The next element of a list; *at moves behind it. */
static int64_t element(const char **at, const char *end)
{
  int64_t n = 0;

  while (*at < end && **at != ',')
    n = n * 10 + (*(*at)++ - '0');
  *at += *at < end;
  return n;
}

static void find_longest(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    uint32_t *longest = &f->longest[h->ops[i].key];

    if (counts(f, i) &&
        (*longest == HISTORY_NONE || h->ops[i].bytes > h->ops[*longest].bytes))
      *longest = i;
  }
}

/* A transaction's appends to a key become visible together and in their order:
 * who sees the later append sees the earlier one, too. */
static void check_whole(struct finder *f, uint32_t reader, uint32_t write)
{
  const struct history_op *ops = f->h->ops;
  uint32_t before = ops[write].before;

  while (before != HISTORY_NONE && !ops[before].is_write)
    before = ops[before].before;
  if (before != HISTORY_NONE && !f->is_placed[before])
    found(f, ANOMALY_ORDER, reader, before);
}

/* Follow the elements of the longest read of a key. */
static void order_key(struct finder *f, uint32_t key)
{
  const struct history *h = f->h;
  const uint32_t reader = f->longest[key];
  uint32_t before = initial(f, key);

  f->last[key] = before;
  if (reader == HISTORY_NONE)
    return;
  for (const char *at = h->text + h->ops[reader].at,
                  *end = at + h->ops[reader].bytes;
       at < end;) {
    const uint32_t w = source(f, reader, element(&at, end));

    if (w == HISTORY_NONE)
      continue;
    if (f->is_placed[w]) {
      found(f, ANOMALY_DUPLICATE, reader, w);
      continue;
    }
    check_whole(f, reader, w);
    f->is_placed[w] = true;
    f->next[before] = w;
    f->last[key] = before = w;
  }
}

/* Is the list of a read the begin of the longest one? */
static bool is_compatible(const struct history *h, const struct history_op *op,
                          const struct history_op *longest)
{
  const char *text = h->text + op->at, *all = h->text + longest->at;

  return memcmp(text, all, op->bytes) == 0 &&
         (op->bytes == longest->bytes || op->bytes == 0 ||
          all[op->bytes] == ',');
}

/* Elements that only a contradicting list has. */
static void check_odd_list(struct finder *f, uint32_t reader)
{
  const struct history *h = f->h;
  const struct history_op *op = &h->ops[reader];

  for (const char *at = h->text + op->at, *end = at + op->bytes; at < end;) {
    const int64_t value = element(&at, end);
    const uint32_t w = history_writer(h, op->key, value);

    if (w == HISTORY_NONE || !f->is_placed[w])
      (void)source(f, reader, value); /* for what it finds */
  }
}

static void see_list(struct finder *f, uint32_t i)
{
  const struct history *h = f->h;
  const struct history_op *op = &h->ops[i];
  const uint32_t longest = f->longest[op->key];
  uint32_t w;

  if (!is_compatible(h, op, &h->ops[longest])) {
    found(f, ANOMALY_ORDER, i, longest);
    check_odd_list(f, i);
    return;
  }
  if (op->bytes == 0) {
    f->v->seen[i] = initial(f, op->key);
    return;
  }
  w = history_writer(h, op->key, op->value);
  if (w != HISTORY_NONE && f->is_placed[w])
    f->v->seen[i] = w;
}

static void order_lists(struct finder *f)
{
  const struct history *h = f->h;

  find_longest(f);
  for (uint32_t key = 0; key < h->n_keys; key++)
    order_key(f, key);
  for (uint32_t i = 0; i < h->n_ops; i++) {
    if (counts(f, i))
      see_list(f, i);
  }
}

static void add_pair(struct finder *f, uint32_t from, uint32_t trx)
{
  f->pairs[f->n_pairs++] = (struct successor){ from, trx };
}

/* A committed append that no read has seen comes after all that were seen. */
static void follow_lists(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    const struct history_op *op = &h->ops[i];

    if (!op->is_write || !f->v->committed[op->trx] || f->is_placed[i])
      continue;
    f->v->unseen++;
    add_pair(f, f->last[op->key], op->trx);
  }
  for (uint32_t v = 0; v < f->v->n; v++) {
    if (f->next[v] != HISTORY_NONE)
      add_pair(f, v, h->ops[f->next[v]].trx);
  }
}

/* ---- registers ---- */

static void see_registers(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    const struct history_op *op = &h->ops[i];

    if (!counts(f, i))
      continue;
    f->v->seen[i] = op->bytes == 0 ? initial(f, op->key)
                                   : source(f, i, op->value);
  }
}

/* The version of the key that the transaction of a write has read before it, if
 * this is its first write of the key. */
static bool has_read(const struct finder *f, uint32_t write, uint32_t *ret)
{
  const uint32_t before = f->h->ops[write].before;

  if (before == HISTORY_NONE || f->h->ops[before].is_write ||
      f->v->seen[before] == HISTORY_NONE)
    return false;
  *ret = f->v->seen[before];
  return true;
}

static bool is_first_write(const struct finder *f, uint32_t i)
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

static int follow_registers(struct finder *f)
{
  const struct history *h = f->h;
  uint32_t *writers = calloc((size_t)h->n_keys + 1, sizeof(*writers));
  uint32_t *blind = calloc((size_t)h->n_keys + 1, sizeof(*blind));

  for (uint32_t i = 0; writers && blind && i < h->n_ops; i++) {
    const struct history_op *op = &h->ops[i];
    uint32_t version;

    if (!is_first_write(f, i) || !f->v->committed[op->trx])
      continue;
    writers[op->key]++;
    if (!has_read(f, i, &version)) {
      version = initial(f, op->key);
      blind[op->key]++;
    }
    add_pair(f, version, op->trx);
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

/* The tail of a list is what the transaction has appended since `known`, the
 * operation before which all is known; before that, if it is a read, the list
 * is that of the read. */
static bool list_fits(const struct history *h, uint32_t reader)
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
    if (from == end || element(&at, end) != h->ops[b].value)
      return false;
    end = from > text ? from - 1 : from;
  }
  if (b == HISTORY_NONE || !h->ops[b].is_known)
    return true;
  return h->ops[b].bytes == (size_t)(end - text) &&
         memcmp(h->text + h->ops[b].at, text, h->ops[b].bytes) == 0;
}

static bool register_fits(const struct history *h, uint32_t reader)
{
  const struct history_op *op = &h->ops[reader], *b;

  if (op->before == HISTORY_NONE || !h->ops[op->before].is_known)
    return true;
  b = &h->ops[op->before];
  if (b->is_write)
    return op->bytes > 0 && op->value == b->value;
  return op->bytes == b->bytes && op->value == b->value;
}

/* Has the transaction read what it writes only later? */
static bool is_ahead(const struct finder *f, uint32_t reader)
{
  const uint32_t v = f->v->seen[reader];

  return v < f->h->n_ops && v > reader &&
         f->h->ops[v].trx == f->h->ops[reader].trx;
}

static void check_reads(struct finder *f)
{
  const struct history *h = f->h;

  for (uint32_t i = 0; i < h->n_ops; i++) {
    const uint32_t seen = f->v->seen[i];

    if (!counts(f, i))
      continue;
    if (is_ahead(f, i) ||
        !(h->kind == HISTORY_LISTS ? list_fits : register_fits)(h, i))
      found(f, ANOMALY_INTERNAL, i, h->ops[i].before);
    if (seen < h->n_ops && h->ops[seen].trx != h->ops[i].trx &&
        !h->ops[seen].is_final)
      found(f, ANOMALY_G1B, i, seen);
  }
}

/* ---- lost updates ---- */

static int find_lost(struct finder *f)
{
  const struct history *h = f->h;
  uint32_t *changed = malloc(((size_t)f->v->n + 1) * sizeof(*changed));

  if (!changed)
    return -ENOMEM;
  memset(changed, 0xFF, ((size_t)f->v->n + 1) * sizeof(*changed));
  for (uint32_t i = 0; i < h->n_ops; i++) {
    uint32_t version;

    if (!h->ops[i].is_write || trx_of(f, i)->outcome != HISTORY_OK ||
        !has_read(f, i, &version))
      continue;
    if (version < h->n_ops && h->ops[version].trx == h->ops[i].trx)
      continue; /* its own */
    if (changed[version] == HISTORY_NONE)
      changed[version] = i;
    else
      found(f, ANOMALY_LOST_UPDATE, changed[version], i);
  }
  free(changed);
  return 0;
}

/* ---- all of it ---- */

/* Sort the pairs by version; those of one stay in order. */
static int sort_pairs(struct finder *f)
{
  struct versions *v = f->v;
  uint32_t *to;

  v->first = calloc((size_t)v->n + 2, sizeof(*v->first));
  v->successors = malloc((f->n_pairs + 1) * sizeof(*v->successors));
  if (!v->first || !v->successors)
    return -ENOMEM;
  /* first[x + 1] is where the next one of x goes, and in the end that of x + 1
   * begins there. */
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

/* A transaction that appends twice to a key follows once. */
static void drop_repeated(struct versions *v)
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

static int find_all(struct finder *f)
{
  const struct history *h = f->h;
  int rc = 0;

  if (h->kind == HISTORY_LISTS) {
    order_lists(f);
    follow_lists(f);
  } else {
    see_registers(f);
    rc = follow_registers(f);
  }
  rc = rc ? rc : sort_pairs(f);
  if (rc)
    return rc;
  drop_repeated(f->v);
  check_reads(f);
  return find_lost(f);
}

static uint32_t *all_none(size_t n)
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
  v->seen = all_none(h->n_ops);
  f.longest = all_none(h->n_keys);
  f.last = all_none(h->n_keys);
  f.next = all_none(v->n);
  f.is_placed = calloc((size_t)h->n_ops + 1, sizeof(*f.is_placed));
  f.pairs = malloc(((size_t)h->n_ops + 1) * sizeof(*f.pairs));
  if (v->committed && v->seen && f.longest && f.last && f.next && f.is_placed &&
      f.pairs) {
    for (uint32_t i = 0; i < h->n_trxs; i++)
      v->committed[i] = h->trxs[i].outcome == HISTORY_OK;
    rc = find_all(&f);
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
