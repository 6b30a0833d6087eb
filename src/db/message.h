/*
 * message.h - texts of messages; 20 with the same code in a second, none twice.
 */
#ifndef BENCH_DB_MESSAGE_H
#define BENCH_DB_MESSAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "base/strbuf.h"

enum {
  MESSAGE_SQL_MAX = 1000
}; /* of a statement */

/* Inner line breaks do not end the message; last ones are dropped. */
void message_text(struct strbuf *to, const char *text, size_t len);

/* Cut to MESSAGE_SQL_MAX bytes and "...". */
void message_sql(struct strbuf *to, const char *sql, size_t len);

void message_lines(enum log_level level, const struct strbuf *lines);

enum {
  FLOOD_CODES = 64,
  FLOOD_PER_SECOND = 20
};

struct flood_code {
  char name[16];
  uint64_t second;
  unsigned shown;
  uint64_t held;
  uint64_t text;
  uint64_t alike;
};

/* Protected by the lock. */
struct flood {
  pthread_mutex_t lock;
  struct flood_code code[FLOOD_CODES]; /* the last: all other codes */
};

void flood_init(struct flood *f);
void flood_done(struct flood *f);

/* *ret_held: how many were held back before. */
bool flood_allows(struct flood *f, const char *code, uint64_t now_ns,
                  uint64_t *ret_held);

/* Of the first message with this code, but for numbers?  Then counted. */
bool flood_repeats(struct flood *f, const char *code, const char *text);

void flood_flush(struct flood *f);
/* False: the caller prints `count`. */
bool flood_has_shown(struct flood *f, const char *code, uint64_t count);

#endif
