#include "verify/history/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum {
  FIRST_SLOTS = 64
};

static void lookup_done(struct lookup *l)
{
  free(l->slots);
  *l = (struct lookup){ 0 };
}

static uint64_t lookup_mix(uint64_t a, uint64_t b)
{
  uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) + b;

  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  x = (x ^ x >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  return x ^ x >> 32;
}

/* UINT32_MAX: not found. */
static uint32_t lookup_find(const struct lookup *l, uint64_t hash,
                            lookup_same *same, const void *ctx)
{
  if (!l->slots)
    return UINT32_MAX;
  for (size_t i = hash & l->mask; l->slots[i]; i = (i + 1) & l->mask) {
    if (same(ctx, l->slots[i] - 1))
      return l->slots[i] - 1;
  }
  return UINT32_MAX;
}

static void lookup_place(struct lookup *l, uint32_t index, uint64_t hash)
{
  size_t i = hash & l->mask;

  while (l->slots[i])
    i = (i + 1) & l->mask;
  l->slots[i] = index + 1;
}

/* -ENOMEM. */
static int lookup_add(struct lookup *l, uint32_t index, lookup_hash *hash,
                      const void *ctx)
{
  if (!l->slots || l->n * 2 > l->mask) {
    const size_t room = l->slots ? (l->mask + 1) * 2 : FIRST_SLOTS;
    struct lookup more = { calloc(room, sizeof(*more.slots)), room - 1, l->n };

    if (!more.slots)
      return -ENOMEM;
    for (size_t i = 0; l->slots && i <= l->mask; i++) {
      if (l->slots[i])
        lookup_place(&more, l->slots[i] - 1, hash(ctx, l->slots[i] - 1));
    }
    free(l->slots);
    *l = more;
  }
  lookup_place(l, index, hash(ctx, index));
  l->n++;
  return 0;
}

/* ---- the parser ---- */

enum {
  FIRST_ROOM = 1024
};

struct reader {
  struct history *h;
  const char *path;
  const char *at, *end;
  uint32_t line;
  size_t room_trxs, room_ops, room_keys;
  uint32_t *last; /* owned; per key: the last operation */
  struct err *err;
};

static int history_bad(struct reader *r, const char *what)
{
  return err_set(r->err, -EINVAL, "'%.400s' line %u: %s", r->path, r->line,
                 what);
}

static int history_no_memory(struct reader *r)
{
  return err_set(r->err, -ENOMEM, "not enough memory for '%.400s'", r->path);
}

/* Room for one more of `n` things: their new address, or NULL. */
static void *history_grown(struct reader *r, void *things, size_t *room,
                           size_t n, size_t size)
{
  const size_t more = *room ? *room * 2 : FIRST_ROOM;
  void *to;

  if (n < *room)
    return things;
  if (n >= HISTORY_NONE / 2) {
    (void)history_bad(r, "there are too many operations");
    return NULL;
  }
  to = realloc(things, more * size);
  if (!to)
    (void)history_no_memory(r);
  else
    *room = more;
  return to;
}

/* ---- words ---- */

static bool history_take(struct reader *r, const char *word)
{
  const size_t len = strlen(word);

  if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
    return false;
  r->at += len;
  return true;
}

static int history_number(struct reader *r, int64_t *ret)
{
  const char *from = r->at;
  int64_t n = 0;

  for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
    const int digit = *r->at - '0';

    if (n > (INT64_MAX - digit) / 10)
      return history_bad(r, "a number is larger than 2^63 - 1");
    n = n * 10 + digit;
  }
  if (r->at == from)
    return history_bad(r, "a number is missing");
  if (*from == '0' && r->at > from + 1)
    return history_bad(r, "a number begins with 0");
  *ret = n;
  return 0;
}

struct wanted {
  const struct history *h;
  uint32_t key;
  int64_t value;
};

static bool history_same_key(const void *ctx, uint32_t index)
{
  const struct wanted *w = ctx;

  return w->h->keys[index] == w->value;
}

static uint64_t history_key_hash(const void *ctx, uint32_t index)
{
  const struct wanted *w = ctx;

  return lookup_mix((uint64_t)w->h->keys[index], 0);
}

