/*
 * client_file.c - an option file of the MySQL family: groups, names, values.
 */
#include "db/client_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum group {
  GROUP_OTHER,
  GROUP_CLIENT,
  GROUP_OWN,
};

static enum group group_of(const char *name)
{
  if (strcmp(name, "bench") == 0)
    return GROUP_OWN;
  if (strcmp(name, "client") == 0 || strcmp(name, "client-mariadb") == 0)
    return GROUP_CLIENT;
  return GROUP_OTHER;
}

/* Cuts the blanks around a text, in place. */
static char *trim(char *text)
{
  size_t len;

  while (isspace((unsigned char)*text))
    text++;
  len = strlen(text);
  while (len > 0 && isspace((unsigned char)text[len - 1]))
    text[--len] = '\0';
  return text;
}

/* End the text at a # after a blank, outside of quotes. */
static void cut_comment(char *text)
{
  char quote = '\0';

  for (char *c = text; *c; c++) {
    if (quote) {
      if (*c == '\\' && c[1])
        c++;
      else if (*c == quote)
        quote = '\0';
    } else if (c == text && (*c == '\'' || *c == '"')) {
      quote = *c;
    } else if (*c == '#' && (c == text || isspace((unsigned char)c[-1]))) {
      *c = '\0';
      return;
    }
  }
}

static char escape(char c)
{
  static const char from[] = "ntrbs", to[] = "\n\t\r\b ";
  const char *at = strchr(from, c);

  return at ? to[at - from] : c;
}

/* What a value stands for, in place. */
static char *unquote(char *text)
{
  const size_t len = strlen(text);
  char *to;

  if (len > 1 && (*text == '\'' || *text == '"') && text[len - 1] == *text) {
    text[len - 1] = '\0';
    text++;
  }
  to = text;
  for (const char *c = text; *c; c++, to++) {
    if (*c == '\\' && (c[1] == '\\' || c[1] == '\'' || c[1] == '"' ||
                       (c[1] && strchr("ntrbs", c[1]))))
      *to = escape(*++c);
    else
      *to = *c;
  }
  *to = '\0';
  return text;
}

static int add_pair(struct client_file *f, char *line, bool own,
                    struct err *err)
{
  struct target_pair *more = realloc(f->pairs, (f->n + 1) * sizeof(*more));
  char *equals = strchr(line, '=');
  char *value = NULL;

  if (!more)
    return err_set(err, -ENOMEM, "not enough memory");
  f->pairs = more;
  if (equals) {
    *equals = '\0';
    value = trim(equals + 1);
    cut_comment(value);
    value = unquote(trim(value));
  } else {
    cut_comment(line);
  }
  more[f->n++] = (struct target_pair){ .name = trim(line),
                                       .value = value,
                                       .own = own };
  return 0;
}

static int take_line(struct client_file *f, char *line, enum group *group,
                     struct err *err)
{
  char *end;

  if (*line == '\0' || *line == '#' || *line == ';' || *line == '!')
    return 0;
  if (*line != '[')
    return *group == GROUP_OTHER ? 0
                                 : add_pair(f, line, *group == GROUP_OWN, err);
  end = strchr(line, ']');
  if (!end)
    return err_set(err, -EINVAL, "the name of a group is not closed by ]");
  *end = '\0';
  *group = group_of(trim(line + 1));
  return 0;
}

int client_file_parse(const char *text, size_t len, const char *path,
                      struct client_file *ret, struct err *err)
{
  struct client_file f = { .memory = mem_strndup(text, len) };
  enum group group = GROUP_OTHER;
  unsigned number = 0;
  int rc = 0;

  if (!f.memory)
    return err_set(err, -ENOMEM, "not enough memory");
  if (strlen(f.memory) != len)
    rc = err_set(err, -EINVAL, "'%.300s' is not a text file", path);
  for (char *line = f.memory; rc == 0 && line;) {
    char *next = strchr(line, '\n');

    if (next)
      *next++ = '\0';
    number++;
    rc = take_line(&f, trim(line), &group, err);
    if (rc < 0)
      err_prefix(err, "'%.300s', line %u", path, number);
    line = next;
  }
  if (rc < 0) {
    client_file_done(&f);
    return rc;
  }
  *ret = f;
  return 0;
}

void client_file_done(struct client_file *file)
{
  /* There may be a password in it, after any of its zero bytes. */
  for (size_t i = 0; i < file->n; i++) {
    if (file->pairs[i].value)
      explicit_bzero((void *)(uintptr_t)file->pairs[i].value,
                     strlen(file->pairs[i].value));
  }
  free(file->pairs);
  free(file->memory);
  *file = (struct client_file){ 0 };
}
