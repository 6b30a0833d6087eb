/*
 * skeleton_draft.h - what the skeleton of a statement looks like, before it is
 * known whether there is one, or room for it.
 */
#ifndef BENCH_DB_CLASSES_SKELETON_DRAFT_H
#define BENCH_DB_CLASSES_SKELETON_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "db/classes/skeleton.h"
#include "db/classes/sqltext.h"

struct skeleton_draft {
  struct skeleton_piece piece[SQLTEXT_BYTES + 1];
  char text[SKELETON_BYTES];
  size_t n_pieces, len;
};

/* Of a statement and its literals.  False: it is too long. */
bool skeleton_draft_make(struct skeleton_draft *d, const char *sql, size_t len,
                         const struct sqltext_cuts *cuts);

/* The skeleton is the same. */
bool skeleton_draft_is(const struct skeleton_draft *d,
                       const struct skeleton *k);

#endif
