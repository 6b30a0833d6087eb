/*
 * skeleton.h - which class a statement has, recognised by what was seen before.
 *
 * A skeleton is a statement as it was sent, with one mark in the place of each
 * literal.  A statement is compared with the skeleton that came behind the last
 * one before, or that its beginning suggests; where the two part, a jump leads
 * to another skeleton, which is the same up to there.  Nothing is copied, and
 * what is found is certain: statements with the same skeleton have the same
 * normal text.
 */
#ifndef BENCH_DB_CLASSES_SKELETON_H
#define BENCH_DB_CLASSES_SKELETON_H

#include <stddef.h>
#include <stdint.h>

#include "db/classes/sqltext.h"

enum {
  SKELETONS = 256,      /* remembered; their numbers fit into a byte */
  SKELETON_BYTES = 512, /* of the longest one */
  SKELETON_ROOM = 40 * 1024,
  SKELETON_JUMPS = 512, /* a power of two */
  SKELETON_START_BITS = 6,
};

/* What comes behind a piece of text without literals; a bit each. */
enum skeleton_next {
  SKELETON_NUMBER = 1,
  SKELETON_STRING = 2,
  SKELETON_END = 4,      /* of the statement; with the others: behind it */
  SKELETON_ANYTHING = 8, /* is not looked at */
};

struct skeleton_piece {
  uint16_t end;  /* in the text of the skeleton */
  uint16_t next; /* enum skeleton_next */
};

struct skeleton {
  struct skeleton *then; /* what was sent after it, the last time */
  const char *text;      /* between pieces, a byte stands for the literal */
  unsigned id;
  uint16_t len, n_pieces;
  uint8_t number;                /* of itself */
  struct skeleton_piece piece[]; /* the last one has no literal behind */
};

/* From a skeleton, the place in its text, and the byte there of a statement
 * that goes on differently. */
struct skeleton_jump {
  uint32_t key; /* 0: unused */
  uint8_t to;
};

/* Of one thread.  {0} is empty. */
struct skeletons {
  unsigned n;
  uint32_t lost;                 /* the key of the jump that was missing last */
  unsigned refused;              /* since there was no room */
  size_t used;                   /* of room[] */
  struct skeleton *last, *guess; /* seen last; what may come now */
  struct skeleton *start[1 << SKELETON_START_BITS]; /* or that, or that */
  struct skeleton *of[SKELETONS];
  struct skeleton_jump jump[SKELETON_JUMPS];
  _Alignas(struct skeleton) char room[SKELETON_ROOM];
};

/* What the statement was remembered with; -1: it is new. */
int skeletons_find(struct skeletons *s, const char *sql, size_t len);

/*
 * Remember the statement that skeletons_find() has just not found.  `cuts` are
 * its literals; what is behind cuts->end does not matter.  A statement that is
 * too long is not remembered; when there is no room for more, all are forgotten
 * from time to time.
 */
void skeletons_add(struct skeletons *s, const char *sql, size_t len,
                   const struct sqltext_cuts *cuts, unsigned id);

#endif
