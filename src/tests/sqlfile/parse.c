#include "tests/sqlfile/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "db/emul.h"

struct draft {
  struct reading *r;
  struct strbuf text;
  const char *from; /* text before it has no influence */
  unsigned *param;  /* owned */
  unsigned n_params, room;
  const char *paren[64]; /* open parentheses, as far as known */
  unsigned n_open;
};

/* Two adjacent question marks would be a literal one. */
static void statement_keep_apart(struct draft *d)
{
  if (d->text.len > 0 && d->text.text[d->text.len - 1] == '?')
    strbuf_add(&d->text, " ", 1);
}

static int statement_add_param(struct draft *d, unsigned variable)
{
  if (d->n_params == d->room) {
    const unsigned room = d->room ? 2 * d->room : 8;
    unsigned *bigger = reallocarray(d->param, room, sizeof(*bigger));

    if (!bigger)
      return reading_no_memory(d->r);
    d->param = bigger;
    d->room = room;
  }
  d->param[d->n_params++] = variable;
  statement_keep_apart(d);
  strbuf_add(&d->text, "?", 1);
  return 0;
}

/* Two colons are a cast. */
static int statement_take_colon(struct draft *d)
{
  struct reading *r = d->r;
  const size_t len = reading_name(r, r->p + 1);
  const char *at = r->p;
  int variable;

  if (len == 0) {
    while (r->p < r->end && *r->p == ':')
      r->p++;
    if (r->p - at > 1) /* :: and the name of a type */
      r->p += reading_name(r, r->p);
    strbuf_add(&d->text, at, (size_t)(r->p - at));
    return 0;
  }
  variable = reading_use(r, at + 1, len);
  if (variable < 0)
    return variable;
  r->p += 1 + len;
  d->from = r->p; /* :e'x' is no E'x' */
  if (!r->file->variable[variable].text)
    return statement_add_param(d, (unsigned)variable);
  strbuf_adds(&d->text, r->file->variable[variable].text);
  return 0;
}

/* Variables inside quotes are not replaced; probably a mistake. */
static int statement_check_quoted(struct reading *r, const char *from,
                                  const char *to)
{
  for (const char *p = from; (p = memchr(p, ':', (size_t)(to - p))); p++) {
    const size_t len = reading_name(r, p + 1);

    if (len > 0 && (p == from || p[-1] != ':') &&
        reading_find(r, p + 1, len) >= 0)
      return reading_fail(r, p,
                          "the variable :%.*s is inside quotes, where it is "
                          "not replaced",
                          (int)len, p + 1);
  }
  return 0;
}

static int statement_take_region(struct draft *d, bool *ret_taken)
{
  struct reading *r = d->r;
  const char *at = r->p;
  bool open = false;
  const size_t len = emul_skip(d->from, (size_t)(r->end - d->from),
                               (size_t)(at - d->from), r->dialect, &open);
  const bool comment = *at == '-' || *at == '/' || *at == '#';

  *ret_taken = len > 0;
  if (open)
    return reading_fail(r, at, "the %s that begins here has no end",
                        comment ? "comment" : "quoted text");
  strbuf_add(&d->text, at, len);
  r->p += len;
  return comment || len == 0 ? 0 : statement_check_quoted(r, at, at + len);
}

static int statement_take_question_mark(struct draft *d)
{
  struct reading *r = d->r;

  if (!(r->dialect & EMUL_DOUBLED))
    return reading_fail(r, r->p,
                        "'?' stands for a parameter that gets no value; write "
                        "a variable: :NAME");
  r->p++;
  statement_keep_apart(d);
  strbuf_adds(&d->text, "??"); /* a literal one */
  return 0;
}

static void statement_count_parens(struct draft *d, const char *at)
{
  const unsigned known = sizeof(d->paren) / sizeof(d->paren[0]);

  if (*at == '(' && d->n_open++ < known)
    d->paren[d->n_open - 1] = at;
  else if (*at == ')' && d->n_open > 0)
    d->n_open--;
}