static int history_find_key(struct reader *r, int64_t name, uint32_t *ret)
{
  struct history *h = r->h;
  const struct wanted w = { h, 0, name };
  size_t room = r->room_keys;
  int64_t *names;
  uint32_t *last;

  *ret = lookup_find(&h->by_name, lookup_mix((uint64_t)name, 0),
                     history_same_key, &w);
  if (*ret != HISTORY_NONE)
    return 0;
  names = history_grown(r, h->keys, &room, h->n_keys, sizeof(*names));
  if (!names)
    return -ENOMEM;
  h->keys = names;
  last = history_grown(r, r->last, &r->room_keys, h->n_keys, sizeof(*last));
  if (!last)
    return -ENOMEM;
  r->last = last;
  h->keys[h->n_keys] = name;
  if (lookup_add(&h->by_name, h->n_keys, history_key_hash, &w) != 0)
    return history_no_memory(r);
  r->last[h->n_keys] = HISTORY_NONE;
  *ret = h->n_keys++;
  return 0;
}

static bool history_same_write(const void *ctx, uint32_t index)
{
  const struct wanted *w = ctx;
  const struct history_op *op = &w->h->ops[index];

  return op->key == w->key && op->value == w->value;
}

static uint64_t history_write_hash(const void *ctx, uint32_t index)
{
  const struct wanted *w = ctx;
  const struct history_op *op = &w->h->ops[index];

  return lookup_mix((uint64_t)op->value, op->key);
}

uint32_t history_writer(const struct history *h, uint32_t key, int64_t value)
{
  const struct wanted w = { h, key, value };

  return lookup_find(&h->writes, lookup_mix((uint64_t)value, key),
                     history_same_write, &w);
}

uint32_t history_write_of(const struct history *h, uint32_t trx, uint32_t key)
{
  for (uint32_t i = h->trxs[trx].first; i < history_end(h, trx); i++) {
    if (h->ops[i].is_write && h->ops[i].key == key)
      return i;
  }
  return HISTORY_NONE;
}

static int history_add_write(struct reader *r, uint32_t index)
{
  struct history *h = r->h;
  const struct wanted w = { h, 0, 0 };
  const struct history_op *op = &h->ops[index];
  const uint32_t other = history_writer(h, op->key, op->value);

  if (other != HISTORY_NONE)
    return err_set(r->err, -EINVAL,
                   "'%.400s' line %u: the value %lld of key %lld is written "
                   "by line %u, too; without unique values nothing can be "
                   "told",
                   r->path, r->line, (long long)op->value,
                   (long long)h->keys[op->key],
                   h->trxs[h->ops[other].trx].line);
  return lookup_add(&h->writes, index, history_write_hash, &w)
           ? history_no_memory(r)
           : 0;
}

/* ---- operations ---- */

static int history_read_value(struct reader *r, struct history_op *op)
{
  const char *from = r->at;
  int rc;

  op->is_known = true;
  op->at = (uint64_t)(from - r->h->text);
  if (r->at == r->end || *r->at == ' ')
    return 0;
  do {
    rc = history_number(r, &op->value);
  } while (rc == 0 && r->h->kind == HISTORY_LISTS && history_take(r, ","));
  if (rc)
    return rc;
  if (r->at - from > INT32_MAX)
    return history_bad(r, "a list is too long");
  op->bytes = (uint32_t)(r->at - from);
  return 0;
}

static int history_read_op(struct reader *r)
{
  struct history *h = r->h;
  struct history_op op = { .trx = h->n_trxs, .is_final = true };
  struct history_op *ops;
  int64_t name;
  int rc;

  op.is_write = history_take(r, h->kind == HISTORY_LISTS ? "a:" : "w:");
  if (!op.is_write && !history_take(r, "r:"))
    return history_bad(r, h->kind == HISTORY_LISTS
                            ? "an operation is neither r: nor a:"
                            : "an operation is neither r: nor w:");
  rc = history_number(r, &name);
  rc = rc ? rc : history_find_key(r, name, &op.key);
  if (rc)
    return rc;
  if (history_take(r, "=")) {
    op.is_known = true;
    rc = op.is_write ? history_number(r, &op.value)
                     : history_read_value(r, &op);
  } else if (op.is_write) {
    rc = history_bad(r, "a write has no value");
  }
  if (rc)
    return rc;
  op.before = r->last[op.key];
  if (op.before != HISTORY_NONE && op.before < h->trxs[h->n_trxs].first)
    op.before = HISTORY_NONE;
  ops = history_grown(r, h->ops, &r->room_ops, h->n_ops, sizeof(*ops));
  if (!ops)
    return -ENOMEM;
  h->ops = ops;
  h->ops[h->n_ops] = op;
  r->last[op.key] = h->n_ops;
  rc = op.is_write ? history_add_write(r, h->n_ops) : 0;
  h->n_ops += rc == 0;
  return rc;
}

