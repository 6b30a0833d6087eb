/*
 * leftover.c - what a statement leaves in its session.
 */
#include "db/leftover.h"

#include <stdbool.h>

#include "base/compiler.h"
#include "db/emul.h"

/* Words that may follow; ends with NULL. */
static const char *const passing[] = {
  "CONSTRAINTS",  "GLOBAL",    "LOCAL",       "PASSWORD", "PERSIST",
  "PERSIST_ONLY", "STATEMENT", "TRANSACTION", NULL
};
static const char *const temporary[] = { "TEMP", "TEMPORARY", NULL };

static const struct {
  const char *word, *what;
  const char *const *only; /* [opt] if one of these words is the second */
  const char *const *but;  /* [opt] unless one of these is */
  bool by_commit;          /* with $1 dialects the transaction ends it */
} kinds[] = {
  { "SET", "a setting", NULL, passing, false },
  { "USE", "another database", NULL, NULL, false },
  { "LOCK", "locks", NULL, NULL, true },
  { "CREATE", "a temporary table", temporary, NULL, false },
  { "PREPARE", "a prepared statement", NULL, NULL, false },
  { "LISTEN", "a subscription", NULL, NULL, false },
  { "HANDLER", "an open table", NULL, NULL, false },
  { "ATTACH", "an attached database", NULL, NULL, false },
  { "PRAGMA", "a setting", NULL, NULL, false },
};

_Static_assert(ARRAY_SIZE(kinds) <= LEFTOVERS_MAX, "kinds have numbers");

static bool is_among(const char *const *words, const char *word, size_t n)
{
  while (*words && !emul_word_is(word, n, *words))
    words++;
  return *words != NULL;
}

int leftover_of(const char *sql, size_t len, unsigned dialect, const char **ret)
{
  size_t n, second_n = 0;
  const char *word = emul_first_word(sql, len, dialect, &n);
  const char *second;

  for (size_t i = 0; n > 0 && i < ARRAY_SIZE(kinds); i++) {
    if (!emul_word_is(word, n, kinds[i].word))
      continue;
    second = emul_first_word(word + n, len - (size_t)(word + n - sql), dialect,
                             &second_n);
    if ((kinds[i].only && !is_among(kinds[i].only, second, second_n)) ||
        (kinds[i].but && is_among(kinds[i].but, second, second_n)) ||
        (kinds[i].by_commit && dialect & EMUL_DOLLAR))
      return -1;
    *ret = kinds[i].what;
    return (int)i;
  }
  return -1;
}
