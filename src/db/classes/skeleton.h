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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/word.h"

enum {
  SQLTEXT_BYTES = 240, /* so much of a text is looked at */
};

/* The same for a number of at most seven digits; `at` if it is something else.
 * Eight bytes before `end` can be read. */
static inline const char *skeleton_digits_end(const char *at, const char *end)
{
  const size_t left = (size_t)(end - at);
  uint64_t word, other;
  const char *to;

  if (UNLIKELY(left == 0))
    return at;
  if (left >= sizeof(word))
    word = word_load(at);
  else /* zeros come in after the last digits */
    word = word_load(end - sizeof(word)) >> (64 - 8 * left);
  other = word_find_other_than_digits(word);
  if (UNLIKELY(other == 0))
    return at;
  to = at + word_first(other);
  if (to < end && (((*to | 32) >= 'a' && (*to | 32) <= 'z') || *to == '.'))
    return at;
  return to;
}

/* Where the literals of a statement are. */
struct sqltext_cuts {
  size_t end; /* nothing after it was read: the room was used up */
  size_t n;
  struct {
    size_t from, to; /* from <= to <= end */
  } of[SQLTEXT_BYTES];
};

/*
 * Write the text with `?` for each literal and one blank for any white space,
 * as much of it as there is room for, SQLTEXT_BYTES at most.  Returns the
 * length; no terminator.
 */
size_t skeleton_normal(const char *sql, size_t len, char *out, size_t room,
                       struct sqltext_cuts *ret_cuts);

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
