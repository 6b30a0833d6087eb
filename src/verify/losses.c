/*
 * losses.c - a second look at the log, client by client.
 */
#include "verify/losses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"

/* The part of a client's log since its last failure. */
struct part {
  size_t first, last; /* its losses: `next` leads through them; NONE: none */
  size_t fresh;       /* the first one that is no hole yet */
};

#define NONE SIZE_MAX

struct search {
  struct losses *l;
  struct part *parts; /* owned; by client */
  size_t *next;       /* owned; the next loss of the same part */
  size_t room;
};

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the losses");
}

static int add(struct search *f, const struct ack_record *r, struct err *err)
{
  struct losses *l = f->l;
  struct part *p = &f->parts[r->client];

  if (l->n >= f->room) {
    const size_t room = l->n * 2 + 64;
    struct loss *of = reallocarray(l->of, room, sizeof(*of));
    size_t *next;

    if (!of)
      return no_memory(err);
    l->of = of;
    next = reallocarray(f->next, room, sizeof(*next));
    if (!next)
      return no_memory(err);
    f->next = next;
    f->room = room;
  }
  l->of[l->n] = (struct loss){
    .id = r->id,
    .client = r->client,
    .log = l->logs,
    .acked_ns = r->done_ns,
  };
  f->next[l->n] = NONE;
  if (p->first == NONE)
    p->first = l->n;
  else
    f->next[p->last] = l->n;
  if (p->fresh == NONE)
    p->fresh = l->n;
  p->last = l->n++;
  return 0;
}

/* A later commit of the part is there: all losses before it are holes. */
static void make_holes(struct search *f, struct part *p)
{
  for (size_t i = p->fresh; i != NONE; i = f->next[i]) {
    f->l->of[i].hole = true;
    f->l->n_holes++;
  }
  p->fresh = NONE;
}

/* The part ends with a failure at this moment. */
static void end_part(struct search *f, struct part *p, uint64_t at_ns)
{
  for (size_t i = p->first; i != NONE; i = f->next[i]) {
    struct loss *loss = &f->l->of[i];

    loss->before_ns = at_ns > loss->acked_ns ? at_ns - loss->acked_ns : 0;
  }
  p->first = p->fresh = NONE;
}

static int look(struct search *f, struct ack_set *s, const struct ack_record *r,
                struct err *err)
{
  struct part *p = &f->parts[r->client];
  const struct ack_entry *e;

  switch (atomic_load_explicit(&r->state, memory_order_relaxed)) {
  case ACK_LOST:
    end_part(f, p, r->intent_ns);
    return 0;
  case ACK_ACKED:
    e = ack_set_find(s, r->id);
    /* One that is there less often than it was acknowledged is there from the
     * last attempt. */
    if (e && ack_entry_is_lost(e) &&
        (e->found == 0 || r->done_ns != e->newest_ns))
      return add(f, r, err);
    make_holes(f, p);
    return 0;
  default:
    return 0;
  }
}

int losses_find(struct losses *l, struct ack_set *s, struct ack_reader *r,
                uint64_t last_ns, struct err *err)
{
  struct search f = { .l = l };
  int rc = ack_reader_rewind(r, err), n;

  f.parts = calloc(r->header.clients, sizeof(*f.parts));
  if (rc == 0 && !f.parts)
    rc = no_memory(err);
  for (uint32_t i = 0; rc == 0 && i < r->header.clients; i++)
    f.parts[i].first = f.parts[i].fresh = NONE;
  while (rc == 0 && (n = ack_reader_next(r, err)) != 0) {
    rc = n < 0 ? n : 0;
    for (int i = 0; rc == 0 && i < n; i++)
      rc = look(&f, s, &r->records[i], err);
  }
  for (uint32_t i = 0; rc == 0 && i < r->header.clients; i++)
    end_part(&f, &f.parts[i], last_ns);
  l->logs++;
  free(f.parts);
  free(f.next);
  return rc;
}

void losses_done(struct losses *l)
{
  free(l->of);
  l->of = NULL;
}
