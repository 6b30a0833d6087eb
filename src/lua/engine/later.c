/*
 * later.c - a list of objects that will be freed.
 */
#include "lua/engine/later.h"

#include <stdlib.h>

#include "db/conn.h"
#include "db/stmt.h"

enum {
  FIRST_ROOM = 16
};

void later_add(struct later *l, struct conn *conn, struct stmt *stmt)
{
  if (l->n == l->room) {
    const size_t room = l->room > 0 ? 2 * l->room : FIRST_ROOM;
    struct later_item *item = realloc(l->item, room * sizeof(*item));

    if (!item)
      return;
    l->item = item;
    l->room = room;
  }
  l->item[l->n++] = (struct later_item){ .conn = conn, .stmt = stmt };
}

void later_free_objects(struct later *l)
{
  /* The collector may add objects while this client waits. */
  while (l->n > 0) {
    const struct later_item item = l->item[--l->n];

    if (item.stmt)
      stmt_free(item.stmt);
    if (item.conn)
      conn_free(item.conn);
  }
}

void later_done(struct later *l)
{
  free(l->item);
  *l = (struct later){ 0 };
}
