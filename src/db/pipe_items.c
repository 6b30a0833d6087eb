/*
 * pipe_items.c - the memory of a pipeline.
 */
#include "db/pipe_items.h"

#include <stdlib.h>

#include "base/compiler.h"

enum {
  FIRST_ITEMS = 16,
  KEPT_BYTES = 1024 * 1024, /* more is given back */
};

struct pipe_item *pipe_items_new(struct pipeline *p)
{
  if (UNLIKELY(p->n == p->room)) {
    const size_t room = p->room ? 2 * p->room : FIRST_ITEMS;
    struct pipe_item *items = reallocarray(p->items, room, sizeof(*items));

    if (!items)
      return NULL;
    p->items = items;
    p->room = room;
  }
  p->items[p->n] = (struct pipe_item){ .at = p->said.len };
  return &p->items[p->n];
}

static void clear(struct strbuf *b)
{
  if (UNLIKELY(b->room > KEPT_BYTES || b->failed))
    strbuf_done(b);
  else
    strbuf_clear(b);
}

void pipe_items_clear(struct pipeline *p)
{
  clear(&p->said);
  clear(&p->heard);
  if (UNLIKELY(p->room > KEPT_BYTES / sizeof(*p->items))) {
    free(p->items);
    p->items = NULL;
    p->room = 0;
  }
  p->n = 0;
  p->failed = 0;
}

void pipe_items_free(struct pipeline *p)
{
  if (!p)
    return;
  free(p->items);
  strbuf_done(&p->said);
  strbuf_done(&p->heard);
  free(p);
}
