/*
 * base64.c - bytes as text.
 */
#include "drivers/wire/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const void *bytes, size_t n, char *to)
{
  const uint8_t *from = bytes;

  for (; n > 0; n -= n < 3 ? n : 3, from += 3, to += 4) {
    const uint32_t v = (uint32_t)from[0] << 16 |
                       (n > 1 ? (uint32_t)from[1] << 8 : 0) |
                       (n > 2 ? from[2] : 0);

    to[0] = letters[v >> 18];
    to[1] = letters[v >> 12 & 63];
    to[2] = n > 1 ? letters[v >> 6 & 63] : '=';
    to[3] = n > 2 ? letters[v & 63] : '=';
  }
}

ssize_t base64_decode(const char *text, size_t len, void *to, size_t room)
{
  uint8_t *out = to;
  size_t n = 0, pad = 0;
  uint32_t v = 0;

  if (len % 4 != 0)
    return -1;
  while (pad < 2 && pad < len && text[len - 1 - pad] == '=')
    pad++;
  for (size_t i = 0; i < len - pad; i++) {
    const char *at = text[i] ? strchr(letters, text[i]) : NULL;

    if (!at)
      return -1;
    v = v << 6 | (uint32_t)(at - letters);
    if (i % 4 == 0)
      continue;
    if (n == room)
      return -1;
    out[n++] = (uint8_t)(v >> (6 - 2 * (i % 4)));
  }
  /* Unused bits are zero: each value has one text. */
  if ((pad == 1 && (v & 3) != 0) || (pad == 2 && (v & 15) != 0))
    return -1;
  return (ssize_t)n;
}
