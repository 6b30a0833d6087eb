/*
 * handshake.h - what a client and a PostgreSQL server say to each other from
 * the first message of a session to the answer of its first statement: bytes
 * in, bytes out, without a socket.
 *
 * Logins without a password, with md5 and with SCRAM-SHA-256 are known here.
 * A password is never sent as it is.
 */
#ifndef BENCH_DRIVERS_PGSQL_HANDSHAKE_H
#define BENCH_DRIVERS_PGSQL_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drivers/wire/buffer.h"
#include "drivers/wire/handshake.h"
#include "drivers/wire/scram.h"

/* Who logs in; all is borrowed. */
struct pgsql_handshake_who {
  const char *user;
  const char *password; /* [opt] */
  const char *db;       /* [opt] that of the user's name */
  const char *options;  /* [opt] */
};

enum pgsql_handshake_stage {
  HANDSHAKE_LOGIN,       /* a request for a password, or OK */
  HANDSHAKE_SCRAM_FIRST, /* the first message of the server */
  HANDSHAKE_SCRAM_LAST,  /* its signature */
  HANDSHAKE_LOGGED_IN,   /* OK */
  HANDSHAKE_SETTINGS,    /* settings, then ready */
  HANDSHAKE_ANSWER,      /* of a statement */
};

/* The caller sets the first three members; the rest is 0. */
struct pgsql_handshake {
  const struct pgsql_handshake_who *who;
  struct scram_keys *keys; /* borrowed: of earlier logins */
  uint64_t until_ns;

  enum pgsql_handshake_stage stage;
  struct scram scram;
  size_t total;     /* bytes since the server was ready, or the beginning */
  bool ready;       /* the server awaits a statement */
  bool refused;     /* the server has sent an error: `state`, `text` */
  bool forged;      /* the server has not proven that it has the password */
  bool not_this;    /* the other side is no PostgreSQL server */
  bool complete;    /* the statement was executed */
  uint64_t rows;    /* ... and has so many rows */
  bool with_rows;   /* it has a result set */
  unsigned columns; /* of that */

  /* What the server has told of the session before it was ready. */
  bool backslash;     /* standard_conforming_strings is off */
  char encoding[32];  /* of the client; "": not told */
  uint8_t cancel[16]; /* the request that cancels its statement... */
  bool can_cancel;    /* ...if that was told */

  char state[6];   /* SQLSTATE; "": none */
  char text[2048]; /* lines, each with its end */
};

/* The request for TLS; the server answers with one letter, S or N. */
extern const uint8_t pgsql_handshake_tls[8];

/* Append the first message to `out`; false: no memory. */
bool pgsql_handshake_begin(struct pgsql_handshake *g, struct wire_buffer *out);

/* Append a statement, when the server is ready; false: no memory. */
bool pgsql_handshake_ask(struct pgsql_handshake *g, const char *sql, size_t len,
                         struct wire_buffer *out);

/* As take() of handshake_protocol.  A statement that fails is HANDSHAKE_FAILED.
 */
enum handshake_rc pgsql_handshake_take(struct pgsql_handshake *g,
                                       struct wire_buffer *in,
                                       struct wire_buffer *out);

/* Append the message that ends a session; false: no memory. */
bool pgsql_handshake_end(struct wire_buffer *out);

#endif