/* Writes are final if none of the same key follows. */
static void history_mark_final(struct history *h, uint32_t from)
{
  for (uint32_t i = h->n_ops; i-- > from;) {
    const struct history_op *op = &h->ops[i];

    if (op->before == HISTORY_NONE)
      continue;
    if (op->is_write || !op->is_final)
      h->ops[op->before].is_final = false;
  }
}

/* ---- lines ---- */

static int outcome(struct reader *r, enum history_outcome *ret)
{
  static const char *const words[] = { "ok", "fail", "unknown" };

  for (unsigned i = 0; i < 3; i++) {
    const char *from = r->at;

    if (history_take(r, words[i]) && (r->at == r->end || *r->at == ' ')) {
      *ret = (enum history_outcome)i;
      return 0;
    }
    r->at = from;
  }
  return history_bad(r, "the outcome is not one of ok, fail, unknown");
}

static int history_blank(struct reader *r)
{
  return history_take(r, " ") ? 0 : history_bad(r, "a blank is missing");
}

static int history_times(struct reader *r, struct history_trx *t)
{
  int64_t process, invoked, completed;
  int rc = history_number(r, &process);

  if (rc == 0 && process >= HISTORY_NONE)
    rc = history_bad(r, "the number of the process is too large");
  rc = rc ? rc : history_blank(r);
  rc = rc ? rc : history_number(r, &invoked);
  rc = rc ? rc : history_blank(r);
  if (rc)
    return rc;
  t->process = (uint32_t)process;
  t->invoked_ns = (uint64_t)invoked;
  t->completed_ns = UINT64_MAX;
  if (!history_take(r, "-")) {
    rc = history_number(r, &completed);
    if (rc)
      return rc;
    if (completed < invoked)
      return history_bad(r,
                         "a transaction has completed before it was invoked");
    t->completed_ns = (uint64_t)completed;
  }
  rc = history_blank(r);
  return rc ? rc : outcome(r, &t->outcome);
}

static int history_read_trx(struct reader *r)
{
  struct history *h = r->h;
  struct history_trx t = { .line = r->line, .first = h->n_ops };
  struct history_trx *trxs;
  int rc = history_times(r, &t);

  if (rc == 0 && t.outcome == HISTORY_OK && t.completed_ns == UINT64_MAX)
    rc = history_bad(r, "a transaction is ok, but its end is not known");
  if (rc)
    return rc;
  /* One more, for the end of the last. */
  trxs = history_grown(r, h->trxs, &r->room_trxs, (size_t)h->n_trxs + 1,
                       sizeof(*trxs));
  if (!trxs)
    return -ENOMEM;
  h->trxs = trxs;
  h->trxs[h->n_trxs] = t;
  while (r->at < r->end) {
    rc = history_blank(r);
    rc = rc ? rc : history_read_op(r);
    if (rc)
      return rc;
  }
  history_mark_final(h, t.first);
  h->n_trxs++;
  return 0;
}

static int history_read_end(struct reader *r)
{
  int64_t n;
  const int rc = history_number(r, &n);

  if (rc)
    return rc;
  if (r->at != r->end)
    return history_bad(r, "something is left over");
  if (n != r->h->n_trxs)
    return err_set(r->err, -EINVAL,
                   "'%.400s' line %u: the end says that there are %lld "
                   "transactions, but there are %u",
                   r->path, r->line, (long long)n, r->h->n_trxs);
  r->h->is_complete = true;
  return 0;
}

static int history_read_line(struct reader *r)
{
  if (r->h->is_complete)
    return history_bad(r, "something follows the end");
  if (r->at < r->end && *r->at == '#')
    return 0;
  return history_take(r, "end ") ? history_read_end(r) : history_read_trx(r);
}

static int history_read_magic(struct reader *r)
{
  if (!history_take(r, HISTORY_MAGIC))
    return err_set(r->err, -EINVAL, "'%.400s' is not a history of bench",
                   r->path);
  if (history_take(r, "lists") && r->at == r->end) {
    r->h->kind = HISTORY_LISTS;
    return 0;
  }
  if (history_take(r, "registers") && r->at == r->end) {
    r->h->kind = HISTORY_REGISTERS;
    return 0;
  }
  return history_bad(r,
                     "the kind of the history is neither lists nor registers");
}

