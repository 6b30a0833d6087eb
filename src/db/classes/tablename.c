/*
 * tablename.c - where the names of tables are in a statement.
 *
 * This is no parser of SQL: it follows the few words after which a table is
 * named, and gives up the list of tables at whatever does not belong to one.
 */
#include "db/classes/tablename.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"

enum {
  NAMES_MAX = 32,  /* with a number, of one statement; others stay */
  ALIAS_WORDS = 2, /* AS x */
  DEPTH_MAX = 63,
};

enum token {
  TOKEN_END,
  TOKEN_WORD,
  TOKEN_QUOTED, /* a name in quotes */
  TOKEN_DOT,
  TOKEN_COMMA,
  TOKEN_OPEN,
  TOKEN_CLOSE,
  TOKEN_OTHER,
};

/* A piece of the text. */
struct piece {
  size_t from, to;
};

/* Where in a statement the reader is. */
enum place {
  ELSEWHERE,
  BEFORE_TABLE, /* its name comes next */
  AFTER_TABLE,  /* a comma may lead to another one */
};

struct name {
  struct piece text;
  size_t digits; /* where its number begins */
  bool is_table;
};

struct reader {
  const char *sql;
  size_t at, end;
  struct piece now, before; /* words: this one, and the last one before */
  enum place place;
  bool is_list, may_call; /* after these keywords: a,b; f(x) */
  unsigned alias;         /* words after the name of a table */
  unsigned depth;         /* of parentheses */
  uint64_t queries;       /* bit n: depth n is inside of a query */
  size_t n;
  struct name name[NAMES_MAX];
};

/* ---- tokens ---- */

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '$' ||
         (unsigned char)c >= 0x80;
}

static bool is_blank(char c)
{
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The place after the closing quote, or the end. */
static size_t after_quote(const struct reader *r, size_t at, char quote)
{
  while (at < r->end && r->sql[at] != quote)
    at += quote == '\'' && r->sql[at] == '\\' ? 2 : 1;
  return at < r->end ? at + 1 : r->end;
}

static size_t after_comment(const struct reader *r, size_t at)
{
  while (at + 1 < r->end && (r->sql[at] != '*' || r->sql[at + 1] != '/'))
    at++;
  return at + 1 < r->end ? at + 2 : r->end;
}

static void skip_blanks(struct reader *r)
{
  while (r->at < r->end) {
    if (is_blank(r->sql[r->at]))
      r->at++;
    else if (r->end - r->at > 1 && memcmp(&r->sql[r->at], "/*", 2) == 0)
      r->at = after_comment(r, r->at + 2);
    else
      break;
  }
}

static size_t after_word(const struct reader *r, size_t at)
{
  while (at < r->end && (is_letter(r->sql[at]) || is_digit(r->sql[at])))
    at++;
  return at;
}

static enum token mark_of(char c)
{
  switch (c) {
  case '.':
    return TOKEN_DOT;
  case ',':
    return TOKEN_COMMA;
  case '(':
    return TOKEN_OPEN;
  case ')':
    return TOKEN_CLOSE;
  default:
    return TOKEN_OTHER;
  }
}

/* The text of words is in r->now then. */
static enum token next(struct reader *r)
{
  char c;

  skip_blanks(r);
  if (r->at >= r->end)
    return TOKEN_END;
  c = r->sql[r->at];
  if (is_letter(c)) {
    r->now = (struct piece){ r->at, after_word(r, r->at) };
    r->at = r->now.to;
    return TOKEN_WORD;
  }
  if (c == '"' || c == '`') {
    const size_t to = after_quote(r, r->at + 1, c);

    r->now = (struct piece){ r->at + 1, to > r->at + 1 ? to - 1 : to };
    r->at = to;
    return TOKEN_QUOTED;
  }
  if (c == '\'')
    r->at = after_quote(r, r->at + 1, c);
  else
    r->at = is_digit(c) ? after_word(r, r->at) : r->at + 1;
  return mark_of(c);
}

/* Does this byte come next?  Nothing is read. */
static bool is_next(struct reader *r, char c)
{
  skip_blanks(r);
  return r->at < r->end && r->sql[r->at] == c;
}

/* ---- words ---- */

static bool is_word(const struct reader *r, struct piece p, const char *word)
{
  const size_t len = strlen(word);

  return p.to - p.from == len && strncasecmp(&r->sql[p.from], word, len) == 0;
}

static bool is_one_of(const struct reader *r, struct piece p,
                      const char *const *words, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (is_word(r, p, words[i]))
      return true;
  }
  return false;
}

/* FROM names tables in a query, and other things in a function or an operator:
 * EXTRACT(YEAR FROM x), IS DISTINCT FROM x. */
static bool is_from(const struct reader *r)
{
  return is_word(r, r->now, "from") && !is_word(r, r->before, "distinct") &&
         r->depth <= DEPTH_MAX && (r->queries >> r->depth & 1);
}

/* UPDATE is also a part of other clauses: FOR UPDATE, ON DUPLICATE KEY UPDATE,
 * DO UPDATE. */
