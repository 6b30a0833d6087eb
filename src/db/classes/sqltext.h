/*
 * sqltext.h - the text of a statement without its literals.
 */
#ifndef BENCH_DB_CLASSES_SQLTEXT_H
#define BENCH_DB_CLASSES_SQLTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/word.h"

enum {
  SQLTEXT_BYTES = 240, /* so much of a text is looked at */
};

/*
 * The end of the number, or the string, at `at`; `at` if there is none.  `end`
 * is the end of the statement.
 */
const char *sqltext_number_end(const char *at, const char *end);
const char *sqltext_string_end(const char *at, const char *end);

/* The same for a number of at most seven digits; `at` if it is something else.
 * Eight bytes before `end` can be read. */
static inline const char *sqltext_digits_end(const char *at, const char *end)
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
size_t sqltext_normal(const char *sql, size_t len, char *out, size_t room,
                      struct sqltext_cuts *ret_cuts);

#endif
