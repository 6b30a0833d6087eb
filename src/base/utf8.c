#include "base/utf8.h"

#include <string.h>

#include "base/strbuf.h"

static bool utf8_continues(char c)
{
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* A bad second byte begins an overlong form, a surrogate, or a number beyond
 * the last character. */
static bool utf8_good_second(unsigned char first, char c)
{
  const unsigned char second = (unsigned char)c;

  switch (first) {
  case 0xe0:
    return second >= 0xa0;
  case 0xed:
    return second < 0xa0;
  case 0xf0:
    return second >= 0x90;
  case 0xf4:
    return second < 0x90;
  default:
    return true;
  }
}

/* 0: no character begins with this byte. */
static unsigned utf8_length_from(unsigned char first)
{
  return first < 0x80                     ? 1
         : first >= 0xc2 && first <= 0xdf ? 2
         : first >= 0xe0 && first <= 0xef ? 3
         : first >= 0xf0 && first <= 0xf4 ? 4
                                          : 0;
}

unsigned utf8_length(const char *text)
{
  const unsigned char first = (unsigned char)text[0];
  const unsigned n = utf8_length_from(first);

  for (unsigned i = 1; i < n; i++) {
    if (!utf8_continues(text[i]))
      return 0;
  }
  if (first == '\0' || (n > 2 && !utf8_good_second(first, text[1])))
    return 0;
  return n;
}

bool utf8_is_valid(const char *text)
{
  unsigned n;

  while ((n = utf8_length(text)) > 0)
    text += n;
  return *text == '\0';
}

size_t utf8_cut(const char *text, size_t max)
{
  const size_t len = strnlen(text, max);
  size_t cut = len;

  if (text[len] == '\0') /* the text ends there, or before */
    return len;
  while (cut > 0 && len - cut < 3 && utf8_continues(text[cut]))
    cut--;
  return utf8_continues(text[cut]) ? len : cut;
}

size_t utf8_whole(const char *text, size_t len)
{
  size_t last = len; /* after the first byte of the last character */

  while (last > 0 && len - last < 3 && utf8_continues(text[last - 1]))
    last--;
  if (last > 0 &&
      utf8_length_from((unsigned char)text[last - 1]) > len - last + 1)
    return last - 1;
  return len;
}

void utf8_add_latin1(struct strbuf *out, char byte)
{
  const unsigned char c = (unsigned char)byte;
  const char two[] = { (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)) };

  if (c < 0x80)
    strbuf_add(out, &byte, 1);
  else
    strbuf_add(out, two, sizeof(two));
}

/* The character if it must not reach a terminal; else 0. */
static unsigned utf8_hidden(const unsigned char *p, size_t left)
{
  unsigned c = 0;

  if (*p < 0x20 || *p == 0x7f || (*p >= 0x80 && *p < 0xa0))
    return *p;
  if (left >= 2 && *p == 0xc2 && p[1] < 0xa0)
    return p[1];
  if (left >= 3 && *p == 0xe2 && (p[1] == 0x80 || p[1] == 0x81))
    c = 0x2000u | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
  return c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
             (c >= 0x2066 && c <= 0x2069)
           ? c
           : 0;
}

static size_t utf8_length_at(const char *text, size_t left)
{
  const unsigned n = utf8_length_from((unsigned char)*text);
  unsigned have = 1;

  while (have < n && have < left && utf8_continues(text[have]))
    have++;
  return n > 0 && have == n ? n : 1;
}

static void utf8_add_escape(struct strbuf *out, unsigned c)
{
  if (c == '\n' || c == '\r' || c == '\t')
    strbuf_adds(out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
  else
    strbuf_addf(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
}

void utf8_add_shown(struct strbuf *out, const char *text, size_t len,
                    const char *keep)
{
  size_t n;

  for (size_t i = 0; i < len; i += n) {
    const unsigned c = utf8_hidden((const unsigned char *)text + i, len - i);

    n = utf8_length_at(text + i, len - i);
    if (c == 0 || (c < 0x80 && c != 0 && strchr(keep, (int)c)))
      strbuf_add(out, text + i, n);
    else
      utf8_add_escape(out, c);
  }
}
