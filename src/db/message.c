/*
 * message.c - texts that go into messages, and messages of several lines.
 */
#include "db/message.h"

#include <string.h>

void message_sql(struct strbuf *to, const char *sql, size_t len)
{
  if (len <= MESSAGE_SQL_MAX) {
    strbuf_add(to, sql, len);
    return;
  }
  strbuf_add(to, sql, MESSAGE_SQL_MAX);
  strbuf_adds(to, "...");
}

void message_lines(enum log_level level, const struct strbuf *lines)
{
  const char *p = strbuf_str(lines);

  while (*p) {
    const size_t n = strcspn(p, "\n");

    log_msg(level, "%.*s", (int)n, p);
    p += n + (p[n] == '\n');
  }
}
