/*
 * skeleton_draft.h - the skeleton of a statement, before it is known whether it
 * is a new one, or whether there is room for it.
 */
#ifndef BENCH_DB_CLASSES_SKELETON_DRAFT_H
#define BENCH_DB_CLASSES_SKELETON_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/classes/sqltext.h"

enum {
  SKELETON_BYTES = 512, /* length of the longest one */
};

/* What comes after a piece of text without literals; a bit each. */
enum skeleton_next {
  SKELETON_NUMBER = 1,
  SKELETON_STRING = 2,
  SKELETON_END = 4, /* the statement may end; with the others: after them */
  SKELETON_ANYTHING = 8, /* is not looked at */
};

struct skeleton_piece {
  uint16_t end;  /* in the text of the skeleton */
  uint16_t next; /* enum skeleton_next */
};

struct skeleton_draft {
  struct skeleton_piece piece[SQLTEXT_BYTES + 1];
  char text[SKELETON_BYTES]; /* after each piece, a byte for the literal */
  size_t n_pieces, len;
};

/* Make that of a statement and its literals.  False: it is too long. */
bool skeleton_draft_make(struct skeleton_draft *d, const char *sql, size_t len,
                         const struct sqltext_cuts *cuts);

#endif
