/*
 * columns.c - the names of the columns that a statement returns, from its text.
 *
 * Drivers do not report names, and the text is known before the run: so a
 * variable that no statement sets is found early.  Each column needs a name
 * that can be seen: `AS name`, or a plain column.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "db/emul.h"
#include "sqlfile/reading.h"

struct token {
  const char *at;
  size_t len; /* 0: the statement has ended */
  bool word;  /* a name or a keyword, perhaps a quoted one */
  bool quoted;
};

/* The text of the statement being read. */
struct lexer {
  struct reading *r;
  const char *text;
  size_t len, pos;
  const char *command; /* the place of \gset in the file */
};

static bool is_name_byte(char c)
{
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t word_length(const struct lexer *x, size_t at)
{
  size_t n = 0;

  while (at + n < x->len && is_name_byte(x->text[at + n]))
    n++;
  return n;
}

static bool is_comment(const struct lexer *x, size_t at, size_t len)
{
  return len > 1 &&
         (x->text[at] == '-' || x->text[at] == '/' || x->text[at] == '#');
}

/* The next token; comments and blanks are passed over. */
static struct token next(struct lexer *x)
{
  while (x->pos < x->len) {
    const size_t at = x->pos;
    const char c = x->text[at];
    bool open = false;
    size_t n;

    if (isspace((unsigned char)c)) {
      x->pos++;
      continue;
    }
    n = emul_skip(x->text, x->len, at, x->r->dialect, &open);
    if (n > 0) {
      x->pos += n;
      if (is_comment(x, at, n))
        continue;
      return (struct token){ .at = x->text + at,
                             .len = n,
                             .word = c == '"' || c == '`' || c == '[',
                             .quoted = true };
    }
    n = word_length(x, at);
    x->pos += n ? n : 1;
    return (struct token){ .at = x->text + at,
                           .len = n ? n : 1,
                           .word = n > 0 && !isdigit((unsigned char)c) };
  }
  return (struct token){ .at = x->text + x->len };
}

static bool is(const struct token *t, const char *word)
{
  return !t->quoted && strlen(word) == t->len &&
         strncasecmp(t->at, word, t->len) == 0;
}

/* Skips what is inside parentheses. */
static struct token next_outside(struct lexer *x)
{
  struct token t = next(x);
  unsigned depth = 0;

  while (t.len > 0 && (is(&t, "(") || depth > 0)) {
    depth += is(&t, "(");
    depth -= is(&t, ")");
    if (depth == 0)
      return t;
    t = next(x);
  }
  return t;
}

/* Goes to the list of columns: after RETURNING if there is one, or else after
 * the first SELECT. */
static bool find_list(struct lexer *x)
{
  size_t after_select = 0, after_returning = 0;
  struct token t;

  while ((t = next_outside(x)).len > 0) {
    if (is(&t, "select") && after_select == 0)
      after_select = x->pos;
    else if (is(&t, "returning"))
      after_returning = x->pos;
  }
  x->pos = after_returning ? after_returning : after_select;
  return x->pos > 0;
}

static bool ends_list(const struct token *t)
{
  static const char *const words[] = { "from",   "where",    "group", "having",
                                       "window", "union",    "order", "limit",
                                       "offset", "fetch",    "for",   "except",
                                       "into",   "intersect" };

  if (t->len == 0)
    return true;
  for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
    if (is(t, words[i]))
      return true;
  }
  return false;
}

/* ---- variables ---- */

/* The name as the server returns it: without quotes; PostgreSQL makes names
 * that have none small. */
static int add_column(struct lexer *x, struct sqlfile_statement *s,
                      const struct token *t, const char *prefix,
                      size_t prefix_len)
{
  const size_t quotes = t->quoted ? 1 : 0;
  const size_t len = t->len - 2 * quotes;
  char name[256];
  unsigned *bigger;
  int variable;

  if (prefix_len + len >= sizeof(name) || len == 0)
    return reading_fail(x->r, x->command, "the name of column %u is too long",
                        s->n_columns + 1);
  memcpy(name, prefix, prefix_len);
  memcpy(name + prefix_len, t->at + quotes, len);
  if (!t->quoted && x->r->dialect & EMUL_DOLLAR) {
    for (size_t i = prefix_len; i < prefix_len + len; i++)
      name[i] = (char)tolower((unsigned char)name[i]);
  }
  variable = reading_variable(x->r, name, prefix_len + len);
  if (variable < 0)
    return variable;
  if (x->r->file->variable[variable].text)
    return reading_fail(x->r, x->command,
                        "the variable '%.*s' is a text that --define gives, "
                        "and cannot be set",
                        (int)(prefix_len + len), name);
  bigger = reallocarray(s->column, s->n_columns + 1, sizeof(*bigger));
  if (!bigger)
    return reading_no_memory(x->r);
  s->column = bigger;
  s->column[s->n_columns++] = (unsigned)variable;
  return 0;
}

/* One item of the list, up to its comma or the end of the list, which *ret_end
 * becomes.  *ret_name is its name; len 0: it has none. */
static void read_item(struct lexer *x, struct token *ret_name,
                      struct token *ret_end)
{
  struct token t = next_outside(x), before = { 0 };
  bool plain = true; /* words with dots between them */
  bool named = false;

  *ret_name = (struct token){ 0 };
  for (; !ends_list(&t) && !is(&t, ","); t = next_outside(x)) {
    const bool dot = is(&t, ".");

    named = is(&before, "as");
    plain = plain && (dot ? before.word : t.word && !before.word);
    before = t;
  }
  if (before.word && (named || plain))
    *ret_name = before;
  *ret_end = t;
}

int reading_columns(struct reading *r, struct sqlfile_statement *s,
                    const char *at, const char *prefix, size_t prefix_len)
{
  struct lexer x = { r, s->text, s->len, 0, at };
  struct token name, end;
  size_t begin;
  int rc = 0;

  if (!find_list(&x))
    return reading_fail(r, at,
                        "the statement before has no SELECT and no "
                        "RETURNING");
  begin = x.pos;
  name = next(&x);
  if (!is(&name, "distinct") && !is(&name, "all"))
    x.pos = begin;
  do {
    read_item(&x, &name, &end);
    if (name.len == 0)
      return reading_fail(r, at,
                          "column %u of the statement before has no name that "
                          "can be seen; write EXPRESSION AS NAME",
                          s->n_columns + 1);
    rc = add_column(&x, s, &name, prefix, prefix_len);
  } while (rc == 0 && is(&end, ","));
  return rc;
}
