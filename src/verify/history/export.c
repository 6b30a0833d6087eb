#include "verify/history/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct moment {
  uint64_t at_ns;
  uint64_t invoked_ns;
  uint32_t trx;
  bool is_end;
};

struct form {
  const char *head, *tail;
  const char *between;
  const char *line;
  const char *types[4];
  const char *op;
  const char *write, *append, *read;
  const char *comma, *none;
  const char *end;
};

static const struct form forms[] = {
  [EXPORT_EDN] = {
    .head = "", .tail = "\n", .between = "\n",
    .line = "{:index %" PRIu64 ", :type %s, :process %" PRIu32
            ", :time %" PRIu64 ", :f :txn, :value [",
    .types = { ":invoke", ":ok", ":fail", ":info" },
    .op = "[%s %" PRId64 " ", .write = ":w", .append = ":append", .read = ":r",
    .comma = " ", .none = "nil", .end = "]}",
  },
  [EXPORT_JSON] = {
    .head = "[\n", .tail = "\n]\n", .between = ",\n",
    .line = "{\"index\": %" PRIu64 ", \"type\": %s, \"process\": %" PRIu32
            ", \"time\": %" PRIu64 ", \"f\": \"txn\", \"value\": [",
    .types = { "\"invoke\"", "\"ok\"", "\"fail\"", "\"info\"" },
    .op = "[%s, %" PRId64 ", ", .write = "\"w\"", .append = "\"append\"",
    .read = "\"r\"", .comma = ", ", .none = "null", .end = "]}",
  },
};

/* At one moment, the end of a transaction comes before the begin of the next
 * one of its process. */
static int export_by_time(const void *a, const void *b)
{
  const struct moment *x = a, *y = b;

  if (x->at_ns != y->at_ns)
    return x->at_ns < y->at_ns ? -1 : 1;
  if (x->invoked_ns != y->invoked_ns)
    return x->invoked_ns < y->invoked_ns ? -1 : 1;
  if (x->trx != y->trx)
    return x->trx < y->trx ? -1 : 1;
  return (int)x->is_end - (int)y->is_end;
}

static struct moment *export_moments_of(const struct history *h)
{
  struct moment *m = malloc(((size_t)h->n_trxs * 2 + 1) * sizeof(*m));

  for (uint32_t i = 0; m && i < h->n_trxs; i++) {
    const struct history_trx *t = &h->trxs[i];

    m[2 * (size_t)i] = (struct moment){ t->invoked_ns, t->invoked_ns, i,
                                        false };
    m[2 * (size_t)i + 1] = (struct moment){ t->completed_ns, t->invoked_ns, i,
                                            true };
  }
  if (m)
    qsort(m, (size_t)h->n_trxs * 2, sizeof(*m), export_by_time);
  return m;
}

/* With commas, as in the file; EDN reads commas as blanks. */
static void export_put_value(const struct history *h,
                             const struct history_op *op,
                             const struct form *form, FILE *to)
{
  const bool is_list = h->kind == HISTORY_LISTS;

  if (op->bytes == 0 && !is_list) {
    (void)fputs(form->none, to);
    return;
  }
  (void)fputs(is_list ? "[" : "", to);
  (void)fwrite(h->text + op->at, 1, op->bytes, to);
  (void)fputs(is_list ? "]" : "", to);
}

static void export_put_ops(const struct history *h, const struct moment *m,
                           const struct form *form, FILE *to)
{
  const bool answers = m->is_end && h->trxs[m->trx].outcome == HISTORY_OK;
  const char *write = h->kind == HISTORY_LISTS ? form->append : form->write;

  for (uint32_t i = h->trxs[m->trx].first; i < history_end(h, m->trx); i++) {
    const struct history_op *op = &h->ops[i];

    if (i > h->trxs[m->trx].first)
      (void)fputs(form->comma, to);
    (void)fprintf(to, form->op, op->is_write ? write : form->read,
                  h->keys[op->key]);
    if (op->is_write)
      (void)fprintf(to, "%" PRId64, op->value);
    else if (answers && op->is_known)
      export_put_value(h, op, form, to);
    else
      (void)fputs(form->none, to);
    (void)fputs("]", to);
  }
}

int history_export(const struct history *h, enum export_form which, FILE *to)
{
  const struct form *form = &forms[which];
  struct moment *moments = export_moments_of(h);
  uint64_t last_ns = 0;

  if (!moments)
    return -ENOMEM;
  (void)fputs(form->head, to);
  for (uint64_t i = 0; i < (uint64_t)h->n_trxs * 2; i++) {
    const struct moment *m = &moments[i];
    const struct history_trx *t = &h->trxs[m->trx];

    /* Unknown ends come last. */
    if (m->at_ns != UINT64_MAX)
      last_ns = m->at_ns;
    (void)fputs(i > 0 ? form->between : "", to);
    (void)fprintf(to, form->line, i,
                  form->types[m->is_end ? 1 + (unsigned)t->outcome : 0],
                  t->process, last_ns);
    export_put_ops(h, m, form, to);
    (void)fputs(form->end, to);
  }
  (void)fputs(form->tail, to);
  free(moments);
  errno = 0;
  return fflush(to) != 0 || ferror(to) ? (errno ? -errno : -EIO) : 0;
}
