/*
 * skeleton_draft.c - what the skeleton of a statement looks like.
 */
#include "db/classes/skeleton_draft.h"

#include <string.h>

/* Add a piece.  False: the skeleton is too long. */
static bool draft_add(struct skeleton_draft *d, const char *text, size_t len,
                      enum skeleton_next next)
{
  const size_t mark = (next & (SKELETON_NUMBER | SKELETON_STRING)) != 0;

  if (len + mark > sizeof(d->text) - d->len)
    return false;
  if (len > 0)
    memcpy(d->text + d->len, text, len);
  d->len += len;
  d->piece[d->n_pieces].end = (uint16_t)d->len;
  d->piece[d->n_pieces++].next = (uint16_t)next;
  if (mark)
    d->text[d->len++] = '?';
  return true;
}

/* Add the last piece. */
static bool draft_end(struct skeleton_draft *d, const char *text, size_t len,
                      enum skeleton_next next)
{
  if (len == 0 && next == SKELETON_END && d->n_pieces > 0)
    d->piece[d->n_pieces - 1].next |= SKELETON_END;
  return draft_add(d, text, len, next);
}

bool skeleton_draft_make(struct skeleton_draft *d, const char *sql, size_t len,
                         const struct sqltext_cuts *cuts)
{
  size_t at = 0;

  d->n_pieces = d->len = 0;
  for (size_t i = 0; i < cuts->n; i++) {
    const size_t from = cuts->of[i].from;

    if (!draft_add(d, sql + at, from - at,
                   sql[from] == '\'' ? SKELETON_STRING : SKELETON_NUMBER))
      return false;
    at = cuts->of[i].to;
  }
  return draft_end(d, sql + at, cuts->end - at,
                   cuts->end < len ? SKELETON_ANYTHING : SKELETON_END);
}
