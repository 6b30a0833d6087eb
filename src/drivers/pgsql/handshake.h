/*
 * handshake.h - messages from the begin of a session to the answer of its first
 * statement: bytes in, bytes out, without a socket.
 *
 * No password, md5, SCRAM-SHA-256, SCRAM-SHA-256-PLUS and OAUTHBEARER are
 * possible; the token is the password.  Plain passwords need TLS, tokens TLS or
 * `cleartext`.
 */
#ifndef BENCH_DRIVERS_PGSQL_HANDSHAKE_H
#define BENCH_DRIVERS_PGSQL_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/wire/buffer.h"
#include "drivers/wire/handshake.h"
#include "drivers/wire/scram.h"
#include "drivers/wire/tls.h"

/* All texts are borrowed. */
struct pgsql_handshake_who {
  const char *user;
  const char *password; /* [opt] */
  const char *db;       /* [opt] NULL: the user's name */
  const char *options;  /* [opt] */
};

enum pgsql_handshake_stage {
  HANDSHAKE_LOGIN,
  HANDSHAKE_SCRAM_FIRST,
  HANDSHAKE_SCRAM_LAST,
  HANDSHAKE_TOKEN,
  HANDSHAKE_TOKEN_REFUSED,
  HANDSHAKE_LOGGED_IN,
  HANDSHAKE_SETTINGS,
  HANDSHAKE_ANSWER,
};

/* The caller sets the first block; the rest is 0. */
struct pgsql_handshake {
  const struct pgsql_handshake_who *who;
  struct scram_keys *keys; /* borrowed */
  uint64_t until_ns;
  bool encrypted, cleartext;
  uint8_t end_point[TLS_END_POINT_MAX]; /* see wire_tls_end_point() */
  size_t end_point_len;

  enum pgsql_handshake_stage stage;
  struct scram scram;
  size_t total; /* since the server was ready, or the beginning */
  bool ready;
  bool refused; /* an error was sent: `state`, `text` */
  bool forged;  /* without proof that the server has the password */
  bool not_this;
  bool complete;
  uint64_t rows;
  bool with_rows;
  unsigned columns;

  bool backslash;
  char encoding[32]; /* client_encoding; "": unknown */
  char version[32];  /* of the server; "": unknown */
  uint8_t cancel[16];
  bool can_cancel;

  char state[6];     /* SQLSTATE; "": none */
  char refusal[256]; /* of a token, in JSON; "": none */
  char text[2048];   /* lines, each with its end */
};

/* Append the first message to `out`; false: no memory. */
bool pgsql_handshake_begin(struct pgsql_handshake *g, struct wire_buffer *out);

/* Append a statement; the server is ready.  False: no memory. */
bool pgsql_handshake_ask(struct pgsql_handshake *g, const char *sql, size_t len,
                         struct wire_buffer *out);

/* As take() of handshake_protocol; HANDSHAKE_FAILED: also a statement that
 * fails. */
enum handshake_rc pgsql_handshake_take(struct pgsql_handshake *g,
                                       struct wire_buffer *in,
                                       struct wire_buffer *out);

/* Append the farewell; false: no memory. */
bool pgsql_handshake_end(struct wire_buffer *out);

#endif
