#include "db/message.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fmt.h"
#include "base/utf8.h"

/* A line break inside a message, until printed. */
enum {
  INNER_BREAK = 0x1f
};

static void message_add_inner(struct strbuf *to, const char *text, size_t len)
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
  message_add_inner(to, text, len);
}

void message_sql(struct strbuf *to, const char *sql, size_t len)
{
  if (len <= MESSAGE_SQL_MAX) {
    message_add_inner(to, sql, len);
    return;
  }
  message_add_inner(to, sql, MESSAGE_SQL_MAX);
  strbuf_adds(to, "...");
}

static void message_say(enum log_level level, const char *line, size_t len)
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

    message_say(level, p, n);
    p += n + (p[n] == '\n');
  }
}

void flood_init(struct flood *f)
{
  memset(f, 0, sizeof(*f));
  (void)pthread_mutex_init(&f->lock, NULL);
}

void flood_done(struct flood *f)
{
  (void)pthread_mutex_destroy(&f->lock);
}

static struct flood_code *message_find(struct flood *f, const char *name)
{
  for (size_t i = 0; i < FLOOD_CODES - 1; i++) {
    struct flood_code *c = &f->code[i];

    if (c->name[0] == '\0')
      (void)snprintf(c->name, sizeof(c->name), "%s", name);
    if (strcmp(c->name, name) == 0)
      return c;
  }
  (void)snprintf(f->code[FLOOD_CODES - 1].name, sizeof(f->code[0].name), "%s",
                 "(other)");
  return &f->code[FLOOD_CODES - 1];
}

bool flood_allows(struct flood *f, const char *code, uint64_t now_ns,
                  uint64_t *ret_held)
{
  const uint64_t second = now_ns / NS_PER_S;
  struct flood_code *c;
  bool allowed;

  (void)pthread_mutex_lock(&f->lock);
  c = message_find(f, code);
  *ret_held = 0;
  if (c->second != second) {
    *ret_held = c->held;
    c->second = second;
    c->shown = 0;
    c->held = 0;
  }
  allowed = c->shown < FLOOD_PER_SECOND;
  if (allowed)
    c->shown++;
  else
    c->held++;
  (void)pthread_mutex_unlock(&f->lock);
  return allowed;
}

/* FNV-1a without digits; not 0. */
static uint64_t hash_words(const char *text)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);

  for (; *text; text++) {
    if (!isdigit((unsigned char)*text))
      hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  }
  return hash | 1;
}

bool flood_repeats(struct flood *f, const char *code, const char *text)
{
  const uint64_t hash = hash_words(text);
  struct flood_code *c;
  bool repeats;

  (void)pthread_mutex_lock(&f->lock);
  c = message_find(f, code);
  repeats = c->text == hash;
  if (repeats)
    c->alike++;
  if (c->text == 0)
    c->text = hash;
  (void)pthread_mutex_unlock(&f->lock);
  return repeats;
}

bool flood_has_shown(struct flood *f, const char *code, uint64_t count)
{
  bool shown = false;

  (void)pthread_mutex_lock(&f->lock);
  for (size_t i = 0; i < FLOOD_CODES; i++) {
    struct flood_code *c = &f->code[i];

    if (c->text == 0 || strcmp(c->name, code) != 0)
      continue;
    shown = count == 1;
    if (count > c->alike)
      c->alike = 0;
  }
  (void)pthread_mutex_unlock(&f->lock);
  return shown;
}

void flood_flush(struct flood *f)
{
  (void)pthread_mutex_lock(&f->lock);
  for (size_t i = 0; i < FLOOD_CODES; i++) {
    struct flood_code *c = &f->code[i];

    if (c->held > 0)
      log_msg(LOG_FATAL, "(%" PRIu64 " more message%s with error %s)", c->held,
              fmt_plural(c->held), c->name);
    if (c->alike > 0)
      log_msg(LOG_FATAL, "error %s happened %" PRIu64 " more time%s", c->name,
              c->alike, fmt_plural(c->alike));
    c->held = c->alike = 0;
  }
  (void)pthread_mutex_unlock(&f->lock);
}