/* A line without an end was being written when the program died. */
static int history_read_lines(struct reader *r)
{
  const char *from = r->h->text, *const end = from + r->h->len, *nl;
  int rc = 0;

  for (; rc == 0 && (nl = memchr(from, '\n', (size_t)(end - from)));
       from = nl + 1) {
    r->line++;
    r->at = from;
    r->end = nl;
    rc = r->line == 1 ? history_read_magic(r) : history_read_line(r);
  }
  if (rc == 0 && r->line == 0)
    return err_set(r->err, -EINVAL, "'%.400s' is not a history of bench",
                   r->path);
  if (rc == 0 && from < end && r->h->is_complete)
    return history_bad(r, "something follows the end");
  return rc;
}

/* ---- processes ---- */

static int history_by_process(const void *a, const void *b)
{
  const struct history_trx *x = a, *y = b;

  if (x->process != y->process)
    return x->process < y->process ? -1 : 1;
  return (x->invoked_ns > y->invoked_ns) - (x->invoked_ns < y->invoked_ns);
}

/* A process executes one transaction at a time. Overlaps: the file has
 * several histories, whose keys are unrelated. */
static int history_check_processes(struct reader *r)
{
  const struct history *h = r->h;
  const size_t size = sizeof(*h->trxs);
  struct history_trx *t = malloc(((size_t)h->n_trxs + 1) * size);
  int rc = 0;

  if (!t)
    return history_no_memory(r);
  memcpy(t, h->trxs, h->n_trxs * size);
  qsort(t, h->n_trxs, size, history_by_process);
  for (uint32_t i = 1; i < h->n_trxs && rc == 0; i++) {
    if (t[i].process == t[i - 1].process &&
        t[i - 1].completed_ns != UINT64_MAX &&
        t[i].invoked_ns < t[i - 1].completed_ns)
      rc = err_set(r->err, -EINVAL,
                   "'%.400s' lines %u and %u: transactions of process %u "
                   "overlap, so this is not the history of one run; verify "
                   "each history alone",
                   r->path, t[i - 1].line, t[i].line, t[i].process);
  }
  free(t);
  return rc;
}

int history_parse(struct history *ret, char *text, size_t len, const char *path,
                  struct err *err)
{
  struct reader r = { .h = ret, .path = path, .err = err };
  int rc;

  *ret = (struct history){ .text = text, .len = len };
  ret->trxs = history_grown(&r, NULL, &r.room_trxs, 0, sizeof(*ret->trxs));
  rc = ret->trxs ? history_read_lines(&r) : -ENOMEM;
  rc = rc ? rc : history_check_processes(&r);
  free(r.last);
  if (rc) {
    history_done(ret);
    return rc;
  }
  ret->trxs[ret->n_trxs] = (struct history_trx){ .first = ret->n_ops };
  return 0;
}

void history_done(struct history *h)
{
  free(h->text);
  free(h->trxs);
  free(h->ops);
  free(h->keys);
  lookup_done(&h->by_name);
  lookup_done(&h->writes);
  *h = (struct history){ 0 };
}

/* ---- the file ---- */

static int history_read_text(FILE *f, const char *path, char **ret,
                             size_t *ret_len, struct err *err)
{
  size_t room = 1 << 16, len = 0, n;
  char *text = malloc(room), *more;

  while (text && (n = fread(text + len, 1, room - len, f)) > 0) {
    len += n;
    if (len < room)
      continue;
    more = realloc(text, room *= 2);
    if (!more)
      free(text);
    text = more;
  }
  if (!text)
    return err_set(err, -ENOMEM, "not enough memory for '%.400s'", path);
  if (ferror(f)) {
    const int rc = err_sys(err, "cannot read '%.400s'", path);

    free(text);
    return rc;
  }
  *ret = text;
  *ret_len = len;
  return 0;
}

int history_read(struct history *ret, const char *path, struct err *err)
{
  FILE *f = fopen(path, "re");
  char *text = NULL;
  size_t len = 0;
  int rc;

  if (!f)
    return err_sys(err, "cannot open '%.400s'", path);
  rc = history_read_text(f, path, &text, &len, err);
  (void)fclose(f);
  return rc ? rc : history_parse(ret, text, len, path, err);
}
