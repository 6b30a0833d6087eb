/*
 * acks.c - sorted numbers instead of a hash table: they are read in long
 * ascending stretches, and ten million need 240 MB.
 */
#include "verify/acks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the numbers of the log");
}

static void note_time(struct ack_sums *s, const struct ack_record *r)
{
  if (s->first_ns == 0 || r->intent_ns < s->first_ns)
    s->first_ns = r->intent_ns;
  if (r->done_ns > s->last_ns)
    s->last_ns = r->done_ns;
}

/* Adds a record that names a number. */
static void add(struct ack_set *s, struct ack_sums *sums,
                const struct ack_record *r)
{
  struct ack_entry *e = &s->of[s->n];

  *e = (struct ack_entry){ .id = r->id };
  switch (atomic_load_explicit(&r->state, memory_order_relaxed)) {
  case ACK_ACKED:
    e->acked = 1;
    e->newest_ns = r->done_ns;
    sums->acked++;
    break;
  case ACK_ABORTED:
    e->aborted = true;
    sums->aborted++;
    break;
  case ACK_LOST:
    return;
  default:
    e->unknown = true;
    sums->unknown++;
    break;
  }
  s->n++;
}

int ack_set_load(struct ack_set *s, struct ack_reader *r, struct ack_sums *ret,
                 struct err *err)
{
  struct ack_sums sums = { 0 };
  int n;

  while ((n = ack_reader_next(r, err)) > 0) {
    if (s->n + (size_t)n > s->room) {
      const size_t room = s->room + s->room / 4 + ACK_RECORDS;
      struct ack_entry *more = reallocarray(s->of, room, sizeof(*more));

      if (!more)
        return no_memory(err);
      s->of = more;
      s->room = room;
    }
    for (int i = 0; i < n; i++) {
      note_time(&sums, &r->records[i]);
      add(s, &sums, &r->records[i]);
    }
  }
  *ret = sums;
  return n;
}

static int by_id(const void *a, const void *b)
{
  const struct ack_entry *x = a, *y = b;

  return x->id < y->id ? -1 : x->id > y->id;
}

static uint8_t sum(uint8_t a, uint8_t b)
{
  return a + b > UINT8_MAX ? UINT8_MAX : (uint8_t)(a + b);
}

/* Several attempts with the same number become one entry. */
static void merge(struct ack_set *s)
{
  size_t kept = 0;

  for (size_t i = 0; i < s->n; i++) {
    struct ack_entry *last = kept > 0 ? &s->of[kept - 1] : NULL;

    if (!last || last->id != s->of[i].id) {
      s->of[kept++] = s->of[i];
      continue;
    }
    last->acked = sum(last->acked, s->of[i].acked);
    if (s->of[i].newest_ns > last->newest_ns)
      last->newest_ns = s->of[i].newest_ns;
    last->unknown |= s->of[i].unknown;
    last->aborted |= s->of[i].aborted;
  }
  s->n = kept;
}

void ack_set_sort(struct ack_set *s)
{
  if (s->n > 0)
    qsort(s->of, s->n, sizeof(*s->of), by_id);
  merge(s);
}

void ack_set_done(struct ack_set *s)
{
  free(s->of);
  s->of = NULL;
}

struct ack_entry *ack_set_find(struct ack_set *s, uint64_t id)
{
  const struct ack_entry key = { .id = id };
  struct ack_entry *e;

  if (s->hint < s->n && s->of[s->hint].id == id)
    return &s->of[s->hint++];
  if (s->n == 0)
    return NULL;
  e = bsearch(&key, s->of, s->n, sizeof(*s->of), by_id);
  if (e)
    s->hint = (size_t)(e - s->of) + 1;
  return e;
}

void ack_set_found(struct ack_set *s, uint64_t id)
{
  struct ack_entry *e = ack_set_find(s, id);

  s->rows++;
  if (e) {
    e->found = sum(e->found, 1);
    return;
  }
  if (s->unexpected < ACKS_EXAMPLES)
    s->unexpected_ids[s->unexpected] = id;
  s->unexpected++;
}
