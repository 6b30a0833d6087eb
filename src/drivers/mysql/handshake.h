/*
 * handshake.h - messages from the greeting to the answer of the first
 * statement: bytes in, bytes out, without a socket.
 *
 * mysql_native_password and caching_sha2_password are possible.  The password
 * itself is sent only over a Unix socket or TLS.
 */
#ifndef BENCH_DRIVERS_MYSQL_HANDSHAKE_H
#define BENCH_DRIVERS_MYSQL_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver_visit.h"
#include "drivers/mysql/scramble.h"
#include "drivers/mysql/shim.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/handshake.h"

struct mysql_session;

enum {
  HANDSHAKE_CHARSET = 45, /* utf8mb4_general_ci */
  HANDSHAKE_FLAG_NO_EOF = 1 << 24
};

/* All texts are borrowed. */
struct mysql_handshake_who {
  const char *user;
  const char *password; /* [opt] */
  const char *db;       /* [opt] */
  bool alone;           /* a Unix socket */
  enum tls_mode tls;
  uint8_t charset; /* of a collation */
};

enum mysql_handshake_stage {
  HANDSHAKE_HELLO,
  HANDSHAKE_TLS, /* the request is appended: encrypt, and go on */
  HANDSHAKE_PROOF,
  HANDSHAKE_PASSWORD,
  HANDSHAKE_IDLE,
  HANDSHAKE_ANSWER,
  HANDSHAKE_COLUMNS,
  HANDSHAKE_COLUMNS_END,
  HANDSHAKE_ROWS,
};

enum mysql_handshake_plugin {
  HANDSHAKE_NATIVE,
  HANDSHAKE_SHA2,
};

/* The caller sets the first member; the rest is 0. */
struct mysql_handshake {
  const struct mysql_handshake_who *who;

  enum mysql_handshake_stage stage;
  enum mysql_handshake_plugin plugin;
  unsigned flags; /* common */
  bool bulk;      /* both sides take many rows for a statement */
  uint32_t id;
  unsigned status;
  uint8_t nonce[SCRAMBLE_NONCE];
  uint8_t seq;
  size_t total; /* since the server was ready, or the beginning */
  bool ready;
  bool encrypted;

  /* Of the last statement. */
  bool with_rows;
  uint32_t columns, columns_left;
  uint64_t rows, affected;

  /* Of a failure. */
  int code;      /* the server's, or of a library */
  char state[6]; /* "": none */
  char text[512];
  bool refused;
  bool not_this; /* not even the protocol */
};

/* Append a statement; the server is ready.  False: no memory. */
bool mysqld_handshake_ask(struct mysql_handshake *g, const char *sql,
                          size_t len, struct wire_buffer *out);

/* As take() of handshake_protocol; the server begins.  Unless TLS is disabled,
 * HANDSHAKE_READY comes after its greeting as well.  A statement that fails
 * is HANDSHAKE_FAILED with `ready`.  Of several results, the first is taken. */
enum handshake_rc mysqld_handshake_take(struct mysql_handshake *g,
                                        struct wire_buffer *in,
                                        struct wire_buffer *out);

/* The stage was HANDSHAKE_TLS: append the login.  False: no memory. */
bool mysqld_handshake_log_in(struct mysql_handshake *g,
                             struct wire_buffer *out);

/* Append the farewell; false: no memory. */
bool mysqld_handshake_end(struct wire_buffer *out);

driver_visit mysqld_visit;

/* Without the library, which keeps 20 KiB.  VISIT_CANNOT: the library has to
 * open the session, or to say why not. */
enum visit_rc mysqld_raw_connect(struct mysql_session *s, uint64_t until_ns,
                                 struct outcome *out);
/* The library has opened a session: may others be raw? */
void mysqld_raw_note(struct mysql_session *s);
/* Without a wait. */
void mysqld_raw_close(struct mysql_session *s);

#endif
