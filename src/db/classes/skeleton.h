/*
 * skeleton.h - finds a statement's class by the statements before.
 *
 * A skeleton is a statement with a mark in place of each literal.  A statement
 * is compared with the skeleton that followed the last one before, or that its
 * beginning suggests.  Where the two differ, a jump leads to another skeleton
 * with the same beginning.  Nothing is copied, and a match is certain: the same
 * skeleton has the same normal text.
 */
#ifndef BENCH_DB_CLASSES_SKELETON_H
#define BENCH_DB_CLASSES_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/word.h"

enum {
  SQLTEXT_BYTES = 240, /* of a text are looked at */
};

/* The end of a number of at most seven digits; `at`: something else.  Eight
 * bytes before `end` can be read. */
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

/* Literals of a statement. */
struct sqltext_cuts {
  size_t end; /* where reading stopped for lack of room */
  size_t n;
  struct {
    size_t from, to;
  } of[SQLTEXT_BYTES];
};

/* The text with `?` for literals and one blank for white space, cut to `room`,
 * SQLTEXT_BYTES at most.  Returns the length; no terminator. */
size_t skeleton_normal(const char *sql, size_t len, char *out, size_t room,
                       struct sqltext_cuts *ret_cuts);

enum {
  SKELETON_BYTES = 512, /* of the longest one */
};

/* What follows a piece without literals; bits. */
enum skeleton_next {
  SKELETON_NUMBER = 1,
  SKELETON_STRING = 2,
  SKELETON_END = 4,      /* the statement may end; with others: after them */
  SKELETON_ANYTHING = 8, /* not looked at */
};

struct skeleton_piece {
  uint16_t end;  /* in the skeleton's text */
  uint16_t next; /* enum skeleton_next */
};

struct skeleton_draft {
  struct skeleton_piece piece[SQLTEXT_BYTES + 1];
  char text[SKELETON_BYTES]; /* after each piece, a byte for the literal */
  size_t n_pieces, len;
};

enum {
  SKELETONS = 256, /* their numbers fit into a byte */
  SKELETON_ROOM = 40 * 1024,
  SKELETON_JUMPS = 512, /* a power of two */
  SKELETON_START_BITS = 6,
};

struct skeleton {
  struct skeleton *then; /* followed the last time */
  const char *text;      /* between pieces, a byte for the literal */
  unsigned id;
  uint16_t len, n_pieces;
  uint8_t number;                /* its own */
  struct skeleton_piece piece[]; /* the last one has no literal after it */
};

/* Key: a skeleton, a place in its text, and the byte there of another
 * statement. */
struct skeleton_jump {
  uint32_t key; /* 0: unused */
  uint8_t to;
};

/* One thread uses it.  {0} is empty. */
struct skeletons {
  unsigned n;
  uint32_t lost;                 /* key of the last missing jump */
  unsigned refused;              /* for lack of room */
  size_t used;                   /* of room[] */
  struct skeleton *last, *guess; /* the last one; the probable next one */
  struct skeleton
    *start[1 << SKELETON_START_BITS]; /* by the hash of a beginning */
  struct skeleton *of[SKELETONS];
  struct skeleton_jump jump[SKELETON_JUMPS];
  _Alignas(struct skeleton) char room[SKELETON_ROOM];
};

/* The `id` of skeletons_add(); -1: new. */
int skeletons_find(struct skeletons *s, const char *sql, size_t len);

/*
 * Remember the statement that skeletons_find() has just missed.  `cuts`: its
 * literals; the text after cuts->end does not matter.  Too long statements are
 * left out; without room, all are forgotten from time to time.
 */
void skeletons_add(struct skeletons *s, const char *sql, size_t len,
                   const struct sqltext_cuts *cuts, unsigned id);

#endif
