/*
 * json_model.c - reads JSON by the letter of RFC 8259, with nothing of the
 * library that wrote it.
 */
#include "json_model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum {
  TEXT_MAX = 1 << 16
};

struct reader {
  const char *p;
  bool bad;
};

static void compare(struct reader *r, const json_t *tree);

static void blanks(struct reader *r)
{
  r->p += strspn(r->p, " \t\n\r");
}

static void expect(struct reader *r, const char *word)
{
  const size_t len = strlen(word);

  blanks(r);
  if (strncmp(r->p, word, len) == 0)
    r->p += len;
  else
    r->bad = true;
}

static bool at(struct reader *r, char c)
{
  blanks(r);
  return *r->p == c;
}

static unsigned read_hex(struct reader *r)
{
  unsigned n = 0;

  for (int i = 0; i < 4; i++, r->p++) {
    if (!isxdigit((unsigned char)*r->p)) {
      r->bad = true;
      return 0;
    }
    n = n * 16 + (unsigned)(isdigit((unsigned char)*r->p)
                              ? *r->p - '0'
                              : tolower((unsigned char)*r->p) - 'a' + 10);
  }
  return n;
}

static char *add_utf8(char *to, unsigned c)
{
  if (c < 0x80) {
    *to++ = (char)c;
  } else if (c < 0x800) {
    *to++ = (char)(0xc0 | c >> 6);
    *to++ = (char)(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *to++ = (char)(0xe0 | c >> 12);
    *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    *to++ = (char)(0x80 | (c & 0x3f));
  } else {
    *to++ = (char)(0xf0 | c >> 18);
    *to++ = (char)(0x80 | (c >> 12 & 0x3f));
    *to++ = (char)(0x80 | (c >> 6 & 0x3f));
    *to++ = (char)(0x80 | (c & 0x3f));
  }
  return to;
}

static char *read_escape(struct reader *r, char *to)
{
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  const char *name;
  unsigned c;

  if (*r->p == 'u') {
    r->p++;
    c = read_hex(r);
    if (c >= 0xd800 && c < 0xdc00) {
      expect(r, "\\u");
      c = 0x10000 + ((c - 0xd800) << 10) + (read_hex(r) - 0xdc00);
    }
    return add_utf8(to, c);
  }
  name = *r->p ? strchr(names, *r->p) : NULL;
  if (!name) {
    r->bad = true;
    return to;
  }
  r->p++;
  *to++ = values[name - names];
  return to;
}

/* A string into `text`, which holds TEXT_MAX bytes. */
static void read_string(struct reader *r, char *text)
{
  char *to = text;

  expect(r, "\"");
  while (!r->bad && *r->p != '"' && to - text < TEXT_MAX - 8) {
    if ((unsigned char)*r->p < ' ')
      r->bad = true;
    else if (*r->p == '\\')
      r->p++, to = read_escape(r, to);
    else
      *to++ = *r->p++;
  }
  *to = '\0';
  expect(r, "\"");
}

static void compare_string(struct reader *r, const json_t *tree)
{
  char *text = malloc(TEXT_MAX);

  MUST(text);
  read_string(r, text);
  r->bad |= !json_is_string(tree) || strcmp(text, json_string_value(tree)) != 0;
  free(text);
}

/* The grammar of numbers, and their value. */
static void compare_number(struct reader *r, const json_t *tree)
{
  const char *start = r->p;
  double got, want;
  char *end;

  r->p += *r->p == '-';
  r->bad |= !isdigit((unsigned char)*r->p) ||
            (*r->p == '0' && isdigit((unsigned char)r->p[1]));
  r->p += strspn(r->p, "0123456789");
  if (*r->p == '.') {
    r->p++;
    r->bad |= !isdigit((unsigned char)*r->p);
    r->p += strspn(r->p, "0123456789");
  }
  if (*r->p == 'e' || *r->p == 'E') {
    r->p++;
    r->p += *r->p == '-' || *r->p == '+';
    r->bad |= !isdigit((unsigned char)*r->p);
    r->p += strspn(r->p, "0123456789");
  }
  if (json_is_integer(tree)) {
    r->bad |= strtoll(start, &end, 10) != json_integer_value(tree) ||
              end != r->p;
    return;
  }
  got = strtod(start, &end);
  want = json_real_value(tree);
  r->bad |= !json_is_real(tree) || end != r->p ||
            !(fabs(got - want) <= fabs(want) * 1e-14 + 5e-324);
}

static void compare_array(struct reader *r, const json_t *tree)
{
  size_t n = 0;

  expect(r, "[");
  for (; !r->bad && !at(r, ']'); n++) {
    if (n > 0)
      expect(r, ",");
    compare(r, json_array_get(tree, n));
  }
  expect(r, "]");
  r->bad |= !json_is_array(tree) || n != json_array_size(tree);
}

static void compare_object(struct reader *r, const json_t *tree)
{
  char *key = malloc(TEXT_MAX);
  size_t n = 0;

  MUST(key);
  expect(r, "{");
  for (; !r->bad && !at(r, '}'); n++) {
    if (n > 0)
      expect(r, ",");
    read_string(r, key);
    expect(r, ":");
    compare(r, json_object_get(tree, key));
  }
  expect(r, "}");
  r->bad |= !json_is_object(tree) || n != json_object_size(tree);
  free(key);
}

static void compare(struct reader *r, const json_t *tree)
{
  if (r->bad)
    return;
  if (!tree)
    r->bad = true;
  else if (at(r, '{'))
    compare_object(r, tree);
  else if (at(r, '['))
    compare_array(r, tree);
  else if (at(r, '"'))
    compare_string(r, tree);
  else if (at(r, '-') || isdigit((unsigned char)*r->p))
    compare_number(r, tree);
  else
    expect(r, json_is_true(tree)    ? "true"
              : json_is_false(tree) ? "false"
              : json_is_null(tree)  ? "null"
                                    : "no such word");
}

bool json_model_same(const char *text, const json_t *tree)
{
  struct reader r = { .p = text };

  compare(&r, tree);
  blanks(&r);
  return !r.bad && *r.p == '\0';
}
