/*
 * lane_rows.c - the rows of an answer, copied for the client of a lane.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "db/kept_row.h"
#include "db/lane_parts.h"

enum {
  ROWS_KEEP = 1024 * 1024 /* bytes; a larger buffer is given back */
};

static bool make_room(struct lane *lane, uint32_t n)
{
  sql_value *values;

  if (n <= lane->values_room)
    return true;
  values = reallocarray(lane->values, n, sizeof(*values));
  if (!values)
    return false;
  lane->values = values;
  lane->values_room = n;
  return true;
}

bool lane_keep_rows(struct lane *lane, const struct outcome *out)
{
  const struct line *l = lane->line;

  if (lane->base.unread)
    return true;
  if (!make_room(lane, out->nfields))
    return false;
  while (l->driver->fetch(l->session, lane->values) > 0) {
    kept_row_add(&lane->rows, lane->values, out->nfields);
    lane->rows_left++;
  }
  lane->nfields = out->nfields;
  return !lane->rows.failed;
}

void lane_forget_rows(struct lane *lane)
{
  if (UNLIKELY(lane->rows.room > ROWS_KEEP))
    strbuf_done(&lane->rows);
  strbuf_clear(&lane->rows);
  lane->row_at = 0;
  lane->rows_left = 0;
}

int lane_fetch(struct session *s, sql_value *values)
{
  struct lane *lane = lane_of(s);

  if (lane->rows_left == 0)
    return 0;
  lane->row_at += kept_row_get(lane->rows.text + lane->row_at, values,
                               lane->nfields);
  lane->rows_left--;
  return 1;
}
