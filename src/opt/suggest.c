/*
 * suggest.c - which known name a misspelt one probably meant.
 */
#include "opt/suggest.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "opt/opt.h"

enum {
  MAX_EDITS = 2,
  MIN_START = 3, /* letters */
  SHORT = 4      /* letters; two edits leave little of such a word */
};

static char folded(char c)
{
  return c == '_' ? '-' : c;
}

/*
 * A letter in the wrong case is not an edit, but the names are not equal
 * either.
 */
static bool is_same_key(char a, char b)
{
  return tolower((unsigned char)folded(a)) == tolower((unsigned char)folded(b));
}

/*
 * Can `a` become `b` by at most `edits` insertions, deletions, replacements or
 * swaps of neighbours?
 * With so few edits, trying all of them beats the usual table.
 */
static bool is_within(const char *a, const char *b, int edits)
{
  while (*a && is_same_key(*a, *b))
    a++, b++;
  if (!*a && !*b)
    return true;
  if (edits == 0)
    return false;
  return (*a && is_within(a + 1, b, edits - 1)) ||
         (*b && is_within(a, b + 1, edits - 1)) ||
         (*a && *b && is_within(a + 1, b + 1, edits - 1)) ||
         (*a && *b && is_same_key(a[0], b[1]) && is_same_key(a[1], b[0]) &&
          is_within(a + 2, b + 2, edits - 1));
}

bool opt_name_equal(const char *a, const char *b)
{
  while (*a && folded(*a) == folded(*b))
    a++, b++;
  return !*a && !*b;
}

bool opt_rows_have(const struct opt *rows, const char *name)
{
  for (; rows->type != OPT_TYPE_END; rows++) {
    if (opt_name_equal(rows->name, name))
      return true;
  }
  return false;
}

void suggest_init(struct suggest *s, const char *typed)
{
  *s = (struct suggest){ .typed = typed, .edits = MAX_EDITS };
}

/* Is `a` the beginning of `b`, and long enough to mean it? */
static bool is_start(const char *a, const char *b)
{
  int n = 0;

  for (; a[n] && is_same_key(a[n], b[n]); n++)
    continue;
  return !a[n] && n >= MIN_START;
}

/* Another first letter makes another word of a short one: bind is not find. */
static bool is_other_word(const char *typed, const char *name, int edits)
{
  if (strlen(typed) > SHORT || is_same_key(typed[0], name[0]))
    return false;
  return edits == MAX_EDITS ||
         (strlen(typed) == strlen(name) && !is_same_key(typed[0], name[1]));
}

void suggest_offer(struct suggest *s, const char *name)
{
  int edits = s->edits; /* a worse match than the one found is of no interest */

  if (!is_within(s->typed, name, edits) &&
      !(edits == MAX_EDITS && is_start(s->typed, name)))
    return;
  while (edits > 0 && is_within(s->typed, name, edits - 1))
    edits--;
  if (is_other_word(s->typed, name, edits))
    return;
  if (!s->found || edits < s->edits) {
    s->found = name;
    s->edits = edits;
    s->several = false;
  } else if (!opt_name_equal(s->found, name)) {
    s->several = true;
  }
}

const char *suggest_result(const struct suggest *s)
{
  return s->several ? NULL : s->found;
}
