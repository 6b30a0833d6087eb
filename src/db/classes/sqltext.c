/*
 * sqltext.c - finding the literals in the text of a statement.
 */
#include "db/classes/sqltext.h"

#include <assert.h>
#include <stdbool.h>

#include "base/word.h"

/* Kinds of bytes, as in the C locale, whatever the program's locale is. */
enum {
  PLAIN = 1, /* operators and the like */
  NAME = 2,  /* letters, and what else names are made of */
  DIGIT = 4,
  SPACE = 8,
  QUOTE = 16,
  KINDS = 256,
};

#define KIND_OF(c)                                      \
  ((c) >= '0' && (c) <= '9'                     ? DIGIT \
   : ((c) | 32) >= 'a' && ((c) | 32) <= 'z'     ? NAME  \
   : (c) == '_' || (c) == '$' || (c) >= 0x80    ? NAME  \
   : (c) == ' ' || ((c) >= '\t' && (c) <= '\r') ? SPACE \
   : (c) == '\'' || (c) == '"' || (c) == '`'    ? QUOTE \
                                                : PLAIN)
#define KINDS_4(c) \
  KIND_OF(c), KIND_OF((c) + 1), KIND_OF((c) + 2), KIND_OF((c) + 3)
#define KINDS_16(c) \
  KINDS_4(c), KINDS_4((c) + 4), KINDS_4((c) + 8), KINDS_4((c) + 12)
#define KINDS_64(c) \
  KINDS_16(c), KINDS_16((c) + 16), KINDS_16((c) + 32), KINDS_16((c) + 48)

static const unsigned char kinds[KINDS] = { KINDS_64(0), KINDS_64(64),
                                            KINDS_64(128), KINDS_64(192) };

static unsigned kind_of(char c)
{
  return kinds[(unsigned char)c];
}

/* A digit or letter, as in numbers. */
static bool is_alnum(char c)
{
  return kind_of(c) == DIGIT || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* ---- the ends of things ---- */

/* Digits, letters of 0x1F, 1e5 and the sign of 1e-5. */
const char *sqltext_number_end(const char *at, const char *end)
{
  if (at == end || kind_of(*at) != DIGIT)
    return at;
  while (++at < end) {
    if (is_alnum(*at) || *at == '.')
      continue;
    if ((*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E'))
      continue;
    break;
  }
  return at;
}

/* The first quote from `at` on, or backslash where that means something. */
static const char *find_stop(const char *at, const char *end, char quote)
{
  const char escape = quote == '\'' ? '\\' : quote;
  uint64_t stop;

  for (; end - at >= (ptrdiff_t)sizeof(stop); at += sizeof(stop)) {
    const uint64_t word = word_load(at);

    stop = word_find(word, (unsigned char)quote) |
           word_find(word, (unsigned char)escape);
    if (stop)
      return at + word_first(stop);
  }
  while (at < end && *at != quote && *at != escape)
    at++;
  return at;
}

/* The end of what was begun by `quote` before `at`.  Doubled quotes and, in
 * strings, bytes after a backslash belong to it. */
static inline const char *quoted_end(const char *at, const char *end,
                                     char quote)
{
  while ((at = find_stop(at, end, quote)) < end) {
    if (*at == quote && (end - at == 1 || at[1] != quote))
      return at + 1;
    if (end - at <= 2)
      break;
    at += 2;
  }
  return end;
}

const char *sqltext_string_end(const char *at, const char *end)
{
  return at < end && *at == '\'' ? quoted_end(at + 1, end, '\'') : at;
}

/* ---- the whole ---- */

/* A single blank between two others, which is copied as it is. */
static bool is_lone_blank(const char *sql, size_t len, size_t at)
{
  return sql[at] == ' ' && at > 0 && sql[at - 1] != ' ' && at + 1 < len &&
         kind_of(sql[at + 1]) != SPACE;
}

/* Copy names and operators; the digits of a name belong to it.  Returns how
 * many bytes that were, of at most `len`. */
static size_t copy_plain(const char *sql, size_t len, char *out)
{
  static const unsigned char after[] = {
    [PLAIN] = PLAIN | NAME,
    [NAME] = PLAIN | NAME | DIGIT,
    [DIGIT] = PLAIN | NAME | DIGIT,
    [SPACE] = PLAIN | NAME,
  };
  unsigned wanted = PLAIN | NAME;
  size_t n;

  for (n = 0; n < len; n++) {
    const unsigned kind = kind_of(sql[n]);

    if (!(kind & wanted) && !is_lone_blank(sql, len, n))
      break;
    out[n] = sql[n];
    wanted = after[kind];
  }
  return n;
}

/* From a literal to its mark. */
static const char *cut(struct sqltext_cuts *cuts, const char *sql,
                       const char *from, const char *to)
{
  cuts->of[cuts->n].from = (size_t)(from - sql);
  cuts->of[cuts->n++].to = (size_t)(to - sql);
  return to;
}

size_t sqltext_normal(const char *sql, size_t len, char *out, size_t room,
                      struct sqltext_cuts *ret_cuts)
{
  const char *at = sql, *const end = sql + len, *to;
  size_t n = 0;

  assert(room <= SQLTEXT_BYTES);
  ret_cuts->n = 0;
  while (at < end && n < room) {
    const size_t more = (size_t)(end - at);
    const size_t left = more < room - n ? more : room - n;
    const size_t plain = copy_plain(at, left, out + n);

    at += plain;
    n += plain;
    if (plain == left)
      continue;
    switch (kind_of(*at)) {
    case SPACE:
      if (n > 0 && out[n - 1] != ' ')
        out[n++] = ' ';
      at++;
      break;
    case DIGIT:
      out[n++] = '?';
      at = cut(ret_cuts, sql, at, sqltext_number_end(at, end));
      break;
    default:
      to = quoted_end(at + 1, end, *at);
      if (*at == '\'') {
        out[n++] = '?';
        (void)cut(ret_cuts, sql, at, to);
      } else { /* the name of something */
        for (; at < to && n < room; at++)
          out[n++] = *at;
      }
      at = to;
    }
  }
  ret_cuts->end = (size_t)(at - sql);
  while (n > 0 && out[n - 1] == ' ')
    n--;
  return n;
}
