/*
 * pipe_text.c - the texts of the statements of a pipeline.
 */
#include "db/pipe_text.h"

#include "db/pipe_items.h"
#include "db/stmt.h"

const char *pipe_text_sql(const struct pipeline *p, const struct pipe_item *it,
                          size_t *ret_len)
{
  if (it->st && it->st->sql) {
    *ret_len = it->st->len;
    return it->st->sql;
  }
  *ret_len = it->st ? 0 : it->len;
  return it->st ? "" : p->said.text + it->at;
}
