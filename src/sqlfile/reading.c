/*
 * reading.c - what the parts of the parser share.
 */
#include "sqlfile/reading.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum {
  VARIABLES_MAX = 4096,
};

int reading_fail(struct reading *r, const char *at, const char *fmt, ...)
{
  const struct sqlfile_place place = sqlfile_place(r->text, reading_at(r, at));
  struct strbuf b = { 0 };
  va_list ap;

  va_start(ap, fmt);
  strbuf_vaddf(&b, fmt, ap);
  va_end(ap);
  (void)err_set(r->err, -EINVAL, "%s:%u:%u: %s", r->file->name, place.line,
                place.column, strbuf_str(&b));
  strbuf_done(&b);
  return -EINVAL;
}

int reading_no_memory(struct reading *r)
{
  return err_set(r->err, -ENOMEM, "not enough memory to read '%s'",
                 r->file->name);
}

/* ---- characters ---- */

/* A backslash at the end of the line: the length of both; 0: there is none. */
static size_t continuation(const struct reading *r)
{
  const size_t left = (size_t)(r->end - r->p);

  if (left >= 2 && memcmp(r->p, "\\\n", 2) == 0)
    return 2;
  return left >= 3 && memcmp(r->p, "\\\r\n", 3) == 0 ? 3 : 0;
}

void reading_skip_blanks(struct reading *r)
{
  for (;;) {
    const size_t more = continuation(r);

    if (more > 0)
      r->p += more;
    else if (r->p < r->end && *r->p != '\n' && isspace((unsigned char)*r->p))
      r->p++;
    else
      return;
  }
}

bool reading_at_line_end(const struct reading *r)
{
  return r->p == r->end || *r->p == '\n';
}

static bool begins_name(char c)
{
  return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

size_t reading_name(const struct reading *r, const char *p)
{
  const char *from = p;

  if (p == r->end || !begins_name(*p))
    return 0;
  while (p < r->end && (begins_name(*p) || isdigit((unsigned char)*p)))
    p++;
  return (size_t)(p - from);
}

/* ---- variables ---- */

int reading_find(const struct reading *r, const char *name, size_t len)
{
  for (size_t i = 0; i < r->file->n_variables; i++) {
    const char *known = r->file->variable[i].name;

    if (strlen(known) == len && memcmp(known, name, len) == 0)
      return (int)i;
  }
  return -1;
}

/* Makes room for one more element; false: no memory. */
static bool grow(void **array, size_t n, size_t *room, size_t size)
{
  const size_t more = *room ? 2 * *room : 16;
  void *bigger;

  if (n < *room)
    return true;
  bigger = reallocarray(*array, more, size);
  if (!bigger)
    return false;
  *array = bigger;
  *room = more;
  return true;
}

int reading_variable(struct reading *r, const char *name, size_t len)
{
  struct sqlfile *file = r->file;
  const int known = reading_find(r, name, len);
  void *array = file->variable;
  char *copy;

  if (known >= 0)
    return known;
  if (file->n_variables == VARIABLES_MAX)
    return err_set(r->err, -EINVAL, "'%s' has more than %d variables",
                   file->name, VARIABLES_MAX);
  copy = mem_strndup(name, len);
  if (!copy || !grow(&array, file->n_variables, &r->variables_room,
                     sizeof(*file->variable))) {
    free(copy);
    return reading_no_memory(r);
  }
  file->variable = array;
  file->variable[file->n_variables] = (struct sqlfile_variable){ .name = copy };
  return (int)file->n_variables++;
}

int reading_use(struct reading *r, const char *at, size_t len)
{
  const int known = reading_find(r, at, len);

  if (known >= 0)
    return known;
  return reading_fail(r, at,
                      "the variable '%.*s' has no value here; use \\set before "
                      "this line, or --define=%.*s=VALUE",
                      (int)len, at, (int)len, at);
}

/* ---- steps ---- */

struct sqlfile_step *reading_add_step(struct reading *r, enum sqlfile_code code,
                                      const char *at)
{
  struct sqlfile *file = r->file;
  void *array = file->step;
  struct sqlfile_step *step;

  if (!grow(&array, file->n_steps, &r->steps_room, sizeof(*file->step))) {
    (void)reading_no_memory(r);
    return NULL;
  }
  file->step = array;
  step = &file->step[file->n_steps++];
  *step = (struct sqlfile_step){ .code = code, .at = reading_at(r, at) };
  return step;
}

struct sqlfile_statement *reading_add_statement(struct reading *r)
{
  struct sqlfile *file = r->file;
  void *array = file->statement;
  struct sqlfile_statement *s;

  if (!grow(&array, file->n_statements, &r->statements_room,
            sizeof(*file->statement))) {
    (void)reading_no_memory(r);
    return NULL;
  }
  file->statement = array;
  s = &file->statement[file->n_statements++];
  *s = (struct sqlfile_statement){ 0 };
  return s;
}
