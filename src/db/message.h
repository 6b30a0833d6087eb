/*
 * message.h - texts that drivers put into their messages; no more than 20
 * messages with the same code in a second, and no message twice.
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
}; /* bytes of a statement in a message */

/*
 * Text from a server or a user, as part of a message: its line breaks do not
 * end the message.  Those after its last line are left out.
 */
void message_text(struct strbuf *to, const char *text, size_t len);

/* The same for a statement, which is cut to MESSAGE_SQL_MAX bytes and "...". */
void message_sql(struct strbuf *to, const char *sql, size_t len);

/* Print each line as one message; a message may have several lines in it. */
void message_lines(enum log_level level, const struct strbuf *lines);

enum {
  FLOOD_CODES = 64,
  FLOOD_PER_SECOND = 20
};

struct flood_code {
  char name[16]; /* "" = free */
  uint64_t second;
  unsigned shown;
  uint64_t held;  /* not printed in that second */
  uint64_t text;  /* a hash of the first message; 0: there was none */
  uint64_t alike; /* messages that say the same as the first one */
};

/* All protected by the lock. */
struct flood {
  pthread_mutex_t lock;
  struct flood_code code[FLOOD_CODES]; /* the last one serves all others */
};

void flood_init(struct flood *f);
void flood_done(struct flood *f);

/*
 * May a message with this code be printed at this moment?  If messages of an
 * earlier second were held back, *ret_held is their number and the caller
 * prints `(N more messages with error CODE)` first; else 0.
 */
bool flood_allows(struct flood *f, const char *code, uint64_t now_ns,
                  uint64_t *ret_held);

/*
 * Does the message say the same as the first one with this code?  Only numbers
 * may differ, as in names of tables.  Then it is counted, and not for printing.
 */
bool flood_repeats(struct flood *f, const char *code, const char *text);

/* Prints what is still held back. */
void flood_flush(struct flood *f);

#endif
