/*
 * greet_answer.h - packets that are the same in a login and in the answer to a
 * statement, and those of the answer (for greet.c only).
 */
#ifndef BENCH_DRIVERS_MYSQL_GREET_ANSWER_H
#define BENCH_DRIVERS_MYSQL_GREET_ANSWER_H

#include "drivers/mysql/greet_state.h"
#include "drivers/wire/greet.h"

enum {
  GREET_FLAG_NO_EOF = 1 << 24,

  GREET_FIRST_OK = 0x00,
  GREET_FIRST_END = 0xfe,
  GREET_FIRST_ERROR = 0xff,
};

/* Fill in a failure that no server has sent; GREET_FAILED. */
enum greet_rc mysqld_greet_fail(struct mysql_greet *g, int code,
                                const char *why);
enum greet_rc mysqld_greet_malformed(struct mysql_greet *g);

/* The packet reports an error; GREET_FAILED. */
enum greet_rc mysqld_greet_refused(struct mysql_greet *g, const uint8_t *packet,
                                   size_t len);

/* A packet of the answer to a statement, whose length is not 0. */
enum greet_rc mysqld_greet_answer(struct mysql_greet *g, const uint8_t *packet,
                                  size_t len);

#endif