/* Reads past the terminator, which is not part of the text. */
static int statement_read_text(struct draft *d)
{
  struct reading *r = d->r;
  int rc = 0;

  while (rc == 0 && r->p < r->end && *r->p != '\\') {
    bool taken = false;

    rc = statement_take_region(d, &taken);
    if (rc < 0 || taken)
      continue;
    if (*r->p == ';' && d->n_open == 0) {
      r->p++;
      return 0;
    }
    if (*r->p == ':') {
      rc = statement_take_colon(d);
    } else if (*r->p == '?') {
      rc = statement_take_question_mark(d);
    } else {
      statement_count_parens(d, r->p);
      strbuf_add(&d->text, r->p++, 1);
    }
  }
  if (rc == 0 && d->n_open > 0 &&
      d->n_open <= sizeof(d->paren) / sizeof(d->paren[0]))
    return reading_fail(r, d->paren[d->n_open - 1],
                        "the parenthesis that opens here is not closed before "
                        "the end of the statement");
  return rc;
}

static void statement_trim(struct strbuf *b)
{
  while (b->len > 0 && isspace((unsigned char)b->text[b->len - 1]))
    b->text[--b->len] = '\0';
}

static int statement_keep(struct draft *d, const char *at)
{
  struct reading *r = d->r;
  struct sqlfile_step *step = reading_add_step(r, SQLFILE_SQL, at);
  struct sqlfile_statement *s = step ? reading_add_statement(r) : NULL;

  if (!s)
    return -ENOMEM;
  step->statement = (unsigned)r->file->n_statements - 1;
  *s = (struct sqlfile_statement){
    .text = d->text.text,
    .len = d->text.len,
    .at = reading_at(r, at),
    .n_params = d->n_params,
    .param = d->param,
  };
  d->text = (struct strbuf){ 0 };
  d->param = NULL;
  return 0;
}

/* With its terminator; p is at its first character. */
static int reading_statement(struct reading *r)
{
  struct draft d = { .r = r, .from = r->p };
  const char *at = r->p;
  int rc = statement_read_text(&d);

  statement_trim(&d.text);
  if (rc == 0 && d.text.failed)
    rc = reading_no_memory(r);
  if (rc == 0 && d.text.len > 0)
    rc = statement_keep(&d, at);
  strbuf_done(&d.text);
  free(d.param);
  return rc;
}

/* ---- the names of the columns that a statement returns ---- */

struct token {
  const char *at;
  size_t len; /* 0: the statement has ended */
  bool word;  /* a name or a keyword, perhaps quoted */
  bool quoted;
};

struct lexer {
  struct reading *r;
  const char *text;
  size_t len, pos;
  const char *command; /* the place of \gset */
};

static bool columns_is_name_byte(char c)
{
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t columns_word_length(const struct lexer *x, size_t at)
{
  size_t n = 0;

  while (at + n < x->len && columns_is_name_byte(x->text[at + n]))
    n++;
  return n;
}

static bool columns_is_comment(const struct lexer *x, size_t at, size_t len)
{
  return len > 1 &&
         (x->text[at] == '-' || x->text[at] == '/' || x->text[at] == '#');
}

/* Skips comments and blanks. */
static struct token columns_next(struct lexer *x)
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
      if (columns_is_comment(x, at, n))
        continue;
      return (struct token){ .at = x->text + at,
                             .len = n,
                             .word = c == '"' || c == '`' || c == '[',
                             .quoted = true };
    }
    n = columns_word_length(x, at);
    x->pos += n ? n : 1;
    return (struct token){ .at = x->text + at,
                           .len = n ? n : 1,
                           .word = n > 0 && !isdigit((unsigned char)c) };
  }
  return (struct token){ .at = x->text + x->len };
}

static bool columns_is(const struct token *t, const char *word)
{
  return !t->quoted && strlen(word) == t->len &&
         strncasecmp(t->at, word, t->len) == 0;
}

/* Skips parentheses. */
static struct token columns_next_outside(struct lexer *x)
{
  struct token t = columns_next(x);
  unsigned depth = 0;

  while (t.len > 0 && (columns_is(&t, "(") || depth > 0)) {
    depth += columns_is(&t, "(");
    depth -= columns_is(&t, ")");
    if (depth == 0)
      return t;
    t = columns_next(x);
  }
  return t;
}

/* The list of columns follows RETURNING, or else the first SELECT. */
static bool columns_find_list(struct lexer *x)
{
  size_t after_select = 0, after_returning = 0;
  struct token t;

  while ((t = columns_next_outside(x)).len > 0) {
    if (columns_is(&t, "select") && after_select == 0)
      after_select = x->pos;
    else if (columns_is(&t, "returning"))
      after_returning = x->pos;
  }
  x->pos = after_returning ? after_returning : after_select;
  return x->pos > 0;
}

