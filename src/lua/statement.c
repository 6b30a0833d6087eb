/*
 * statement.c - from a statement to its class.
 */
#include "lua/statement.h"

#include <ctype.h>
#include <string.h>

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

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c < 0;
}

/* The end of a number: digits, letters of 0x1F, 1e5 and the sign of 1e-5. */
static size_t number_end(const char *sql, size_t len, size_t at)
{
  for (; at < len; at++) {
    const char c = sql[at];

    if (isalnum((unsigned char)c) || c == '.')
      continue;
    if ((c == '-' || c == '+') && (sql[at - 1] == 'e' || sql[at - 1] == 'E'))
      continue;
    break;
  }
  return at;
}

size_t statement_normal(const char *sql, size_t len, char *out, size_t room)
{
  size_t n = 0;

  for (size_t at = 0; at < len && n < room;) {
    const char c = sql[at];

    if (c == '\'') {
      at = quoted_end(sql, len, at);
      out[n++] = '?';
    } else if (isdigit((unsigned char)c) &&
               (at == 0 || !is_name(sql[at - 1]))) {
      at = number_end(sql, len, at);
      out[n++] = '?';
    } else if (isspace((unsigned char)c)) {
      if (n > 0 && out[n - 1] != ' ')
        out[n++] = ' ';
      at++;
    } else if (c == '"' || c == '`') {
      const size_t end = quoted_end(sql, len, at);

      while (at < end && n < room)
        out[n++] = sql[at++];
    } else {
      out[n++] = c;
      at++;
    }
  }
  while (n > 0 && out[n - 1] == ' ')
    n--;
  return n;
}

/* ---- classes ---- */

/* FNV-1a; never 0. */
static uint64_t hash_of(const char *text, size_t len)
{
  uint64_t h = UINT64_C(0xcbf29ce484222325);

  for (size_t i = 0; i < len; i++)
    h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
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

void statement_ended(void *arg, void *label, const char *sql, size_t len,
                     const struct stmt_sample *sample)
{
  struct statements *s = arg;
  const struct class_outcome outcome = {
    .failed = sample->failed,
    .rows = sample->nrows,
  };
  char text[STATEMENT_BYTES];
  unsigned id;

  if (!*s->counting)
    return;
  if (label && label != (const void *)&statement_prepared)
    id = id_of_label(s, label);
  else if (label)
    id = id_of_text(s, sql, len < STATEMENT_BYTES ? len : STATEMENT_BYTES);
  else
    id = id_of_text(s, text, statement_normal(sql, len, text, sizeof(text)));
  class_record(s->recorder, id, sample->latency_ns, &outcome);
}
