/*
 * lane_words.c - what lanes say of their session: where it goes, and why it
 * could not be opened.
 */
#include <stdio.h>

#include "db/lane.h"
#include "db/lane_parts.h"

static void keep(char *to, size_t room, struct strbuf *from)
{
  (void)snprintf(to, room, "%s", strbuf_str(from));
  strbuf_done(from);
}

void lane_note_target(struct lane *lane)
{
  const struct line *l = lane->line;
  struct strbuf b = { 0 };

  l->driver->target(l->session, &b);
  keep(lane->words.target, sizeof(lane->words.target), &b);
}

int lane_keep_reason(struct lane *lane, struct outcome *out)
{
  const struct line *l = lane->line;
  struct strbuf b = { 0 };

  l->driver->connect_reason(l->session, out, &b);
  keep(lane->words.reason, sizeof(lane->words.reason), &b);
  l->driver->connect_message(l->session, out, &b);
  keep(lane->words.message, sizeof(lane->words.message), &b);
  lane_keep_text(lane, out);
  return -1;
}

int lane_refuse(struct session *s, struct outcome *out, const char *format,
                const char *what)
{
  struct lane_words *words = &lane_of(s)->words;

  *out = (struct outcome){ .permanent = true, .state = "HY000" };
  (void)snprintf(words->reason, sizeof(words->reason), format, what);
  (void)snprintf(words->message, sizeof(words->message), "%s\n", words->reason);
  out->msg = words->reason;
  return -1;
}

/* ---- one failure for all that have waited for it ---- */

void lane_note_failure(struct session *s, const struct outcome *out)
{
  const struct lane *lane = lane_of(s);
  struct line *l = s->env->line;

  (void)atomic_fetch_add_explicit(&l->failures, 1, memory_order_relaxed);
  l->failed = *out;
  l->failed_words = lane->words;
  (void)snprintf(l->failed_text, sizeof(l->failed_text), "%s",
                 out->msg ? out->msg : "");
}

void lane_share_failure(struct session *s, struct outcome *out)
{
  struct lane *lane = lane_of(s);
  const struct line *l = s->env->line;

  lane->line = s->env->line;
  lane->words = l->failed_words;
  *out = l->failed;
  out->msg = l->failed_text;
  lane_keep_text(lane, out);
}

/* ---- what others ask for ---- */

void lane_connect_message(const struct session *s, const struct outcome *out,
                          struct strbuf *lines)
{
  (void)out;
  strbuf_adds(lines, lane_of(s)->words.message);
}

void lane_connect_reason(const struct session *s, const struct outcome *out,
                         struct strbuf *line)
{
  (void)out;
  strbuf_adds(line, lane_of(s)->words.reason);
}

void lane_target(const struct session *s, struct strbuf *line)
{
  strbuf_adds(line, lane_of(s)->words.target);
}
