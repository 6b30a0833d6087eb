/*
 * command.c - parses the commands that begin with a backslash.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "sqlfile/reading.h"

/* Small and capital letters are the same, as in pgbench. */
static bool is_word(const char *at, size_t len, const char *word)
{
  return strlen(word) == len && strncasecmp(at, word, len) == 0;
}

static int expect_line_end(struct reading *r)
{
  reading_skip_blanks(r);
  return reading_at_line_end(r)
           ? 0
           : reading_fail(r, r->p, "unexpected '%c': the command is complete",
                          *r->p);
}

/* ---- \set, \sleep ---- */

static int read_set(struct reading *r, const char *at)
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
  if (rc == 0) /* from here on; not inside its own first expression */
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

static int read_unit(struct reading *r, uint64_t *ret_ns)
{
  const char *at;
  size_t len;

  reading_skip_blanks(r);
  at = r->p;
  len = reading_name(r, at);
  *ret_ns = NS_PER_S;
  if (len == 0)
    return expect_line_end(r);
  if (is_word(at, len, "us"))
    *ret_ns = NS_PER_US;
  else if (is_word(at, len, "ms"))
    *ret_ns = NS_PER_MS;
  else if (!is_word(at, len, "s"))
    return reading_fail(r, at, "the unit '%.*s' is not one of us, ms, s",
                        (int)len, at);
  r->p += len;
  return expect_line_end(r);
}

/* The operand of \sleep: digits, which the unit may follow at once, or a
 * variable. */
static int check_sleep(struct reading *r)
{
  reading_skip_blanks(r);
  if (r->p < r->end && (*r->p == ':' || (*r->p >= '0' && *r->p <= '9')))
    return 0;
  return reading_fail(r, r->p,
                      "\\sleep needs a number or a variable: \\sleep "
                      "NUMBER [us|ms|s]");
}

static int read_sleep(struct reading *r, const char *at)
{
  struct sqlfile_step *step;
  struct expr expr = { 0 };
  uint64_t unit_ns = 0;
  int rc = check_sleep(r);

  if (rc == 0)
    rc = reading_operand(r, &expr);
  if (rc == 0)
    rc = read_unit(r, &unit_ns);
  step = rc < 0 ? NULL : reading_add_step(r, SQLFILE_SLEEP, at);
  if (!step) {
    expr_done(&expr);
    return rc < 0 ? rc : -ENOMEM;
  }
  step->unit_ns = unit_ns;
  step->expr = expr;
  return 0;
}

/* ---- \if ---- */

/* Adds the step that jumps to the next branch unless the condition is true. */
static int read_condition(struct reading *r, const char *at,
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

static int read_if(struct reading *r, const char *at)
{
  struct open_if *open;

  if (r->n_open == READING_IFS)
    return reading_fail(r, at, "more than %d \\if in each other", READING_IFS);
  open = &r->open[r->n_open++];
  *open = (struct open_if){ .at = at, .unless = NO_STEP, .jumps = NO_STEP };
  return read_condition(r, at, open);
}

static void land(struct reading *r, unsigned step)
{
  if (step != NO_STEP)
    r->file->step[step].to = (unsigned)r->file->n_steps;
}

/* A branch has ended: jump to the end; what comes next is another branch. */
static int end_branch(struct reading *r, const char *at, struct open_if *open)
{
  struct sqlfile_step *step = reading_add_step(r, SQLFILE_JUMP, at);

  if (!step)
    return -ENOMEM;
  step->to = open->jumps;
  open->jumps = (unsigned)r->file->n_steps - 1;
  land(r, open->unless);
  open->unless = NO_STEP;
  return 0;
}

static void end_if(struct reading *r, const struct open_if *open)
{
  unsigned jump = open->jumps;

  land(r, open->unless);
  while (jump != NO_STEP) {
    const unsigned before = r->file->step[jump].to;

    land(r, jump);
    jump = before;
  }
}

/* \elif, \else and \endif. */
static int read_branch(struct reading *r, const char *at, const char *word,
                       size_t len)
{
  struct open_if *open = r->n_open > 0 ? &r->open[r->n_open - 1] : NULL;
  int rc;

  if (!open)
    return reading_fail(r, at, "\\%.*s without \\if", (int)len, word);
  if (is_word(word, len, "endif")) {
    end_if(r, open);
    r->n_open--;
    return expect_line_end(r);
  }
  if (open->has_else)
    return reading_fail(r, at, "\\%.*s after \\else", (int)len, word);
  rc = end_branch(r, at, open);
  if (rc < 0)
    return rc;
  if (is_word(word, len, "elif"))
    return read_condition(r, at, open);
  open->has_else = true;
  return expect_line_end(r);
}

/* ---- \gset, \aset ---- */

static int read_keep(struct reading *r, const char *at, bool one)
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
  rc = expect_line_end(r);
  if (rc == 0)
    rc = reading_columns(r, s, at, prefix, len);
  if (rc == 0)
    s->keep = one ? SQLFILE_KEEP_ROW : SQLFILE_KEEP_LAST;
  return rc;
}

/* ---- all of them ---- */

static int refuse(struct reading *r, const char *at, const char *word,
                  size_t len)
{
  static const char *const known[] = { "setshell",      "shell",
                                       "startpipeline", "syncpipeline",
                                       "endpipeline",   "setrandom" };

  if (len == 0 && r->p < r->end && *r->p == ';')
    return reading_fail(r, at,
                        "'\\;' is not supported: end the statement "
                        "with ';'");
  if (is_word(word, len, "setrandom"))
    return reading_fail(r, at,
                        "\\setrandom is not supported: write \\set NAME "
                        "random(FROM, TO)");
  for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
    if (is_word(word, len, known[i]))
      return reading_fail(r, at, "\\%s is not supported", known[i]);
  }
  return reading_fail(r, at,
                      "there is no command '\\%.*s'; the commands are \\set, "
                      "\\sleep, \\if, \\elif, \\else, \\endif, \\gset and "
                      "\\aset",
                      (int)len, word);
}

int reading_command(struct reading *r)
{
  const char *at = r->p++;
  const char *word = r->p;
  const size_t len = reading_name(r, word);

  r->p += len;
  if (is_word(word, len, "set"))
    return read_set(r, at);
  if (is_word(word, len, "sleep"))
    return read_sleep(r, at);
  if (is_word(word, len, "if"))
    return read_if(r, at);
  if (is_word(word, len, "elif") || is_word(word, len, "else") ||
      is_word(word, len, "endif"))
    return read_branch(r, at, word, len);
  if (is_word(word, len, "gset") || is_word(word, len, "aset"))
    return read_keep(r, at, is_word(word, len, "gset"));
  r->p = word + len;
  return refuse(r, at, word, len);
}
