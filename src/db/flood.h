/*
 * flood.h - no more than 20 messages with the same code in a second, and no
 * message twice.
 */
#ifndef BENCH_DB_FLOOD_H
#define BENCH_DB_FLOOD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

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
