/*
 * greet_state.h - how far a client and a server have come in what they say to
 * each other: see greet.h.
 */
#ifndef BENCH_DRIVERS_MYSQL_GREET_STATE_H
#define BENCH_DRIVERS_MYSQL_GREET_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/mysql/scramble.h"

/* Who logs in; all is borrowed. */
struct mysql_greet_who {
  const char *user;
  const char *password; /* [opt] */
  const char *db;       /* [opt] */
  bool alone;           /* nobody can listen: it is a Unix socket */
};

enum mysql_greet_stage {
  GREET_HELLO,    /* the greeting */
  GREET_PROOF,    /* the server judges the proof */
  GREET_PASSWORD, /* ... the password, which it has got as it is */
  GREET_IDLE,     /* it awaits a statement */
  GREET_ANSWER,   /* the first packet of an answer */
  GREET_COLUMNS,
  GREET_COLUMNS_END,
  GREET_ROWS,
};

enum mysql_greet_plugin {
  GREET_NATIVE, /* mysql_native_password */
  GREET_SHA2,   /* caching_sha2_password */
};

/* The caller sets the first member; the rest is 0. */
struct mysql_greet {
  const struct mysql_greet_who *who;

  enum mysql_greet_stage stage;
  enum mysql_greet_plugin plugin;
  unsigned flags; /* that both sides know */
  uint8_t nonce[SCRAMBLE_NONCE];
  uint8_t seq;  /* number of the next packet */
  size_t total; /* bytes since the server was ready, or the beginning */
  bool ready;   /* the server awaits a statement */

  /* Of the last statement. */
  bool with_rows;
  uint32_t columns, columns_left;
  uint64_t rows, affected;

  /* Of a failure. */
  int code;       /* the server's, or that of a library */
  char state[6];  /* "": the server has sent none */
  char text[512]; /* also of GREET_CANNOT */
  bool refused;   /* the server has sent an error */
  bool not_this;  /* it does not even speak this protocol */
};

#endif
