#include "base/secret.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/strbuf.h"

#define SCHEME \
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

static const char blanks[] = " \t\r\n\v\f";

static bool secret_is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool secret_is_name(const char *name, size_t len)
{
  static const char *const endings[] = { "password", "passwd", "pwd" };

  for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
    const size_t n = strlen(endings[i]);

    if (len >= n && strncasecmp(name + len - n, endings[i], n) == 0)
      return true;
  }
  return false;
}

static int secret_hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c = (char)tolower((unsigned char)c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The name can be percent-encoded. */
static bool secret_is_parameter(const char *name, size_t len)
{
  char plain[64];
  size_t n = 0;

  for (size_t i = 0; i < len && n < sizeof(plain); i++, n++) {
    plain[n] = name[i];
    if (name[i] == '%' && i + 2 < len && secret_hex_digit(name[i + 1]) >= 0 &&
        secret_hex_digit(name[i + 2]) >= 0) {
      plain[n] = (char)(secret_hex_digit(name[i + 1]) * 16 +
                        secret_hex_digit(name[i + 2]));
      i += 2;
    }
  }
  return secret_is_name(plain, n);
}

static const char *secret_last_of(const char *text, size_t len, char c)
{
  while (len > 0) {
    if (text[--len] == c)
      return text + len;
  }
  return NULL;
}

/*
 * The @ before the host of a URL, whose part after :// is `from`; NULL: none.
 * Unencoded passwords hold any character, so the last @ of the word counts, or
 * else of the line. With `alone`, the word is the line.
 */
static const char *find_at(const char *from, bool alone)
{
  const size_t line = strcspn(from, "\n");
  const size_t word = alone ? line : strcspn(from, " \t\r\n\v\f'\"");
  const char *at = secret_last_of(from, word, '@');

  return at ? at : secret_last_of(from, line, '@');
}

/* `text` is at the ://. Writes up to the end of the user and password; returns
 * that end. */
static const char *redact_user(const char *text, bool alone, struct strbuf *out)
{
  const char *from = text + 3;
  const char *at = find_at(from, alone);
  const char *colon = at ? memchr(from, ':', (size_t)(at - from)) : NULL;

  strbuf_add(out, text, 3);
  if (!colon)
    return from;
  strbuf_add(out, from, (size_t)(colon + 1 - from));
  strbuf_adds(out, SECRET_SHOWN);
  return at;
}

/* `text` is after the = of a keyword. */
static const char *secret_end_of_value(const char *text)
{
  const char quote = *text;

  if (quote != '\'' && quote != '"') {
    while (*text && !strchr(blanks, *text))
      text += *text == '\\' && text[1] ? 2 : 1;
    return text;
  }
  for (text++; *text && *text != quote;)
    text += *text == '\\' && text[1] ? 2 : 1;
  return *text ? text + 1 : text;
}

/* If the word of `len` bytes is such a keyword, writes it and returns the end
 * of its value; else NULL. */
static const char *redact_keyword(const char *text, size_t len,
                                  struct strbuf *out)
{
  const char *value = text + len + strspn(text + len, blanks);

  if (*value != '=' || !secret_is_name(text, len))
    return NULL;
  value++;
  value += strspn(value, blanks);
  strbuf_add(out, text, (size_t)(value - text));
  text = secret_end_of_value(value);
  if (text != value)
    strbuf_adds(out, SECRET_SHOWN);
  return text;
}

/* Like redact_keyword() for a parameter of a URL; `text` is at its ? or &. */
static const char *redact_parameter(const char *text, struct strbuf *out)
{
  const char *name = text + 1;
  const size_t len = strcspn(name, "=&# \t\r\n\v\f");
  const char *value = name + len + 1;
  size_t n;

  if (name[len] != '=' || !secret_is_parameter(name, len))
    return NULL;
  strbuf_add(out, text, (size_t)(value - text));
  n = strcspn(value, "&# \t\r\n\v\f");
  if (n > 0)
    strbuf_adds(out, SECRET_SHOWN);
  return value + n;
}

/* Like redact_keyword() for a whole text USER:PASSWORD@HOST; returns the @. */
static const char *redact_login(const char *text, struct strbuf *out)
{
  const size_t user = strcspn(text, ":@/='\" \t\r\n\v\f");
  const char *at = strrchr(text, '@');

  if (user == 0 || text[user] != ':' || !at || strstr(text, "://") ||
      text[strcspn(text, blanks)] != '\0')
    return NULL;
  strbuf_add(out, text, user + 1);
  strbuf_adds(out, SECRET_SHOWN);
  return at;
}

void secret_redact(const char *text, struct strbuf *out)
{
  const char *first = text + strspn(text, SCHEME);
  const char *host = redact_login(text, out);
  bool in_url = false;

  if (host)
    text = host;
  while (*text) {
    const char *next = NULL;
    size_t n = 1;

    if (strncmp(text, "://", 3) == 0) {
      text = redact_user(text, text == first, out);
      in_url = true;
      continue;
    }
    if (in_url && (*text == '?' || *text == '&')) {
      next = redact_parameter(text, out);
    } else if (secret_is_word(*text)) {
      while (secret_is_word(text[n]))
        n++;
      next = redact_keyword(text, n, out);
    } else if (strchr(blanks, *text)) {
      in_url = false;
    }
    if (!next) {
      strbuf_add(out, text, n);
      next = text + n;
    }
    text = next;
  }
}

bool secret_is_in(const char *text)
{
  struct strbuf shown = { 0 };
  bool differs;

  secret_redact(text, &shown);
  /* Without memory the answer is unknown. */
  differs = shown.failed || strcmp(strbuf_str(&shown), text) != 0;
  strbuf_done(&shown);
  return differs;
}

char *secret_first_line(char *text, size_t len)
{
  const char *end = memchr(text, '\n', len);
  size_t n = end ? (size_t)(end - text) : len;

  if (n > 0 && text[n - 1] == '\r')
    n--;
  if (n == 0 || memchr(text, '\0', n))
    return NULL;
  text[n] = '\0';
  return text;
}
