#include "db/url.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/parse.h"

bool target_names_have(const char *const *list, const char *text)
{
  for (; list && *list; list++) {
    if (strcmp(*list, text) == 0)
      return true;
  }
  return false;
}

static bool url_is_same(const char *a, const char *b)
{
  for (; *a || *b; a++, b++) {
    if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
      return false;
  }
  return true;
}

const struct target_name *target_names_find(const struct target_name *rows,
                                            const char *name)
{
  for (; rows->name; rows++) {
    if (url_is_same(rows->name, name))
      return rows;
  }
  return NULL;
}

static int url_refuse(const char *why, struct err *err)
{
  return err_set(err, -EINVAL, "%s", why);
}

static int url_hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char)tolower((unsigned char)c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place. */
static int url_decode(char *text, struct err *err)
{
  char *to = text;

  for (; *text; text++, to++) {
    if (*text != '%') {
      *to = *text;
      continue;
    }
    if (url_hex_digit(text[1]) < 0 || url_hex_digit(text[2]) < 0)
      return url_refuse("a % is not followed by two hexadecimal digits (the "
                        "character itself is written %25)",
                        err);
    *to = (char)(url_hex_digit(text[1]) * 16 + url_hex_digit(text[2]));
    if (*to == '\0')
      return url_refuse("%00 is not possible", err);
    text += 2;
  }
  *to = '\0';
  return 0;
}

/* At the first `c`; returns the rest, or NULL. */
static char *url_cut(char *text, char c)
{
  char *at = strchr(text, c);

  if (!at)
    return NULL;
  *at = '\0';
  return at + 1;
}

static bool url_is_port(const char *text)
{
  int64_t n;

  return isdigit((unsigned char)*text) && parse_int(text, &n) == 0 && n >= 1 &&
         n <= UINT16_MAX;
}

/* HOST, HOST:PORT, [HOST] or [HOST]:PORT. */
static int url_read_host(char *text, struct url_host *ret, struct err *err)
{
  char *port;

  ret->port = "";
  if (*text == '[') {
    port = url_cut(text, ']');
    if (!port || (*port && *port != ':'))
      return url_refuse("the brackets around an IPv6 address are not closed",
                        err);
    text++;
    port = *port ? port + 1 : NULL;
  } else {
    port = url_cut(text, ':');
  }
  if (port && *port && !url_is_port(port))
    return url_refuse(
      "the port is not a number from 1 to 65535 (in a user or "
      "password, write : @ / as %3A %40 %2F; an IPv6 address needs "
      "brackets)",
      err);
  if (port)
    ret->port = port;
  ret->host = text;
  return url_decode(text, err);
}

static int url_read_hosts(struct url *url, char *text, struct err *err)
{
  while (text) {
    char *next = url_cut(text, ',');
    int rc;

    if (url->n_hosts == URL_HOSTS)
      return url_refuse("there are too many hosts", err);
    rc = url_read_host(text, &url->hosts[url->n_hosts++], err);
    if (rc < 0)
      return rc;
    text = next;
  }
  return 0;
}

/* [USER[:PASSWORD]@][HOSTS] */
static int url_read_authority(struct url *url, char *text, struct err *err)
{
  char *at = strrchr(text, '@');
  char *password;
  int rc = 0;

  if (at) {
    *at = '\0';
    password = url_cut(text, ':');
    rc = url_decode(text, err);
    if (rc == 0 && password)
      rc = url_decode(password, err);
    url->user = text;
    url->password = password;
    text = at + 1;
  }
  return rc == 0 && *text ? url_read_hosts(url, text, err) : rc;
}

static int url_read_parameters(struct url *url, char *text, struct err *err)
{
  while (text && *text) {
    char *next = url_cut(text, '&');
    char *value = url_cut(text, '=');
    int rc;

    if (url->n_parameters == URL_PARAMETERS)
      return url_refuse("there are too many parameters", err);
    url->parameters[url->n_parameters++] = (struct target_pair){ .name = text,
                                                                 .value = value,
                                                                 .own = true };
    rc = url_decode(text, err);
    if (rc == 0 && value)
      rc = url_decode(value, err);
    if (rc < 0)
      return rc;
    text = next;
  }
  return 0;
}

static int url_read_rest(struct url *url, char *text, struct err *err)
{
  char *parameters;
  int rc = 0;

  url->path = "";
  url->has_authority = strncmp(text, "//", 2) == 0;
  /* Probably a part of a password. */
  if (url->has_authority &&
      strchr(text + 2 + strcspn(text + 2, "/?"), '@') != NULL)
    return url_refuse(
      "an @ after the host, or a / or ? in a password, is written "
      "%40, %2F, %3F",
      err);
  parameters = url_cut(text, '?');
  if (url->has_authority) {
    char *path = url_cut(text + 2, '/');

    rc = url_read_authority(url, text + 2, err);
    text = path;
  }
  if (rc == 0 && text) {
    url->path = text;
    rc = url_decode(text, err);
  }
  return rc == 0 ? url_read_parameters(url, parameters, err) : rc;
}

int url_parse(const char *text, struct url *ret, struct err *err)
{
  struct url url = { .memory = mem_strdup(text), .size = strlen(text) };
  char *rest;
  int rc;

  if (!url.memory)
    return err_set(err, -ENOMEM, "not enough memory");
  rest = url_cut(url.memory, ':');
  url.scheme = url.memory;
  for (char *c = url.memory; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  if (!rest || !*url.scheme)
    rc = url_refuse("it has no scheme, such as mysql:// at the front", err);
  else if (strchr(rest, '#'))
    rc = url_refuse("a # is written %23", err);
  else
    rc = url_read_rest(&url, rest, err);
  if (rc < 0) {
    url_done(&url);
    return rc;
  }
  *ret = url;
  return 0;
}

void url_done(struct url *url)
{
  if (url->memory)
    explicit_bzero(url->memory, url->size);
  free(url->memory);
  url->memory = NULL;
}

const char *url_parameter(const struct url *url, const char *name)
{
  const struct target_name row[] = { { .name = name }, { 0 } };
  const char *value = NULL;

  for (size_t i = 0; i < url->n_parameters; i++) {
    if (target_names_find(row, url->parameters[i].name))
      value = url->parameters[i].value ? url->parameters[i].value : "";
  }
  return value;
}

/* ---- option files of clients ---- */

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

/* In place. */
static char *url_trim(char *text)
{
  size_t len;

  while (isspace((unsigned char)*text))
    text++;
  len = strlen(text);
  while (len > 0 && isspace((unsigned char)text[len - 1]))
    text[--len] = '\0';
  return text;
}

/* A comment: a # after a blank, outside quotes. */
static void url_cut_comment(char *text)
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

static char url_escape(char c)
{
  static const char from[] = "ntrbs", to[] = "\n\t\r\b ";
  const char *at = strchr(from, c);

  return at ? to[at - from] : c;
}

/* In place. */
static char *url_unquote(char *text)
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
      *to = url_escape(*++c);
    else
      *to = *c;
  }
  *to = '\0';
  return text;
}

