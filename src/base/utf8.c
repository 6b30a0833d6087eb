/*
 * utf8.c - characters in text that may be anything.
 */
#include "base/utf8.h"

#include <string.h>

#include "base/strbuf.h"

static bool continues(char c)
{
  return ((unsigned char)c & 0xc0) == 0x80;
}

/* The second byte says whether a long form was needed, and is no surrogate and
 * not beyond the last character. */
static bool good_second(unsigned char first, char c)
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

/* How long a character is that begins with this byte; 0: none does. */
static unsigned length_from(unsigned char first)
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
  const unsigned n = length_from(first);

  for (unsigned i = 1; i < n; i++) {
    if (!continues(text[i]))
      return 0;
  }
  if (first == '\0' || (n > 2 && !good_second(first, text[1])))
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

size_t utf8_cut(const char *text, size_t most)
{
  const size_t len = strnlen(text, most);
  size_t cut = len;

  if (text[len] == '\0') /* it ends there, or before */
    return len;
  while (cut > 0 && len - cut < 3 && continues(text[cut]))
    cut--;
  return continues(text[cut]) ? len : cut;
}

size_t utf8_whole(const char *text, size_t len)
{
  size_t last = len; /* behind the first byte of the last character */

  while (last > 0 && len - last < 3 && continues(text[last - 1]))
    last--;
  if (last > 0 && length_from((unsigned char)text[last - 1]) > len - last + 1)
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
