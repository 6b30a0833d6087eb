/*
 * statement.c - from a statement to its class.
 */
#include "lua/statement.h"

#include <string.h>

#include "base/compiler.h"
#include "db/env.h"
#include "stats/class_stats.h"

const struct label statement_prepared = { "" };

/* ---- texts without literals ---- */

/* The end of a quoted text that begins at `at`: doubled quotes and, in
 * strings, bytes after a backslash belong to it. */
static size_t quoted_end(const char *sql, size_t len, size_t at)
{
  const char quote = sql[at++];

  for (; at < len; at++) {
    if (sql[at] == '\\' && quote == '\'')
      at++;
    else if (sql[at] == quote) {
      if (at + 1 == len || sql[at + 1] != quote)
        return at + 1;
      at++;
    }
  }
  return len;
}

/* What a byte is; as in the C locale, whatever the program's is. */
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

/* The end of a number: digits, letters of 0x1F, 1e5 and the sign of 1e-5. */
static size_t number_end(const char *sql, size_t len, size_t at)
{
  for (; at < len; at++) {
    const char c = sql[at];

    if (is_alnum(c) || c == '.')
      continue;
    if ((c == '-' || c == '+') && (sql[at - 1] == 'e' || sql[at - 1] == 'E'))
      continue;
    break;
  }
  return at;
}

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

size_t statement_normal(const char *sql, size_t len, char *out, size_t room)
{
  size_t n = 0;

  for (size_t at = 0; at < len && n < room;) {
    const size_t left = len - at < room - n ? len - at : room - n;
    const size_t plain = copy_plain(sql + at, left, out + n);
    size_t end;

    at += plain;
    n += plain;
    if (plain == left)
      continue;
    switch (kind_of(sql[at])) {
    case SPACE:
      if (n > 0 && out[n - 1] != ' ')
        out[n++] = ' ';
      at++;
      break;
    case DIGIT:
      out[n++] = '?';
      at = number_end(sql, len, at);
      break;
    default:
      end = quoted_end(sql, len, at);
      if (sql[at] == '\'')
        out[n++] = '?';
      else /* the name of something */
        for (; at < end && n < room; at++)
          out[n++] = sql[at];
      at = end;
    }
  }
  while (n > 0 && out[n - 1] == ' ')
    n--;
  return n;
}

/* ---- classes ---- */

#define MIX UINT64_C(0x9e3779b97f4a7c15)

/* Eight bytes at a time; never 0. */
static uint64_t hash_of(const char *text, size_t len)
{
  uint64_t h = len * MIX, word;

  for (; len >= sizeof(word); len -= sizeof(word), text += sizeof(word)) {
    memcpy(&word, text, sizeof(word));
    h = (h ^ word) * MIX;
    h ^= h >> 29;
  }
  word = 0;
  memcpy(&word, text, len);
  h = (h ^ word) * MIX;
  h ^= h >> 32;
  return h ? h : 1;
}

/* The class of a text.  When the slots around its own are taken, the set is
 * asked every time. */
static unsigned id_of_text(struct statements *s, const char *text, size_t len)
{
  const uint64_t hash = hash_of(text, len);

  for (size_t i = 0; i < 8; i++) {
    struct statement_slot *slot = &s->slot[(hash + i) & (STATEMENT_SLOTS - 1)];

    if (slot->hash == hash)
      return slot->id;
    if (slot->hash == 0) {
      slot->id = class_id(s->recorder->set, text, len);
      slot->hash = hash;
      return slot->id;
    }
  }
  return class_id(s->recorder->set, text, len);
}

static unsigned id_of_label(struct statements *s, const struct label *label)
{
  unsigned *known = &s->of_label[label - s->labels->of];

  if (*known == 0)
    *known = class_id(s->recorder->set, label->text, strlen(label->text)) + 1;
  return *known - 1;
}

/* Where a text may have been kept: its beginning and its end tell most apart.
 */
static struct statement_seen *seen_place(struct statements *s, const char *sql,
                                         size_t len)
{
  uint64_t first = 0, last = 0;

  if (len >= sizeof(first)) {
    memcpy(&first, sql, sizeof(first));
    memcpy(&last, sql + len - sizeof(last), sizeof(last));
  } else {
    memcpy(&first, sql, len);
  }
  return &s->seen[((first ^ (last * MIX) ^ len) * MIX) >>
                  (64 - STATEMENT_SEEN_BITS)];
}

/* The class of a statement without a label.  Most of them were seen before as
 * they are; the others have literals that change. */
static unsigned id_of_sql(struct statements *s, const char *sql, size_t len,
                          bool prepared)
{
  char normal[STATEMENT_BYTES];
  struct statement_seen *seen;
  const char *text = sql;
  size_t n = len;

  if (prepared && len > STATEMENT_BYTES)
    n = len = STATEMENT_BYTES;
  seen = seen_place(s, sql, len);
  if (seen->len == len && len > 0 && seen->prepared == prepared &&
      memcmp(seen->text, sql, len) == 0)
    return seen->id;
  if (!prepared) {
    n = statement_normal(sql, len, normal, sizeof(normal));
    text = normal;
  }
  if (n < len || len > STATEMENT_BYTES || memcmp(text, sql, len) != 0)
    return id_of_text(s, text, n);
  seen->len = len;
  seen->prepared = prepared;
  memcpy(seen->text, sql, len);
  seen->id = id_of_text(s, text, n);
  return seen->id;
}

void statement_ended(void *arg, void *label, const char *sql, size_t len,
                     const struct stmt_sample *sample)
{
  const bool prepared = label == (const void *)&statement_prepared;
  struct statements *s = arg;
  const struct class_outcome outcome = {
    .failed = sample->failed,
    .rows = sample->nrows,
  };
  unsigned id;

  if (!*s->counting)
    return;
  if (label && !prepared)
    id = id_of_label(s, label);
  else
    id = id_of_sql(s, sql, len, prepared);
  class_record(s->recorder, id, sample->latency_ns, &outcome);
}
