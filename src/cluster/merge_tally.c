/*
 * merge_tally.c - packs and unpacks what tests count by themselves.
 */
#include "cluster/merge_tally.h"

#include <errno.h>

#include "cluster/pack.h"
#include "stats/tally.h"
#include "stats/value_hist.h"

enum {
  NAME_SIZE = 128 /* size of the longest name or unit, with its terminator */
};

static void pack_values(struct strbuf *b, const struct named_values *v)
{
  pack_text(b, v->name);
  pack_text(b, v->unit);
  pack_u64(b, v->values->n);
  pack_real(b, v->values->sum);
  pack_real(b, v->values->min);
  pack_real(b, v->values->max);
  pack_counts(b, v->values->count, VALUE_BUCKETS);
}

void merge_error_pack(struct strbuf *b, const struct error_count *e)
{
  pack_text(b, e->source);
  pack_text(b, e->code);
  pack_text(b, e->state);
  pack_u64(b, e->count);
  pack_text(b, e->text);
}

void merge_tally_pack(struct strbuf *b, const struct tally_report *r)
{
  pack_u64(b, r->n_counts);
  for (size_t i = 0; i < r->n_counts; i++) {
    pack_text(b, r->count[i].name);
    pack_real(b, r->count[i].sum);
  }
  pack_u64(b, r->n_values);
  for (size_t i = 0; i < r->n_values; i++)
    pack_values(b, &r->values[i]);
  pack_u64(b, r->n_errors);
  for (size_t i = 0; i < r->n_errors; i++)
    merge_error_pack(b, &r->error[i]);
}

void merge_error_unpack(struct unpack *u, struct error_count *ret)
{
  unpack_text(u, ret->source, sizeof(ret->source));
  unpack_text(u, ret->code, sizeof(ret->code));
  unpack_text(u, ret->state, sizeof(ret->state));
  ret->count = unpack_u64(u);
  unpack_text(u, ret->text, sizeof(ret->text));
}

static int add_values(struct tally *to, struct unpack *u)
{
  char name[NAME_SIZE], unit[NAME_SIZE];
  struct value_sum *values;
  double sum, min, max;
  uint64_t n;

  unpack_text(u, name, sizeof(name));
  unpack_text(u, unit, sizeof(unit));
  n = unpack_u64(u);
  sum = unpack_real(u);
  min = unpack_real(u);
  max = unpack_real(u);
  values = tally_values(to, name, unit);
  if (!values)
    return -ENOMEM;
  value_sum_join(values, n, sum, min, max);
  unpack_counts_add(u, values->count, VALUE_BUCKETS);
  return 0;
}

int merge_tally_add(struct tally *to, struct unpack *u)
{
  uint64_t n;
  int rc = 0;

  n = unpack_u64(u);
  for (uint64_t i = 0; i < n && !u->failed; i++) {
    char name[NAME_SIZE];

    unpack_text(u, name, sizeof(name));
    tally_count(to, name, unpack_real(u));
  }
  n = unpack_u64(u);
  for (uint64_t i = 0; i < n && !u->failed && rc == 0; i++)
    rc = add_values(to, u);
  n = unpack_u64(u);
  for (uint64_t i = 0; i < n && !u->failed && rc == 0; i++) {
    struct error_count e;

    merge_error_unpack(u, &e);
    if (!u->failed)
      tally_error(to, &e);
  }
  return rc;
}
