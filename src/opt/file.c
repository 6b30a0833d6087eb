#include "opt/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"

struct span {
  const char *from, *to;
};

static bool file_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static size_t file_span_len(struct span s)
{
  return s.to > s.from ? (size_t)(s.to - s.from) : 0;
}

static struct span file_trimmed(struct span s)
{
  while (s.from < s.to && file_is_blank(s.from[0]))
    s.from++;
  while (s.from < s.to && file_is_blank(s.to[-1]))
    s.to--;
  return s;
}

int opt_file_load(const char *path, char **ret_text, size_t *ret_len)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  size_t len = 0, room = 0;
  char *text = NULL;
  ssize_t n = 1;
  int rc = 0;

  if (fd < 0)
    return -errno;
  while (n > 0) {
    if (room - len < 2) {
      char *more = realloc(text, 2 * room + 4096);

      if (!more) {
        rc = -ENOMEM;
        break;
      }
      text = more;
      room = 2 * room + 4096;
    }
    n = read(fd, text + len, room - len - 1);
    if (n < 0 && errno == EINTR) {
      n = 1;
    } else if (n < 0) {
      rc = -errno;
    } else {
      len += (size_t)n;
      if (len > OPT_FILE_MAX) { /* a device, or a mistake */
        rc = -EFBIG;
        break;
      }
    }
  }
  (void)close(fd); /* nothing was written */
  if (rc < 0) {
    free(text);
    return rc;
  }
  text[len] = '\0';
  *ret_text = text;
  *ret_len = len;
  return 0;
}

/* 1 and *ret; 0: no more; -EINVAL: a quote is not closed.  Moves value->from
 * past the item. */
static int file_next_item(struct span *value, struct span *ret)
{
  const char *p = value->from;
  const char *end = value->to;

  while (p < end && (file_is_blank(*p) || *p == ','))
    p++;
  if (p == end || *p == '#') {
    value->from = end;
    return 0;
  }
  if (*p == '\'' || *p == '"') {
    const char *closing = memchr(p + 1, *p, (size_t)(end - p - 1));

    if (!closing)
      return -EINVAL;
    *ret = (struct span){ p + 1, closing };
    value->from = closing + 1;
    return 1;
  }
  ret->from = p;
  while (p < end && !file_is_blank(*p) && *p != ',')
    p++;
  ret->to = p;
  value->from = p;
  return 1;
}

static int file_count_items(struct span value, size_t *ret_n, size_t *ret_bytes)
{
  struct span item;
  size_t n = 0, bytes = 0;
  int rc;

  while ((rc = file_next_item(&value, &item)) > 0) {
    n++;
    bytes += file_span_len(item) + 1;
  }
  if (rc < 0)
    return rc;
  *ret_n = n;
  *ret_bytes = bytes;
  return 0;
}

/* Copies with a terminator, and moves *p past it. */
static const char *file_put(char **p, struct span s)
{
  char *text = *p;

  memcpy(text, s.from, file_span_len(s));
  text[file_span_len(s)] = '\0';
  *p += file_span_len(s) + 1;
  return text;
}

static struct opt_line *file_line_new(struct span name, struct span value,
                                      bool bare, size_t n, size_t bytes,
                                      const char *where)
{
  const struct span place = { where, where + strlen(where) };
  struct span rest = value;
  struct opt_line *line = calloc(1, sizeof(*line));
  struct span item;
  const char **items;
  char *p;

  if (!line)
    return NULL;
  line->memory = malloc(n * sizeof(*items) + bytes + file_span_len(name) + 1 +
                        file_span_len(value) + 1 + file_span_len(place) + 1);
  if (!line->memory) {
    free(line);
    return NULL;
  }
  items = (const char **)line->memory;
  p = line->memory + n * sizeof(char *);
  for (size_t i = 0; file_next_item(&rest, &item) > 0; i++)
    items[i] = file_put(&p, item);
  line->items = (struct opt_list){ .n = n, .items = items };
  line->given.name = file_put(&p, name);
  line->given.arg = line->given.name;
  line->given.where = file_put(&p, place);
  line->given.text = file_put(&p, value);
  line->given.bare = bare;
  line->given.items = bare ? NULL : &line->items;
  line->given.source = OPT_SOURCE_FILE;
  return line;
}

/* `s` is a line without its end. 0: *ret is set, NULL if the line sets
 * nothing. */
static int file_parse_line(struct span s, const char *where,
                           struct opt_line **ret, struct err *err)
{
  struct span name, value;
  size_t n = 0, bytes = 0;
  const char *equals;

  *ret = NULL;
  if (memchr(s.from, '\0', file_span_len(s)))
    return err_set(err, -EINVAL, "a zero byte in a configuration file, %s",
                   where);
  s = file_trimmed(s);
  if (s.from == s.to || *s.from == '#' || *s.from == ';' ||
      (*s.from == '[' && s.to[-1] == ']'))
    return 0;

  equals = memchr(s.from, '=', file_span_len(s));
  name = file_trimmed((struct span){ s.from, equals ? equals : s.to });
  value = file_trimmed((struct span){ equals ? equals + 1 : s.to, s.to });
  if (file_span_len(name) >= 2 && memcmp(name.from, "--", 2) == 0)
    name.from += 2;
  if (file_count_items(value, &n, &bytes) < 0)
    return err_set(err, -EINVAL, "missing closing quote, %s", where);
  *ret = file_line_new(name, value, !equals, n, bytes, where);
  return *ret ? 0 : err_set(err, -ENOMEM, "not enough memory for %s", where);
}

int opt_file_parse(const char *text, size_t len, const char *path,
                   struct opt_file *ret, struct err *err)
{
  static const char mark[] = "\xef\xbb\xbf"; /* some editors write it */
  const char *p = text;
  const char *end = text + len;
  struct opt_line **last = &ret->first;
  unsigned number = 0;
  int rc = 0;

  *ret = (struct opt_file){ 0 };
  if (len >= sizeof(mark) - 1 && memcmp(text, mark, sizeof(mark) - 1) == 0)
    p += sizeof(mark) - 1;
  while (p < end && rc == 0) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    struct span s = { p, newline ? newline : end };
    char where[512];

    p = newline ? newline + 1 : end;
    if (s.to > s.from && s.to[-1] == '\r')
      s.to--;
    (void)snprintf(where, sizeof(where), "%.480s:%u", path, ++number);
    rc = file_parse_line(s, where, last, err);
    if (*last)
      last = &(*last)->next;
  }
  return rc;
}

void opt_file_done(struct opt_file *file)
{
  struct opt_line *line, *next;

  if (!file)
    return;
  for (line = file->first; line; line = next) {
    next = line->next;
    free(line->memory);
    free(line);
  }
  file->first = NULL;
}
