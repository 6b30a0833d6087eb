/*
 * message.c - messages of several lines.
 */
#include "db/message.h"

#include <string.h>

#include "base/utf8.h"

/* A line break inside of a message, until it is printed. */
enum {
  INNER_BREAK = 0x1f
};

static void add_inner(struct strbuf *to, const char *text, size_t len)
{
  const size_t before = to->len;

  utf8_add_shown(to, text, len, "\n\t");
  for (size_t i = before; i < to->len; i++) {
    if (to->text[i] == '\n')
      to->text[i] = INNER_BREAK;
  }
}

void message_text(struct strbuf *to, const char *text, size_t len)
{
  while (len > 0 && text[len - 1] == '\n')
    len--;
  add_inner(to, text, len);
}

void message_sql(struct strbuf *to, const char *sql, size_t len)
{
  if (len <= MESSAGE_SQL_MAX) {
    add_inner(to, sql, len);
    return;
  }
  add_inner(to, sql, MESSAGE_SQL_MAX);
  strbuf_adds(to, "...");
}

static void say(enum log_level level, const char *line, size_t len)
{
  struct strbuf text = { 0 };

  strbuf_add(&text, line, len);
  for (size_t i = 0; i < text.len; i++) {
    if (text.text[i] == INNER_BREAK)
      text.text[i] = '\n';
  }
  log_msg(level, "%s", strbuf_str(&text));
  strbuf_done(&text);
}

void message_lines(enum log_level level, const struct strbuf *lines)
{
  const char *p = strbuf_str(lines);

  while (*p) {
    const size_t n = strcspn(p, "\n");

    say(level, p, n);
    p += n + (p[n] == '\n');
  }
}
