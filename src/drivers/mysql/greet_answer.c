/*
 * greet_answer.c - errors, and the answer to a statement.
 */
#include "drivers/mysql/greet_answer.h"

#include <stdio.h>
#include <string.h>

#include "drivers/mysql/bytes.h"
#include "drivers/mysql/code.h"

enum {
  COLUMN_MIN = 12, /* bytes of a definition */
  END_LENGTH = 5,
  STATE_LENGTH = 6, /* with its mark */
};

enum greet_rc mysqld_greet_fail(struct mysql_greet *g, int code,
                                const char *why)
{
  g->code = code;
  (void)snprintf(g->text, sizeof(g->text), "%s", why);
  return GREET_FAILED;
}

enum greet_rc mysqld_greet_malformed(struct mysql_greet *g)
{
  return mysqld_greet_fail(g, CODE_MALFORMED, "Malformed packet");
}

enum greet_rc mysqld_greet_refused(struct mysql_greet *g, const uint8_t *packet,
                                   size_t len)
{
  struct bytes b = { packet + 1, packet + len };
  const uint8_t *code = bytes_take(&b, 2);

  if (!code || bytes_le(code, 2) == 0) /* 0 would be no error */
    return mysqld_greet_malformed(g);
  if (b.end - b.at >= STATE_LENGTH && *b.at == '#') {
    memcpy(g->state, b.at + 1, STATE_LENGTH - 1);
    b.at += STATE_LENGTH;
  }
  g->refused = true;
  g->code = (int)bytes_le(code, 2);
  (void)snprintf(g->text, sizeof(g->text), "%.*s", (int)(b.end - b.at),
                 (const char *)b.at);
  return GREET_FAILED;
}

static enum greet_rc ready(struct mysql_greet *g)
{
  g->stage = GREET_IDLE;
  g->ready = true;
  return GREET_READY;
}

/* The session goes on after an error. */
static enum greet_rc statement_refused(struct mysql_greet *g,
                                       const uint8_t *packet, size_t len)
{
  (void)mysqld_greet_refused(g, packet, len);
  g->ready = g->refused;
  return GREET_FAILED;
}

static enum greet_rc first(struct mysql_greet *g, const uint8_t *packet,
                           size_t len)
{
  struct bytes b = { packet, packet + len };
  uint64_t n;

  if (*packet == GREET_FIRST_OK) {
    b.at++;
    return bytes_number(&b, &g->affected) ? ready(g)
                                          : mysqld_greet_malformed(g);
  }
  /* Another first byte that is no number asks for a file of the client. */
  if (!bytes_number(&b, &n) || n == 0 || n > UINT16_MAX)
    return mysqld_greet_malformed(g);
  g->with_rows = true;
  g->columns = g->columns_left = (uint32_t)n;
  g->stage = GREET_COLUMNS;
  return GREET_MORE;
}

static enum greet_rc column(struct mysql_greet *g, size_t len)
{
  if (len < COLUMN_MIN)
    return mysqld_greet_malformed(g);
  if (--g->columns_left == 0)
    g->stage = g->flags & GREET_FLAG_NO_EOF ? GREET_ROWS : GREET_COLUMNS_END;
  return GREET_MORE;
}

static bool is_end(const struct mysql_greet *g, const uint8_t *packet,
                   size_t len)
{
  return *packet == GREET_FIRST_END &&
         (g->flags & GREET_FLAG_NO_EOF || len == END_LENGTH);
}

enum greet_rc mysqld_greet_answer(struct mysql_greet *g, const uint8_t *packet,
                                  size_t len)
{
  if (*packet == GREET_FIRST_ERROR)
    return statement_refused(g, packet, len);
  switch (g->stage) {
  case GREET_ANSWER:
    return first(g, packet, len);
  case GREET_COLUMNS:
    return column(g, len);
  case GREET_COLUMNS_END:
    g->stage = GREET_ROWS;
    return is_end(g, packet, len) ? GREET_MORE : mysqld_greet_malformed(g);
  case GREET_ROWS:
    if (is_end(g, packet, len))
      return ready(g);
    g->rows++;
    return GREET_MORE;
  default:
    return mysqld_greet_malformed(g);
  }
}
