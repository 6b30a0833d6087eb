/*
 * tell.c - see tell.h.
 */
#include "history/tell.h"

#include <string.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/strbuf.h"

enum {
  OPS_TOLD = 12,  /* of a transaction */
  LIST_TOLD = 60, /* bytes of a list */
};

struct teller {
  struct strbuf *to;
  const struct history *h;
};

static void tell_value(const struct teller *t, const struct history_op *op)
{
  const char *text = t->h->text + op->at;
  uint32_t from = 0;

  if (op->bytes == 0) {
    strbuf_adds(t->to,
                t->h->kind == HISTORY_LISTS ? "an empty list" : "nothing");
    return;
  }
  if (op->bytes > LIST_TOLD) {
    from = op->bytes - LIST_TOLD;
    while (from < op->bytes && text[from - 1] != ',')
      from++;
    strbuf_adds(t->to, "...,");
  }
  strbuf_add(t->to, text + from, op->bytes - from);
}

static void tell_op(const struct teller *t, uint32_t i)
{
  const struct history_op *op = &t->h->ops[i];
  const long long key = (long long)t->h->keys[op->key];

  if (op->is_write) {
    strbuf_addf(t->to,
                t->h->kind == HISTORY_LISTS ? "append %lld to key %lld"
                                            : "write %lld to key %lld",
                (long long)op->value, key);
  } else if (!op->is_known) {
    strbuf_addf(t->to, "read key %lld: no answer", key);
  } else {
    strbuf_addf(t->to, "read key %lld: ", key);
    tell_value(t, op);
  }
}

/* The operations around one of them, if there are too many. */
static void tell_ops(const struct teller *t, uint32_t trx, uint32_t cause)
{
  uint32_t first = t->h->trxs[trx].first, end = history_end(t->h, trx);
  const bool is_cut = end - first > OPS_TOLD;

  if (is_cut) {
    if (cause != HISTORY_NONE && cause > first + OPS_TOLD / 2)
      first = cause - OPS_TOLD / 2;
    end = end - first > OPS_TOLD ? first + OPS_TOLD : end;
  }
  for (uint32_t i = first; i < end; i++) {
    strbuf_adds(t->to, "      ");
    tell_op(t, i);
    strbuf_adds(t->to, "\n");
  }
  if (is_cut)
    strbuf_addf(t->to, "      (%u of %u operations)\n", end - first,
                history_end(t->h, trx) - t->h->trxs[trx].first);
}

static void tell_trx(const struct teller *t, unsigned n, uint32_t trx,
                     uint32_t cause)
{
  static const char *const outcomes[] = { "committed", "failed",
                                          "unknown outcome" };
  const struct history_trx *it = &t->h->trxs[trx];

  strbuf_addf(t->to, "  T%u: line %u, process %u, %.6f s to ", n, it->line,
              it->process, (double)it->invoked_ns / (double)NS_PER_S);
  if (it->completed_ns == UINT64_MAX)
    strbuf_adds(t->to, "an unknown end");
  else
    strbuf_addf(t->to, "%.6f s", (double)it->completed_ns / (double)NS_PER_S);
  strbuf_addf(t->to, ", %s\n", outcomes[it->outcome]);
  tell_ops(t, trx, cause);
}

/* ---- direct ones ---- */

static void tell_direct(const struct teller *t, const struct finding *f)
{
  const uint32_t first = t->h->ops[f->op[0]].trx;
  uint32_t second = HISTORY_NONE;

  if (f->op[1] != HISTORY_NONE)
    second = t->h->ops[f->op[1]].trx;
  tell_trx(t, 1, first, f->op[0]);
  if (second != HISTORY_NONE && second != first)
    tell_trx(t, 2, second, f->op[1]);
  strbuf_adds(t->to, "  T1: ");
  tell_op(t, f->op[0]);
  if (f->op[1] != HISTORY_NONE) {
    strbuf_addf(t->to, second == first ? "; before: " : "; T2: ");
    tell_op(t, f->op[1]);
  }
  strbuf_adds(t->to, "\n");
}

/* ---- cycles ---- */

/* The operation with which a transaction writes a key. */
static uint32_t write_of(const struct history *h, uint32_t trx, uint32_t key)
{
  uint32_t i = h->trxs[trx].first;

  while (i < history_end(h, trx) &&
         !(h->ops[i].is_write && h->ops[i].key == key))
    i++;
  return i;
}

static void tell_write(const struct teller *t, unsigned n, uint32_t trx,
                       uint32_t key)
{
  const uint32_t i = write_of(t->h, trx, key);

  strbuf_addf(t->to, "T%u: ", n);
  if (i < history_end(t->h, trx))
    tell_op(t, i);
}

