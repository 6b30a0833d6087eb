#include "db/conn_message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/log.h"
#include "db/message.h"
#include "db/transport.h"

void conn_error_name(const struct conn *c, char *to, size_t size)
{
  if (c->driver->caps & DRIVER_BY_NUMBER)
    (void)snprintf(to, size, "%d", c->fail.code);
  else
    (void)snprintf(to, size, "%s", c->fail.state);
}

/* then a reason for failures */
enum {
  LARGE_STATEMENT = 1000 * 1000
};

static bool conn_message_hint_applies(const struct driver_hint *h,
                                      const struct conn *c, size_t len)
{
  return (h->code == 0 || h->code == c->fail.code) &&
         (!h->state || strcmp(h->state, c->fail.state) == 0) &&
         (!h->bundled || c->env->process->facts.bundled) &&
         (!h->large || len >= LARGE_STATEMENT);
}

static void conn_message_add_hints(struct conn *c, size_t len)
{
  const struct driver_hint *h = c->driver->hints;

  for (; h && h->text; h++) {
    if (!conn_message_hint_applies(h, c, len))
      continue;
    strbuf_adds(&c->message, h->text);
    if (h->large)
      strbuf_addf(&c->message, " (%zu bytes)", len);
    strbuf_adds(&c->message, "\n");
  }
}

static void conn_message_add_limit(struct conn *c)
{
  char text[FMT_DOUBLE_SIZE];

  if (c->owed & CONN_OWES_CANCEL && !c->out.in_time) /* see verdict_is_cut() */
    strbuf_addf(&c->message,
                "the statement took longer than --db-query-timeout=%s\n",
                fmt_shortest(text, c->env->process->set.query_timeout_s));
}

/* Like sysbench, prints the driver's lines; else one line. */
static void conn_message_add_own_lines(struct conn *c, const struct strbuf *own)
{
  const bool joins = c->env->process->identity == IDENTITY_BENCH;
  const char *text = strbuf_str(own);

  while (*text) {
    const size_t len = strcspn(text, "\n");

    strbuf_add(&c->message, text, len);
    text += len + (text[len] == '\n');
    strbuf_adds(&c->message, joins && *text ? "; " : "\n");
  }
}

void conn_keep_message(struct conn *c, enum call call, const char *sql,
                       size_t len)
{
  const bool unread = call == CALL_UNREAD;
  struct strbuf cut = { 0 }, own = { 0 };

  message_sql(&cut, sql, len);
  strbuf_clear(&c->message);
  c->driver->message(c->session, unread ? CALL_NEXT : call, &c->out,
                     strbuf_str(&cut), &own);
  conn_message_add_own_lines(c, &own);
  strbuf_done(&own);
  if (unread)
    strbuf_adds(
      &c->message,
      "it is an error among unread results of the previous statement\n");
  conn_message_add_hints(c, len);
  conn_message_add_limit(c);
  strbuf_done(&cut);
  conn_error_name(c, c->message_code, sizeof(c->message_code));
  c->owed |= CONN_OWES_MESSAGE;
}

void conn_keep_connect_message(struct conn *c)
{
  strbuf_clear(&c->message);
  if (c->out.other_role)
    transport_reason(c, &c->message);
  else
    c->driver->connect_message(c->session, &c->out, &c->message);
  conn_error_name(c, c->message_code, sizeof(c->message_code));
  c->owed |= CONN_OWES_MESSAGE;
}

struct conn_message conn_take_message(struct conn *c)
{
  struct conn_message m = { .env = c->env };

  if (c->owed & CONN_OWES_MESSAGE) {
    m.lines = c->message;
    memcpy(m.code, c->message_code, sizeof(m.code));
    c->message = (struct strbuf){ 0 };
    c->owed &= ~(unsigned)CONN_OWES_MESSAGE;
  }
  return m;
}

static void conn_message_add_place(struct strbuf *lines, const char *code,
                                   const char *place)
{
  const char *text = strbuf_str(lines);
  const size_t first = strcspn(text, "\n");
  struct strbuf with = { 0 };

  strbuf_addf(&with, "%.*s (", (int)first, text);
  if (!strstr(text, code))
    strbuf_addf(&with, "state = '%s', ", code);
  strbuf_addf(&with, "at %s)%s", place, text + first);
  strbuf_done(lines);
  *lines = with;
}

bool conn_print_message(struct conn_message *m, const char *place)
{
  struct db_process *p = m->env->process;
  bool shown = false;
  uint64_t held;

  if (m->lines.len > 0 && p->identity == IDENTITY_BENCH &&
      flood_repeats(&p->flood, m->code, strbuf_str(&m->lines))) {
    m->env->reported = true;
  } else if (m->lines.len > 0) {
    shown = flood_allows(&p->flood, m->code, clock_now_ns(), &held);
    m->env->reported = true;
    if (held > 0)
      log_msg(LOG_FATAL, "(%" PRIu64 " more message%s with error %s)", held,
              fmt_plural(held), m->code);
    if (*place)
      conn_message_add_place(&m->lines, m->code, place);
    if (shown)
      message_lines(LOG_FATAL, &m->lines);
  }
  conn_drop_message(m);
  return shown;
}

void conn_drop_message(struct conn_message *m)
{
  strbuf_done(&m->lines);
}

void conn_say(struct conn *c)
{
  struct conn_message m = conn_take_message(c);

  (void)conn_print_message(&m, "");
}
