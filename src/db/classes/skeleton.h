/*
 * skeleton.h - which class a statement has, recognised by the statements
 * before.
 *
 * A skeleton is a statement as it was sent, with one mark in the place of each
 * literal.  A statement is compared with the skeleton that came after the last
 * one before, or that its beginning suggests.  Where the two differ, a jump
 * leads to another skeleton, which is the same up to there.  Nothing is copied,
 * and a match is certain: statements with the same skeleton have the same
 * normal text.
 */
#ifndef BENCH_DB_CLASSES_SKELETON_H
#define BENCH_DB_CLASSES_SKELETON_H

#include <stddef.h>
#include <stdint.h>

#include "db/classes/skeleton_draft.h"
#include "db/classes/sqltext.h"

enum {
  SKELETONS = 256, /* remembered; their numbers fit into a byte */
  SKELETON_ROOM = 40 * 1024,
  SKELETON_JUMPS = 512, /* a power of two */
  SKELETON_START_BITS = 6,
};

struct skeleton {
  struct skeleton *then; /* what was sent after it, the last time */
  const char *text;      /* between pieces, a byte stands for the literal */
  unsigned id;
  uint16_t len, n_pieces;
  uint8_t number;                /* of itself */
  struct skeleton_piece piece[]; /* the last one has no literal after it */
};

/* From a skeleton, the place in its text, and the byte there of a statement
 * that goes on differently. */
struct skeleton_jump {
  uint32_t key; /* 0: unused */
  uint8_t to;
};

/* One thread uses it.  {0} is empty. */
struct skeletons {
  unsigned n;
  uint32_t lost;                 /* the key of the jump that was missing last */
  unsigned refused;              /* since there was no room */
  size_t used;                   /* of room[] */
  struct skeleton *last, *guess; /* seen last; probably next */
  struct skeleton *start[1 << SKELETON_START_BITS]; /* or that, or that */
  struct skeleton *of[SKELETONS];
  struct skeleton_jump jump[SKELETON_JUMPS];
  _Alignas(struct skeleton) char room[SKELETON_ROOM];
};

/* The `id` with which the statement was added; -1: it is new. */
int skeletons_find(struct skeletons *s, const char *sql, size_t len);

/*
 * Remember the statement that skeletons_find() has just not found.  `cuts` are
 * its literals; what comes after cuts->end does not matter.  A statement that
 * is too long is not remembered; when there is no room for more, all are
 * forgotten from time to time.
 */
void skeletons_add(struct skeletons *s, const char *sql, size_t len,
                   const struct sqltext_cuts *cuts, unsigned id);

#endif
