/*
 * class.c - classifies statements by their first word.
 */
#include "drivers/null/class.h"

#include <string.h>

#include "base/compiler.h"
#include "db/emul.h"

#define WORD(text, ...)                 \
  {                                     \
    text, sizeof(text) - 1, __VA_ARGS__ \
  }
#define NO_TRX false, TRX_NONE

/* Indexed by the first letter; the usual words come first. */
static const struct null_word words[26][4] = {
  ['B' - 'A'] = { WORD("BEGIN", true, TRX_OPEN, COUNTER_OTHER) },
  ['C' - 'A'] = { WORD("COMMIT", true, TRX_NONE, COUNTER_OTHER),
                  WORD("CALL", NO_TRX, COUNTER_READ),
                  WORD("COPY", NO_TRX, COUNTER_WRITE) },
  ['D' - 'A'] = { WORD("DELETE", NO_TRX, COUNTER_WRITE) },
  ['E' - 'A'] = { WORD("EXPLAIN", NO_TRX, COUNTER_READ),
                  WORD("END", true, TRX_NONE, COUNTER_OTHER) },
  ['F' - 'A'] = { WORD("FETCH", NO_TRX, COUNTER_READ) },
  ['I' - 'A'] = { WORD("INSERT", NO_TRX, COUNTER_WRITE) },
  ['L' - 'A'] = { WORD("LOAD", NO_TRX, COUNTER_WRITE) },
  ['M' - 'A'] = { WORD("MERGE", NO_TRX, COUNTER_WRITE) },
  ['R' - 'A'] = { WORD("ROLLBACK", true, TRX_NONE, COUNTER_OTHER),
                  WORD("REPLACE", NO_TRX, COUNTER_WRITE) },
  ['S' - 'A'] = { WORD("SELECT", NO_TRX, COUNTER_READ),
                  WORD("START", true, TRX_OPEN, COUNTER_OTHER),
                  WORD("SHOW", NO_TRX, COUNTER_READ) },
  ['U' - 'A'] = { WORD("UPDATE", NO_TRX, COUNTER_WRITE) },
  ['V' - 'A'] = { WORD("VALUES", NO_TRX, COUNTER_READ) },
  ['W' - 'A'] = { WORD("WITH", NO_TRX, COUNTER_READ) },
};

static const struct null_word any_other = { "", 0, NO_TRX, COUNTER_OTHER };

/* Returns the word of `len` letters in capitals, as the bytes of a number. */
static uint64_t packed(const char *text, size_t len)
{
  uint64_t key = 0;

  memcpy(&key, text, len < 8 ? len : 8);
  return key & UINT64_C(0xdfdfdfdfdfdfdfdf);
}

static const struct null_word *look_up(const char *text, size_t len)
{
  const unsigned first = (unsigned char)(text[0] & 0xdf) - 'A';
  uint64_t key;

  if (len > 8 || first >= 26)
    return &any_other;
  key = packed(text, len);
  for (const struct null_word *w = words[first]; w < words[first] + 4; w++) {
    uint64_t want;

    memcpy(&want, w->text, sizeof(want));
    if (w->len == len && key == want)
      return w;
  }
  return &any_other;
}

const struct null_word *null_classify(const char *sql, size_t len)
{
  const char *text = sql;
  size_t n = 0;

  /* The usual statement begins with its word, followed by a blank. */
  while (n < len && (unsigned)((unsigned char)(sql[n] | 0x20) - 'a') < 26)
    n++;
  if (UNLIKELY(n == 0 || (n < len && sql[n] != ' ')))
    text = emul_first_word(sql, len, EMUL_MYSQL, &n);
  return n > 0 ? look_up(text, n) : &any_other;
}
