/*
 * handshake.h - what a client and a MySQL or MariaDB server say to each other
 * from the greeting of the server to the answer of the first statement: bytes
 * in, bytes out, without a socket.
 *
 * Logins with mysql_native_password and caching_sha2_password are known here.
 * The server may ask for the password as it is, which is sent only where nobody
 * can listen.
 */
#ifndef BENCH_DRIVERS_MYSQL_HANDSHAKE_H
#define BENCH_DRIVERS_MYSQL_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver_visit.h"
#include "drivers/mysql/scramble.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/handshake.h"

struct mysql_session;

enum {
  HANDSHAKE_CHARSET = 45,         /* utf8mb4_general_ci */
  HANDSHAKE_FLAG_NO_EOF = 1 << 24 /* of mysql_handshake.flags */
};

/* Who logs in; all is borrowed. */
struct mysql_handshake_who {
  const char *user;
  const char *password; /* [opt] */
  const char *db;       /* [opt] */
  bool alone;           /* nobody can listen: it is a Unix socket */
  uint8_t charset;      /* number of a collation */
};

enum mysql_handshake_stage {
  HANDSHAKE_HELLO,    /* the greeting */
  HANDSHAKE_PROOF,    /* the server judges the proof */
  HANDSHAKE_PASSWORD, /* ... the password, which it has got as it is */
  HANDSHAKE_IDLE,     /* it awaits a statement */
  HANDSHAKE_ANSWER,   /* the first packet of an answer */
  HANDSHAKE_COLUMNS,
  HANDSHAKE_COLUMNS_END,
  HANDSHAKE_ROWS,
};

enum mysql_handshake_plugin {
  HANDSHAKE_NATIVE, /* mysql_native_password */
  HANDSHAKE_SHA2,   /* caching_sha2_password */
};

/* The caller sets the first member; the rest is 0. */
struct mysql_handshake {
  const struct mysql_handshake_who *who;

  enum mysql_handshake_stage stage;
  enum mysql_handshake_plugin plugin;
  unsigned flags; /* that both sides know */
  bool bulk;      /* both know statements with many rows */
  uint32_t id;    /* of the session, on the server */
  unsigned status;
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
  char text[512]; /* also of HANDSHAKE_CANNOT */
  bool refused;   /* the server has sent an error */
  bool not_this;  /* it does not even speak this protocol */
};

/* Append a statement, when the server is ready; false: no memory. */
bool mysqld_handshake_ask(struct mysql_handshake *g, const char *sql,
                          size_t len, struct wire_buffer *out);

/*
 * As take() of handshake_protocol.  It begins with what the server says:
 * nothing is to be sent before.  A statement that fails is HANDSHAKE_FAILED,
 * and `ready` is true.  Of the answer to several statements in one, the first
 * result is taken.
 */
enum handshake_rc mysqld_handshake_take(struct mysql_handshake *g,
                                        struct wire_buffer *in,
                                        struct wire_buffer *out);

/* Append the message that ends a session; false: no memory. */
bool mysqld_handshake_end(struct wire_buffer *out);

/* A connection for one statement. */
driver_visit mysqld_visit;

/*
 * Open a raw session: one without the client library, which keeps 20 KiB for
 * each connection.  VISIT_CANNOT: the library has to open it, or to say why
 * that fails.
 */
enum visit_rc mysqld_raw_connect(struct mysql_session *s, uint64_t until_ns,
                                 struct outcome *out);
/* The library has opened a session: may the next ones be raw? */
void mysqld_raw_note(struct mysql_session *s);
/* End a raw session, without a wait. */
void mysqld_raw_close(struct mysql_session *s);

#endif
