/*
 * metrics_accept.c - reads an Accept header: types with parameters, separated
 * by commas.
 */
#include "results/metrics.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A part of the header, without blanks around it. */
struct piece {
  const char *text;
  size_t len;
};

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* The piece up to `stop`; *at is set to what follows.  False: there is none. */
static bool next_piece(const char **at, const char *end, char stop,
                       struct piece *ret)
{
  const char *from = *at, *to;

  if (from >= end)
    return false;
  to = memchr(from, stop, (size_t)(end - from));
  if (!to)
    to = end;
  *at = to + 1;
  while (from < to && is_blank(*from))
    from++;
  while (to > from && is_blank(to[-1]))
    to--;
  *ret = (struct piece){ from, (size_t)(to - from) };
  return true;
}

static bool is_word(const struct piece *p, const char *word)
{
  return p->len == strlen(word) && strncasecmp(p->text, word, p->len) == 0;
}

/* Read the value of "NAME=VALUE"; false: it is another parameter. */
static bool is_parameter(const struct piece *p, const char *name,
                         struct piece *ret)
{
  const size_t len = strlen(name);

  if (p->len <= len || strncasecmp(p->text, name, len) != 0 ||
      p->text[len] != '=')
    return false;
  *ret = (struct piece){ p->text + len + 1, p->len - len - 1 };
  return true;
}

/* The weight, 0 to 1; 0, not wanted, if it cannot be read. */
static double weight(const struct piece *p)
{
  char text[8] = "", *end;
  double q;

  if (p->len == 0 || p->len >= sizeof(text))
    return 0.0;
  memcpy(text, p->text, p->len);
  if (strspn(text, "0123456789.") != p->len)
    return 0.0;
  q = strtod(text, &end);
  return *end == '\0' && q <= 1.0 ? q : 0.0;
}

bool metrics_wants_openmetrics(const char *accept)
{
  const char *at = accept, *const end = accept + strlen(accept);
  double metrics = 0.0, text = 0.0;
  struct piece range;

  while (next_piece(&at, end, ',', &range)) {
    const char *in = range.text, *const range_end = range.text + range.len;
    struct piece type = { in, 0 }, part, value;
    bool known = true;
    double q = 1.0;

    (void)next_piece(&in, range_end, ';', &type);
    while (next_piece(&in, range_end, ';', &part)) {
      if (is_parameter(&part, "q", &value))
        q = weight(&value);
      else if (is_parameter(&part, "version", &value))
        known = value.len > 0 && value.text[0] == '1';
    }
    if (is_word(&type, "application/openmetrics-text") && known && q > metrics)
      metrics = q;
    else if (is_word(&type, "text/plain") && q > text)
      text = q;
  }
  return metrics > 0.0 && metrics >= text;
}