static bool columns_ends_list(const struct token *t)
{
  static const char *const words[] = { "from",   "where",    "group", "having",
                                       "window", "union",    "order", "limit",
                                       "offset", "fetch",    "for",   "except",
                                       "into",   "intersect" };

  if (t->len == 0)
    return true;
  for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
    if (columns_is(t, words[i]))
      return true;
  }
  return false;
}

/* The name as the server returns it: without quotes; PostgreSQL makes unquoted
 * names small. */
static int columns_add_column(struct lexer *x, struct sqlfile_statement *s,
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

/* One item of the list, up to its comma or the end of the list, *ret_end.
 * *ret_name: len 0 without a name. */
static void columns_read_item(struct lexer *x, struct token *ret_name,
                              struct token *ret_end)
{
  struct token t = columns_next_outside(x), before = { 0 };
  bool plain = true; /* words separated by dots */
  bool named = false;

  *ret_name = (struct token){ 0 };
  for (; !columns_ends_list(&t) && !columns_is(&t, ",");
       t = columns_next_outside(x)) {
    const bool dot = columns_is(&t, ".");

    named = columns_is(&before, "as");
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

  if (!columns_find_list(&x))
    return reading_fail(r, at,
                        "the statement before has no SELECT and no "
                        "RETURNING");
  begin = x.pos;
  name = columns_next(&x);
  if (!columns_is(&name, "distinct") && !columns_is(&name, "all"))
    x.pos = begin;
  do {
    columns_read_item(&x, &name, &end);
    if (name.len == 0)
      return reading_fail(r, at,
                          "column %u of the statement before has no name that "
                          "can be seen; write EXPRESSION AS NAME",
                          s->n_columns + 1);
    rc = columns_add_column(&x, s, &name, prefix, prefix_len);
  } while (rc == 0 && columns_is(&end, ","));
  return rc;
}

/* Case-insensitive, as in pgbench. */
static bool command_is_word(const char *at, size_t len, const char *word)
{
  return strlen(word) == len && strncasecmp(at, word, len) == 0;
}

static int command_expect_line_end(struct reading *r)
{
  reading_skip_blanks(r);
  return reading_at_line_end(r)
           ? 0
           : reading_fail(r, r->p, "unexpected '%c': the command is complete",
                          *r->p);
}

static int command_read_set(struct reading *r, const char *at)
{
  struct sqlfile_step *step;
  struct expr expr = { 0 };
  const char *name;
  int variable, rc;
  size_t len;

  reading_skip_blanks(r);
  name = r->p;
  len = reading_name(r, name);
  if (len == 0)
    return reading_fail(r, name,
                        "the name of the variable is missing: \\set "
                        "NAME EXPRESSION");
  r->p += len;
  variable = reading_find(r, name, len);
  if (variable >= 0 && r->file->variable[variable].text)
    return reading_fail(r, name,
                        "the variable '%.*s' is a text that --define gives, "
                        "and cannot be set",
                        (int)len, name);
  rc = reading_expr(r, &expr);
  if (rc == 0) /* not defined inside its own first expression */
    rc = variable = reading_variable(r, name, len);
  step = rc < 0 ? NULL : reading_add_step(r, SQLFILE_SET, at);
  if (!step) {
    expr_done(&expr);
    return rc < 0 ? rc : -ENOMEM;
  }
  step->variable = (unsigned)variable;
  step->expr = expr;
  return 0;
}

static int command_read_unit(struct reading *r, uint64_t *ret_ns)
{
  const char *at;
  size_t len;

  reading_skip_blanks(r);
  at = r->p;
  len = reading_name(r, at);
  *ret_ns = NS_PER_S;
  if (len == 0)
    return command_expect_line_end(r);
  if (command_is_word(at, len, "us"))
    *ret_ns = NS_PER_US;
  else if (command_is_word(at, len, "ms"))
    *ret_ns = NS_PER_MS;
  else if (!command_is_word(at, len, "s"))
    return reading_fail(r, at, "the unit '%.*s' is not one of us, ms, s",
                        (int)len, at);
  r->p += len;
  return command_expect_line_end(r);
}

/* Digits, which the unit may follow, or a variable. */
static int command_check_sleep(struct reading *r)
{
  reading_skip_blanks(r);
  if (r->p < r->end && (*r->p == ':' || (*r->p >= '0' && *r->p <= '9')))
    return 0;
  return reading_fail(r, r->p,
                      "\\sleep needs a number or a variable: \\sleep "
                      "NUMBER [us|ms|s]");
}

static int command_read_sleep(struct reading *r, const char *at)
{
  struct sqlfile_step *step;
  struct expr expr = { 0 };
  uint64_t unit_ns = 0;
  int rc = command_check_sleep(r);

  if (rc == 0)
    rc = reading_operand(r, &expr);
  if (rc == 0)
    rc = command_read_unit(r, &unit_ns);
  step = rc < 0 ? NULL : reading_add_step(r, SQLFILE_SLEEP, at);
  if (!step) {
    expr_done(&expr);
    return rc < 0 ? rc : -ENOMEM;
  }
  step->unit_ns = unit_ns;
  step->expr = expr;
  return 0;
}

static int command_read_condition(struct reading *r, const char *at,
                                  struct open_if *open)
{
  struct expr expr = { 0 };
  struct sqlfile_step *step;
  int rc = reading_expr(r, &expr);

  step = rc < 0 ? NULL : reading_add_step(r, SQLFILE_UNLESS, at);
  if (!step) {
    expr_done(&expr);
    return rc < 0 ? rc : -ENOMEM;
  }
  step->expr = expr;
  open->unless = (unsigned)r->file->n_steps - 1;
  return 0;
}

static int command_read_if(struct reading *r, const char *at)
{
  struct open_if *open;

  if (r->n_open == READING_IFS)
    return reading_fail(r, at, "more than %d \\if in each other", READING_IFS);
  open = &r->open[r->n_open++];
  *open = (struct open_if){ .at = at, .unless = NO_STEP, .jumps = NO_STEP };
  return command_read_condition(r, at, open);
}

static void command_land(struct reading *r, unsigned step)
{
  if (step != NO_STEP)
    r->file->step[step].to = (unsigned)r->file->n_steps;
}

/* Jumps to the end; another branch follows. */
static int command_end_branch(struct reading *r, const char *at,
                              struct open_if *open)
{
  struct sqlfile_step *step = reading_add_step(r, SQLFILE_JUMP, at);

  if (!step)
    return -ENOMEM;
  step->to = open->jumps;
  open->jumps = (unsigned)r->file->n_steps - 1;
  command_land(r, open->unless);
  open->unless = NO_STEP;
  return 0;
}

static void command_end_if(struct reading *r, const struct open_if *open)
{
  unsigned jump = open->jumps;

  command_land(r, open->unless);
  while (jump != NO_STEP) {
    const unsigned before = r->file->step[jump].to;

    command_land(r, jump);
    jump = before;
  }
}

static int command_read_branch(struct reading *r, const char *at,
                               const char *word, size_t len)
{
  struct open_if *open = r->n_open > 0 ? &r->open[r->n_open - 1] : NULL;
  int rc;

  if (!open)
    return reading_fail(r, at, "\\%.*s without \\if", (int)len, word);
  if (command_is_word(word, len, "endif")) {
    command_end_if(r, open);
    r->n_open--;
    return command_expect_line_end(r);
  }
  if (open->has_else)
    return reading_fail(r, at, "\\%.*s after \\else", (int)len, word);
  rc = command_end_branch(r, at, open);
  if (rc < 0)
    return rc;
  if (command_is_word(word, len, "elif"))
    return command_read_condition(r, at, open);
  open->has_else = true;
  return command_expect_line_end(r);
}

static int command_read_keep(struct reading *r, const char *at, bool one)
{
  struct sqlfile *file = r->file;
  struct sqlfile_statement *s;
  const char *prefix;
  size_t len;
  int rc;

  if (!r->after_statement)
    return reading_fail(r, at, "\\%cset has to follow a statement",
                        one ? 'g' : 'a');
  s = &file->statement[file->n_statements - 1];
  if (s->keep != SQLFILE_KEEP_NOTHING)
    return reading_fail(r, at, "the rows of this statement are already kept");
  reading_skip_blanks(r);
  prefix = r->p;
  len = reading_name(r, prefix);
  r->p += len;
  rc = command_expect_line_end(r);
  if (rc == 0)
    rc = reading_columns(r, s, at, prefix, len);
  if (rc == 0)
    s->keep = one ? SQLFILE_KEEP_ROW : SQLFILE_KEEP_LAST;
  return rc;
}

static int command_refuse(struct reading *r, const char *at, const char *word,
                          size_t len)
{
  static const char *const known[] = { "setshell",      "shell",
                                       "startpipeline", "syncpipeline",
                                       "endpipeline",   "setrandom" };

  if (len == 0 && r->p < r->end && *r->p == ';')
    return reading_fail(r, at,
                        "'\\;' is not supported: end the statement "
                        "with ';'");
  if (command_is_word(word, len, "setrandom"))
    return reading_fail(r, at,
                        "\\setrandom is not supported: write \\set NAME "
                        "random(FROM, TO)");
  for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
    if (command_is_word(word, len, known[i]))
      return reading_fail(r, at, "\\%s is not supported", known[i]);
  }
  return reading_fail(r, at,
                      "there is no command '\\%.*s'; the commands are \\set, "
                      "\\sleep, \\if, \\elif, \\else, \\endif, \\gset and "
                      "\\aset",
                      (int)len, word);
}

static int reading_command(struct reading *r)
{
  const char *at = r->p++;
  const char *word = r->p;
  const size_t len = reading_name(r, word);

  r->p += len;
  if (command_is_word(word, len, "set"))
    return command_read_set(r, at);
  if (command_is_word(word, len, "sleep"))
    return command_read_sleep(r, at);
  if (command_is_word(word, len, "if"))
    return command_read_if(r, at);
  if (command_is_word(word, len, "elif") ||
      command_is_word(word, len, "else") || command_is_word(word, len, "endif"))
    return command_read_branch(r, at, word, len);
  if (command_is_word(word, len, "gset") || command_is_word(word, len, "aset"))
    return command_read_keep(r, at, command_is_word(word, len, "gset"));
  r->p = word + len;
  return command_refuse(r, at, word, len);
}

enum {
  MAX_BYTES = 16 << 20,
};

struct sqlfile_place sqlfile_place(const char *text, uint32_t at)
{
  struct sqlfile_place place = { 1, 1 };

  for (const char *p = text; p < text + at; p++) {
    if (*p == '\n') {
      place.line++;
      place.column = 1;
    } else if (((unsigned char)*p & 0xC0) != 0x80) {
      place.column++;
    }
  }
  return place;
}

/* Other texts, such as the name of a table, and words that pgbench would read
 * as a boolean, are replaced in the text of statements. */
static bool sqlfile_is_value(const char *text, struct value *ret)
{
  return value_read(text, strlen(text), ret) &&
         (!isalpha((unsigned char)*text) || strcasecmp(text, "true") == 0 ||
          strcasecmp(text, "false") == 0 || strcasecmp(text, "null") == 0);
}

static int sqlfile_define(struct reading *r, const char *line, size_t len)
{
  const char *equals = memchr(line, '=', len);
  const size_t name_len = equals ? (size_t)(equals - line) : 0;
  struct sqlfile_variable *v;
  char *text;
  int number;

  if (name_len == 0 || reading_name(r, line) != name_len)
    return err_set(r->err, -EINVAL,
                   "--define=%.*s: expected NAME=VALUE, where NAME has "
                   "letters, digits and underscores",
                   (int)len, line);
  number = reading_variable(r, line, name_len);
  text = mem_strndup(equals + 1, len - name_len - 1);
  if (number < 0 || !text) {
    free(text);
    return number < 0 ? number : reading_no_memory(r);
  }
  v = &r->file->variable[number];
  free(v->text);
  v->text = NULL;
  v->defined = true;
  if (sqlfile_is_value(text, &v->initial))
    free(text);
  else
    v->text = text;
  return 0;
}

static int sqlfile_define_all(struct reading *r, const char *lines)
{
  int rc = 0;

  while (lines && *lines && rc == 0) {
    const size_t len = strcspn(lines, "\n");

    r->end = lines + len;
    rc = sqlfile_define(r, lines, len);
    lines += len + (lines[len] == '\n');
  }
  return rc;
}

static int sqlfile_add_builtins(struct reading *r)
{
  static const char *const names[SQLFILE_BUILTINS] = {
    [SQLFILE_CLIENT_ID] = "client_id",
    [SQLFILE_SCALE] = "scale",
    [SQLFILE_RANDOM_SEED] = "random_seed",
    [SQLFILE_DEFAULT_SEED] = "default_seed",
  };

  for (int i = 0; i < SQLFILE_BUILTINS; i++) {
    if (reading_variable(r, names[i], strlen(names[i])) < 0)
      return -ENOMEM;
  }
  r->file->variable[SQLFILE_SCALE].initial = value_int(1);
  return 0;
}

/* A comment between statements, without SQL. */
static size_t sqlfile_comment_length(const struct reading *r, bool *ret_open)
{
  const size_t left = (size_t)(r->end - r->p);
  const char c = *r->p;

  if (c != '-' && c != '/' && c != '#')
    return 0;
  if (c == '/' && r->dialect & EMUL_CODE_COMMENT && left > 2 &&
      (r->p[2] == '!' || (r->p[2] == 'M' && left > 3 && r->p[3] == '!')))
    return 0;
  return emul_skip(r->text, (size_t)(r->end - r->text),
                   (size_t)(r->p - r->text), r->dialect, ret_open);
}

static int sqlfile_skip_nothing(struct reading *r)
{
  while (r->p < r->end) {
    bool open = false;
    size_t n = 1;

    if (!isspace((unsigned char)*r->p) && *r->p != ';')
      n = sqlfile_comment_length(r, &open);
    if (open)
      return reading_fail(r, r->p, "the comment that begins here has no end");
    if (n == 0)
      return 0;
    r->p += n;
  }
  return 0;
}

static int sqlfile_read_all(struct reading *r)
{
  int rc = sqlfile_skip_nothing(r);

  while (rc == 0 && r->p < r->end) {
    if (*r->p == '\\') {
      rc = reading_command(r);
      r->after_statement = false;
    } else {
      rc = reading_statement(r);
      r->after_statement = true;
    }
    if (rc == 0)
      rc = sqlfile_skip_nothing(r);
  }
  if (rc == 0 && r->n_open > 0)
    return reading_fail(r, r->open[r->n_open - 1].at, "\\if without \\endif");
  return rc;
}

static int sqlfile_read_file(struct reading *r)
{
  const char *zero = memchr(r->text, '\0', (size_t)(r->end - r->text));
  int rc;

  if (zero)
    return reading_fail(r, zero,
                        "a byte of a text file cannot be zero; is it "
                        "UTF-8?");
  rc = sqlfile_read_all(r);
  if (rc == 0 && r->file->n_statements == 0)
    return err_set(r->err, -EINVAL, "'%s' has no SQL statement", r->file->name);
  return rc;
}

static int sqlfile_parse_text(struct reading *r,
                              const struct sqlfile_setup *setup)
{
  static const char mark[] = "\xEF\xBB\xBF"; /* UTF-8 byte order mark */
  const bool marked = setup->len >= 3 && memcmp(setup->text, mark, 3) == 0;
  struct sqlfile *file = r->file;
  int rc;

  file->name = mem_strdup(setup->name);
  file->source = mem_strndup(setup->text, setup->len);
  if (!file->name || !file->source)
    return err_set(r->err, -ENOMEM, "not enough memory");
  if (setup->len > MAX_BYTES)
    return err_set(r->err, -EINVAL, "'%s' is larger than 16 MB", file->name);
  rc = sqlfile_add_builtins(r);
  if (rc == 0)
    rc = sqlfile_define_all(r, setup->defines);
  if (rc < 0)
    return rc;
  r->text = r->p = file->source;
  r->end = file->source + setup->len - (marked ? 3 : 0);
  if (marked)
    memmove(file->source, file->source + 3, setup->len - 3 + 1);
  return sqlfile_read_file(r);
}

int sqlfile_parse(struct sqlfile **ret, const struct sqlfile_setup *setup,
                  struct err *err)
{
  struct reading r = { .dialect = setup->dialect, .err = err };
  int rc;

  r.file = calloc(1, sizeof(*r.file));
  if (!r.file)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = sqlfile_parse_text(&r, setup);
  if (rc < 0) {
    sqlfile_free(r.file);
    return rc;
  }
  *ret = r.file;
  return 0;
}

void sqlfile_free(struct sqlfile *file)
{
  if (!file)
    return;
  for (size_t i = 0; i < file->n_steps; i++)
    expr_done(&file->step[i].expr);
  for (size_t i = 0; i < file->n_statements; i++) {
    free(file->statement[i].text);
    free(file->statement[i].param);
    free(file->statement[i].column);
  }
  for (size_t i = 0; i < file->n_variables; i++) {
    free(file->variable[i].name);
    free(file->variable[i].text);
  }
  free(file->step);
  free(file->statement);
  free(file->variable);
  free(file->source);
  free(file->name);
  free(file);
}