static int url_add_pair(struct client_file *f, char *line, bool own,
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
    value = url_trim(equals + 1);
    url_cut_comment(value);
    value = url_unquote(url_trim(value));
  } else {
    url_cut_comment(line);
  }
  more[f->n++] = (struct target_pair){ .name = url_trim(line),
                                       .value = value,
                                       .own = own };
  return 0;
}

static int url_take_line(struct client_file *f, char *line, enum group *group,
                         struct err *err)
{
  char *end;

  if (*line == '\0' || *line == '#' || *line == ';' || *line == '!')
    return 0;
  if (*line != '[')
    return *group == GROUP_OTHER
             ? 0
             : url_add_pair(f, line, *group == GROUP_OWN, err);
  end = strchr(line, ']');
  if (!end)
    return err_set(err, -EINVAL, "the name of a group is not closed by ]");
  *end = '\0';
  *group = group_of(url_trim(line + 1));
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
    rc = url_take_line(&f, url_trim(line), &group, err);
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
  /* A password can follow a zero byte. */
  for (size_t i = 0; i < file->n; i++) {
    if (file->pairs[i].value)
      explicit_bzero((void *)(uintptr_t)file->pairs[i].value,
                     strlen(file->pairs[i].value));
  }
  free(file->pairs);
  free(file->memory);
  *file = (struct client_file){ 0 };
}

/* ---- which server of the lists ---- */

struct target target_pick(size_t sockets, size_t hosts, size_t ports,
                          uint64_t number, unsigned attempt)
{
  const uint64_t i = number + attempt;
  struct target t = { 0 };

  if (sockets > 0) {
    t.socket = (size_t)(i % sockets);
  } else {
    t.port = (size_t)(i % ports);
    t.host = (size_t)(i / ports % hosts);
  }
  return t;
}

/* IPv6 addresses have several colons. */
static bool url_has_port(const char *text)
{
  const char *colon = strchr(text, ':');

  return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
}

bool target_is_host(const char *text)
{
  if (*text == '/' || *text == '@')
    return true;
  return !strpbrk(text, "[@") && !strstr(text, "://") && !url_has_port(text);
}

bool target_is_database(const char *text)
{
  return !strstr(text, "://");
}
