/*
 * skeleton.h - finds a statement's class by the statements before.
 *
 * A skeleton is a statement with a mark for each literal.  A statement is
 * compared with the one that followed last time, or that its beginning
 * suggests.  Where the two differ, a jump leads to another skeleton with the
 * same beginning.  A match is certain: the same skeleton has the same normal
 * text.
 */
#ifndef BENCH_DB_CLASSES_SKELETON_H
#define BENCH_DB_CLASSES_SKELETON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/word.h"

enum {
  SQLTEXT_BYTES = 240, /* compared bytes */
};

/* The end of a number of at most seven digits; else `at`.  Eight bytes before
 * `end` are readable. */
static inline const char *skeleton_digits_end(const char *at, const char *end)
{
  const size_t left = (size_t)(end - at);
  uint64_t word, other;
  const char *to;

  if (UNLIKELY(left == 0))
    return at;
  if (left >= sizeof(word))
    word = word_load(at);
  else /* zeros follow the last digits */
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
  size_t end; /* no room from here */
  size_t n;
  struct {
    size_t from, to;
  } of[SQLTEXT_BYTES];
};

/* `?` for literals, one blank for white space, cut to `room` (SQLTEXT_BYTES at
 * most).  Returns the length; no terminator. */
size_t skeleton_normal(const char *sql, size_t len, char *out, size_t room,
                       struct sqltext_cuts *ret_cuts);

enum {
  SKELETON_BYTES = 512,
};

/* After a piece without literals; bits. */
enum skeleton_next {
  SKELETON_NUMBER = 1,
  SKELETON_STRING = 2,
  SKELETON_END = 4,      /* possibly; with the others: after them */
  SKELETON_ANYTHING = 8, /* not compared */
};

struct skeleton_piece {
  uint16_t end;
  uint16_t next; /* enum skeleton_next */
};

struct skeleton_draft {
  struct skeleton_piece piece[SQLTEXT_BYTES + 1];
  char text[SKELETON_BYTES];
  size_t n_pieces, len;
};

enum {
  SKELETONS = 256,
  SKELETON_ROOM = 40 * 1024,
  SKELETON_JUMPS = 512, /* a power of two */
  SKELETON_START_BITS = 6,
};

struct skeleton {
  struct skeleton *then; /* last successor */
  const char *text;      /* a byte for each literal */
  unsigned id;
  uint16_t len, n_pieces;
  uint8_t number;                /* its own */
  struct skeleton_piece piece[]; /* ends without a literal */
};

/* Key: skeleton, place in its text, the other byte there. */
struct skeleton_jump {
  uint32_t key; /* 0: unused */
  uint8_t to;
};

/* One thread uses it. {0} is empty. */
struct skeletons {
  unsigned n;
  uint32_t lost;                 /* of the last missing jump */
  unsigned refused;              /* for lack of room */
  size_t used;                   /* of room[] */
  struct skeleton *last, *guess; /* guess: probably the next */
  struct skeleton *start[1 << SKELETON_START_BITS];
  struct skeleton *of[SKELETONS];
  struct skeleton_jump jump[SKELETON_JUMPS];
  _Alignas(struct skeleton) char room[SKELETON_ROOM];
};

/* The `id` of skeletons_add(); -1: new. */
int skeletons_find(struct skeletons *s, const char *sql, size_t len);

/*
 * After skeletons_find() has missed.  The text after cuts->end does not matter.
 * Too long statements are left out; without room, all are forgotten at times.
 */
void skeletons_add(struct skeletons *s, const char *sql, size_t len,
                   const struct sqltext_cuts *cuts, unsigned id);

#endif
