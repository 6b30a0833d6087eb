/*
 * message.c - messages of several lines, and those of fatal errors, which wait
 * until a script was asked.
 */
#include "db/message.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/utf8.h"
#include "db/conn.h"
#include "db/env.h"

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
  struct db_process *p = m->env->process;
  uint64_t held;

  if (m->lines.len > 0 && p->identity == IDENTITY_BENCH &&
      flood_repeats(&p->flood, m->code, strbuf_str(&m->lines))) {
    m->env->told = true;
  } else if (m->lines.len > 0) {
    const bool allowed = flood_allows(&p->flood, m->code, clock_now_ns(),
                                      &held);

    m->env->told = true;
    if (held > 0)
      log_msg(LOG_FATAL, "(%" PRIu64 " more message%s with error %s)", held,
              fmt_plural(held), m->code);
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
