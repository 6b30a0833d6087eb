/*
 * statement.c - finds the end of a statement, and puts `?` in the places of its
 * variables.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "db/emul.h"
#include "sqlfile/reading.h"

/* A statement being read. */
struct draft {
  struct reading *r;
  struct strbuf text;
  const char *from; /* what is before it has no influence on what follows */
  unsigned *param;  /* owned */
  unsigned n_params, room;
  const char *paren[64]; /* where the open parentheses are, as far as known */
  unsigned n_open;
};

/* Two question marks in a row would be one that stays. */
static void keep_apart(struct draft *d)
{
  if (d->text.len > 0 && d->text.text[d->text.len - 1] == '?')
    strbuf_add(&d->text, " ", 1);
}

static int add_param(struct draft *d, unsigned variable)
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
  keep_apart(d);
  strbuf_add(&d->text, "?", 1);
  return 0;
}

/* At a colon.  Two of them are a cast. */
static int take_colon(struct draft *d)
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
    return add_param(d, (unsigned)variable);
  strbuf_adds(&d->text, r->file->variable[variable].text);
  return 0;
}

/*
 * Is the name of a variable in the quoted part?  Its value would not be put
 * there, and the statement would not be what its author meant.
 */
static int check_quoted(struct reading *r, const char *from, const char *to)
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

/* Copies a quoted part or a comment, if one begins here. */
static int take_region(struct draft *d, bool *ret_taken)
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
  return comment || len == 0 ? 0 : check_quoted(r, at, at + len);
}

static int take_question_mark(struct draft *d)
{
  struct reading *r = d->r;

  if (!(r->dialect & EMUL_DOUBLED))
    return reading_fail(r, r->p,
                        "'?' stands for a parameter that gets no value; write "
                        "a variable: :NAME");
  r->p++;
  keep_apart(d);
  strbuf_adds(&d->text, "??"); /* one that stays */
  return 0;
}

static void count_parens(struct draft *d, const char *at)
{
  const unsigned known = sizeof(d->paren) / sizeof(d->paren[0]);

  if (*at == '(' && d->n_open++ < known)
    d->paren[d->n_open - 1] = at;
  else if (*at == ')' && d->n_open > 0)
    d->n_open--;
}

/* Reads up to the end.  The terminator is taken, but is no part of the text. */
static int read_text(struct draft *d)
{
  struct reading *r = d->r;
  int rc = 0;

  while (rc == 0 && r->p < r->end && *r->p != '\\') {
    bool taken = false;

    rc = take_region(d, &taken);
    if (rc < 0 || taken)
      continue;
    if (*r->p == ';' && d->n_open == 0) {
      r->p++;
      return 0;
    }
    if (*r->p == ':') {
      rc = take_colon(d);
    } else if (*r->p == '?') {
      rc = take_question_mark(d);
    } else {
      count_parens(d, r->p);
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

static void trim(struct strbuf *b)
{
  while (b->len > 0 && isspace((unsigned char)b->text[b->len - 1]))
    b->text[--b->len] = '\0';
}

static int keep(struct draft *d, const char *at)
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

int reading_statement(struct reading *r)
{
  struct draft d = { .r = r, .from = r->p };
  const char *at = r->p;
  int rc = read_text(&d);

  trim(&d.text);
  if (rc == 0 && d.text.failed)
    rc = reading_no_memory(r);
  if (rc == 0 && d.text.len > 0)
    rc = keep(&d, at);
  strbuf_done(&d.text);
  free(d.param);
  return rc;
}