static void tell_step(const struct teller *t, const struct finding *f,
                      uint32_t i)
{
  static const char *const words[] = {
    [EDGE_WW] = "ww", [EDGE_WR] = "wr", [EDGE_RW] = "rw"
  };
  const struct cycle_step *s = &f->steps[i];
  const uint32_t next = (i + 1) % f->n_steps, to = f->steps[next].trx;
  const uint32_t key = t->h->ops[s->cause].key;

  strbuf_addf(t->to, "  T%u -> T%u (%s): ", i + 1, next + 1, words[s->edge]);
  switch (s->edge) {
  case EDGE_WW:
    tell_write(t, i + 1, s->trx, key);
    strbuf_adds(t->to, ", then ");
    tell_write(t, next + 1, to, key);
    break;
  case EDGE_WR:
    tell_write(t, i + 1, s->trx, key);
    strbuf_addf(t->to, ", which T%u has seen: ", next + 1);
    tell_op(t, s->cause);
    break;
  default:
    strbuf_addf(t->to, "T%u: ", i + 1);
    tell_op(t, s->cause);
    strbuf_adds(t->to, ", before ");
    tell_write(t, next + 1, to, key);
    break;
  }
  strbuf_adds(t->to, "\n");
}

static void tell_cycle(const struct teller *t, const struct finding *f)
{
  strbuf_addf(t->to, "  %s cycle of %u transactions:\n",
              f->is_shortest ? "The shortest" : "A", f->n_steps);
  for (uint32_t i = 0; i < f->n_steps; i++)
    tell_trx(t, i + 1, f->steps[i].trx, f->steps[i].cause);
  for (uint32_t i = 0; i < f->n_steps; i++)
    tell_step(t, f, i);
}

/* ---- the report ---- */

static void tell_facts(const struct teller *t, const struct judgement *j)
{
  const struct history *h = t->h;

  strbuf_addf(t->to,
              "History of %s: %u transactions: %u committed, %u failed, %u "
              "with unknown outcome",
              h->kind == HISTORY_LISTS ? "lists" : "registers", h->n_trxs,
              j->ok, j->failed, j->unknown);
  if (j->unknown > 0)
    strbuf_addf(t->to, " (%u of these were seen)", j->proved);
  strbuf_addf(t->to, "\n%u keys, %u reads, %u writes", h->n_keys, j->reads,
              j->writes);
  if (j->unseen > 0)
    strbuf_addf(t->to, "; no read has seen %u of them", j->unseen);
  if (j->unplaced > 0)
    strbuf_addf(t->to, "; it is not known what %u of them have overwritten",
                j->unplaced);
  strbuf_adds(t->to, "\n");
  if (j->groups > 0)
    strbuf_addf(t->to,
                "%u transactions depend on each other in circles, in %u "
                "group%s\n",
                j->grouped, j->groups, fmt_plural(j->groups));
}

static void tell_verdict(const struct teller *t, const struct judgement *j,
                         enum level level)
{
  const char *comma = ": ";

  switch (judgement_verdict(j, t->h, level)) {
  case HISTORY_FITS:
    strbuf_addf(t->to, "\nVerdict: nothing contradicts %s\n",
                level_name(level));
    return;
  case HISTORY_UNCLEAR:
    strbuf_addf(t->to, "\nVerdict: cannot tell: %s\n",
                t->h->is_complete ? "no committed transaction has read anything"
                                  : "the history is cut off");
    return;
  case HISTORY_BROKEN:
    break;
  }
  strbuf_addf(t->to, "\nVerdict: not %s", level_name(level));
  for (unsigned a = 0; a < ANOMALIES; a++) {
    if (!judgement_breaks(j, t->h, level, (enum anomaly)a))
      continue;
    strbuf_addf(t->to, "%s%s", comma, anomaly_name((enum anomaly)a));
    comma = ", ";
  }
  strbuf_adds(t->to, "\n");
}

void history_tell(struct strbuf *to, const struct history *h,
                  const struct judgement *j, enum level level)
{
  const struct teller t = { to, h };

  tell_facts(&t, j);
  for (unsigned a = 0; a < ANOMALIES; a++) {
    const struct finding *f = &j->findings[a];

    if (f->n == 0)
      continue;
    strbuf_addf(to, "\n%s: %s", anomaly_name((enum anomaly)a),
                anomaly_meaning((enum anomaly)a));
    if (a <= ANOMALY_DIRECT)
      strbuf_addf(to, " (%llu time%s)", (unsigned long long)f->n,
                  fmt_plural(f->n));
    if (!level_excludes(level, (enum anomaly)a))
      strbuf_addf(to, ". %s allows that", level_name(level));
    strbuf_adds(to, "\n");
    if (f->steps)
      tell_cycle(&t, f);
    else
      tell_direct(&t, f);
  }
  tell_verdict(&t, j, level);
}