static bool is_update(const struct reader *r)
{
  static const char *const clauses[] = { "for", "key", "do", "on" };

  return is_word(r, r->now, "update") &&
         !is_one_of(r, r->before, clauses, ARRAY_SIZE(clauses));
}

/* A word after which a table comes. */
static bool leads_to_table(struct reader *r)
{
  const bool from = is_from(r), join = is_word(r, r->now, "join");
  const bool into = is_word(r, r->now, "into"), update = is_update(r);
  const bool table = is_word(r, r->now, "table") ||
                     is_word(r, r->now, "tables");

  if (!from && !join && !into && !update && !table)
    return false;
  r->place = BEFORE_TABLE;
  r->is_list = from || update || table;
  r->may_call = from || join;
  return true;
}

/* ---- names ---- */

/* A name with a number is remembered. */
static void note(struct reader *r, bool is_table)
{
  size_t digits = r->now.to;

  while (digits > r->now.from && is_digit(r->sql[digits - 1]))
    digits--;
  if (digits == r->now.to || digits == r->now.from || r->n == NAMES_MAX)
    return;
  r->name[r->n++] = (struct name){ r->now, digits, is_table };
}

/* A name in the place of a table; what precedes a dot is a schema. */
static void table_named(struct reader *r)
{
  if (is_next(r, '.'))
    return;
  if (!r->may_call || !is_next(r, '('))
    note(r, true);
  r->place = AFTER_TABLE;
  r->alias = 0;
}

static void name_read(struct reader *r)
{
  if (r->place == BEFORE_TABLE) {
    table_named(r);
    return;
  }
  if (is_next(r, '.'))
    note(r, false);
  if (r->place == AFTER_TABLE && ++r->alias > ALIAS_WORDS)
    r->place = ELSEWHERE;
}

static void word_read(struct reader *r)
{
  static const char *const between[] = { "only",   "if",      "not",
                                         "exists", "ignore",  "low_priority",
                                         "quick",  "lateral", "delayed" };

  if (is_word(r, r->now, "select") || is_word(r, r->now, "delete")) {
    if (r->depth <= DEPTH_MAX)
      r->queries |= UINT64_C(1) << r->depth;
    r->place = ELSEWHERE;
  } else if (!leads_to_table(r) &&
             !(r->place == BEFORE_TABLE &&
               is_one_of(r, r->now, between, ARRAY_SIZE(between)))) {
    name_read(r);
  }
}

static void opened(struct reader *r)
{
  r->depth++;
  if (r->depth <= DEPTH_MAX)
    r->queries &= ~(UINT64_C(1) << r->depth);
  if (r->place != BEFORE_TABLE) /* FROM (a JOIN b) */
    r->place = ELSEWHERE;
}

static void mark_read(struct reader *r, enum token token)
{
  switch (token) {
  case TOKEN_DOT:
    break;
  case TOKEN_COMMA:
    r->place = r->place == AFTER_TABLE && r->is_list ? BEFORE_TABLE : ELSEWHERE;
    break;
  case TOKEN_OPEN:
    opened(r);
    break;
  case TOKEN_CLOSE:
    r->depth -= r->depth > 0;
    r->place = ELSEWHERE;
    break;
  default:
    r->place = ELSEWHERE;
  }
}

static void read_all(struct reader *r)
{
  enum token token;

  while ((token = next(r)) != TOKEN_END) {
    if (token == TOKEN_WORD)
      word_read(r);
    else if (token == TOKEN_QUOTED)
      name_read(r);
    else
      mark_read(r, token);
    if (token == TOKEN_WORD)
      r->before = r->now;
    else
      r->before = (struct piece){ 0, 0 };
  }
}

/* ---- the whole ---- */

/* In front of a dot: is a table of this statement called so? */
static bool is_tables_name(const struct reader *r, const struct name *name)
{
  const size_t len = name->text.to - name->text.from;

  for (size_t i = 0; i < r->n; i++) {
    const struct piece *t = &r->name[i].text;

    if (r->name[i].is_table && t->to - t->from == len &&
        memcmp(&r->sql[t->from], &r->sql[name->text.from], len) == 0)
      return true;
  }
  return false;
}

size_t tablename_merge(char *sql, size_t len)
{
  struct reader r = { .sql = sql, .end = len, .queries = 1 };
  bool merged[NAMES_MAX];
  size_t to = 0, from = 0;

  read_all(&r);
  for (size_t i = 0; i < r.n; i++)
    merged[i] = r.name[i].is_table || is_tables_name(&r, &r.name[i]);
  for (size_t i = 0; i < r.n; i++) {
    if (!merged[i])
      continue;
    memmove(&sql[to], &sql[from], r.name[i].digits - from);
    to += r.name[i].digits - from;
    sql[to++] = '#';
    from = r.name[i].text.to;
  }
  if (from == 0)
    return len;
  memmove(&sql[to], &sql[from], len - from);
  to += len - from;
  return to < TABLENAME_BYTES ? to : TABLENAME_BYTES;
}
