/*
 * message.c - messages of several lines, and those of fatal errors, which wait
 * until a script was asked.
 */
#include "db/message.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "db/conn.h"
#include "db/env.h"

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

struct conn_message conn_take_message(struct conn *c)
{
  struct conn_message m = { .env = c->env };

  if (c->attention & CONN_MESSAGE) {
    m.lines = c->message;
    memcpy(m.code, c->message_code, sizeof(m.code));
    c->message = (struct strbuf){ 0 };
    c->attention &= ~(unsigned)CONN_MESSAGE;
  }
  return m;
}

void conn_print_message(struct conn_message *m)
{
  uint64_t held;

  if (m->lines.len > 0) {
    const bool allowed = flood_allows(&m->env->process->flood, m->code,
                                      clock_now_ns(), &held);

    if (held > 0)
      log_msg(LOG_FATAL, "(%" PRIu64 " more messages with error %s)", held,
              m->code);
    if (allowed)
      message_lines(LOG_FATAL, &m->lines);
  }
  conn_drop_message(m);
}

void conn_drop_message(struct conn_message *m)
{
  strbuf_done(&m->lines);
}

void conn_say(struct conn *c)
{
  struct conn_message m = conn_take_message(c);

  conn_print_message(&m);
}
