/*
 * sqlfile.c - parses a whole file.
 */
#include "sqlfile/sqlfile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/mem.h"
#include "db/emul.h"
#include "sqlfile/reading.h"

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
    } else if (((unsigned char)*p & 0xC0) != 0x80) { /* the first byte of one */
      place.column++;
    }
  }
  return place;
}

/* ---- variables of the user ---- */

/* Other texts are replaced in the text of statements, such as the name of a
 * table; so are words that pgbench would read as a boolean. */
static bool is_value(const char *text, struct value *ret)
{
  return value_read(text, strlen(text), ret) &&
         (!isalpha((unsigned char)*text) || strcasecmp(text, "true") == 0 ||
          strcasecmp(text, "false") == 0 || strcasecmp(text, "null") == 0);
}

static int define(struct reading *r, const char *line, size_t len)
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
  if (is_value(text, &v->initial))
    free(text);
  else
    v->text = text;
  return 0;
}

static int define_all(struct reading *r, const char *lines)
{
  int rc = 0;

  /* Names end where the lines do. */
  while (lines && *lines && rc == 0) {
    const size_t len = strcspn(lines, "\n");

    r->end = lines + len;
    rc = define(r, lines, len);
    lines += len + (lines[len] == '\n');
  }
  return rc;
}

static int add_builtins(struct reading *r)
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

/* ---- the file ---- */

/* A comment that is no SQL, between statements. */
static size_t comment_length(const struct reading *r, bool *ret_open)
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

/* Skips blanks, comments and empty statements. */
static int skip_nothing(struct reading *r)
{
  while (r->p < r->end) {
    bool open = false;
    size_t n = 1;

    if (!isspace((unsigned char)*r->p) && *r->p != ';')
      n = comment_length(r, &open);
    if (open)
      return reading_fail(r, r->p, "the comment that begins here has no end");
    if (n == 0)
      return 0;
    r->p += n;
  }
  return 0;
}

static int read_all(struct reading *r)
{
  int rc = skip_nothing(r);

  while (rc == 0 && r->p < r->end) {
    if (*r->p == '\\') {
      rc = reading_command(r);
      r->after_statement = false;
    } else {
      rc = reading_statement(r);
      r->after_statement = true;
    }
    if (rc == 0)
      rc = skip_nothing(r);
  }
  if (rc == 0 && r->n_open > 0)
    return reading_fail(r, r->open[r->n_open - 1].at, "\\if without \\endif");
  return rc;
}

static int read_file(struct reading *r)
{
  const char *zero = memchr(r->text, '\0', (size_t)(r->end - r->text));
  int rc;

  if (zero)
    return reading_fail(r, zero,
                        "a byte of a text file cannot be zero; is it "
                        "UTF-8?");
  rc = read_all(r);
  if (rc == 0 && r->file->n_statements == 0)
    return err_set(r->err, -EINVAL, "'%s' has no SQL statement", r->file->name);
  return rc;
}

static int parse(struct reading *r, const struct sqlfile_setup *setup)
{
  static const char mark[] = "\xEF\xBB\xBF"; /* of UTF-8; it is no text */
  const bool marked = setup->len >= 3 && memcmp(setup->text, mark, 3) == 0;
  struct sqlfile *file = r->file;
  int rc;

  file->name = mem_strdup(setup->name);
  file->source = mem_strndup(setup->text, setup->len);
  if (!file->name || !file->source)
    return err_set(r->err, -ENOMEM, "not enough memory");
  if (setup->len > MAX_BYTES)
    return err_set(r->err, -EINVAL, "'%s' is larger than 16 MB", file->name);
  rc = add_builtins(r);
  if (rc == 0)
    rc = define_all(r, setup->defines);
  if (rc < 0)
    return rc;
  r->text = r->p = file->source;
  r->end = file->source + setup->len - (marked ? 3 : 0);
  if (marked)
    memmove(file->source, file->source + 3, setup->len - 3 + 1);
  return read_file(r);
}

int sqlfile_parse(struct sqlfile **ret, const struct sqlfile_setup *setup,
                  struct err *err)
{
  struct reading r = { .dialect = setup->dialect, .err = err };
  int rc;

  r.file = calloc(1, sizeof(*r.file));
  if (!r.file)
    return err_set(err, -ENOMEM, "not enough memory");
  rc = parse(&r, setup);
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
