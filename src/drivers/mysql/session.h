/*
 * session.h - connections and prepared statements.
 *
 * One of two backends serves a session: wire.c, for a fraction of the library's
 * instructions, or library.c, for compression, later protocols,
 * --mysql-protocol=library, and TLS unless we encrypt.
 *
 * Exported names begin with mysqld_, because the libraries use mysql_ and my_.
 */
#ifndef BENCH_DRIVERS_MYSQL_SESSION_H
#define BENCH_DRIVERS_MYSQL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "db/driver.h"
#include "drivers/mysql/options.h"
#include "drivers/mysql/shim.h"
#include "drivers/mysql/value.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/link.h"
#include "drivers/wire/pipe.h"

struct mysql_session;
struct mysql_prepared;

struct backend {
  const char *name;
  int (*query)(struct mysql_session *s, const char *sql, size_t len,
               struct outcome *out);
  int (*fetch)(struct mysql_session *s, sql_value *values);
  int (*next_result)(struct mysql_session *s, struct outcome *out);
  int (*end_results)(struct mysql_session *s, struct outcome *out);
  int (*prepare)(struct mysql_prepared *p, struct outcome *out);
  int (*execute)(struct mysql_prepared *p, struct outcome *out);
  void (*unprepare)(struct mysql_prepared *p, bool going);
  /* [opt] Before, and after the library closes the connection. */
  void (*closing)(struct mysql_session *s);
  void (*closed)(struct mysql_session *s);
};

extern const struct backend mysqld_wire_backend, mysqld_library_backend;

/* Texts are borrowed. */
struct address {
  const char *host, *socket; /* socket: or NULL */
  unsigned port;
  bool tcp; /* also to localhost */
  bool skips_port;
  const char *user, *password, *db;
  bool first; /* first session of the process */
  bool files; /* rows may be loaded as if from a local file */
};

struct wire {
  struct wire_forms forms;
  bool poll_first; /* see wire_receive() */
  bool large;      /* a buffer is large enough to be given back */
  bool light;      /* one of many sessions: keep little */
  bool bulk;

  struct wire_buffer in;
  uint8_t seq;
  uint8_t requests; /* modulo 256 */

  size_t next_row; /* offset */
  uint64_t rows_left;
  uint32_t nfields;
  struct mysql_prepared *from; /* NULL: text values */
  struct strbuf big;

  struct wire_buffer out;
  struct wire_pipe pipe;
};

/* The library would keep a whole result, however large. */
struct library_rows {
  struct strbuf bytes;
  size_t at;
  uint64_t left;
};

struct library {
  struct library_rows rows;
  struct mysql_prepared *from; /* of the open or pending result; or NULL */
  uint32_t nfields;
  MYSQL_BIND *bind; /* owned, like the next two: per column */
  struct cell *cell;
  struct column *cols;
  size_t room;         /* capacity */
  MYSQL_STMT **orphan; /* owned: closed after the connection */
  size_t n_orphans, orphans_room;
};

struct mysql_session {
  struct session base; /* first */
  const struct backend *backend;
  const char *why_library; /* static; NULL: the user's choice */
  MYSQL *mysql; /* owned; NULL: closed, dry run, or raw (handshake.h) */
  bool open;
  bool tcp;
  struct wire_link link;
  unsigned status;  /* the server's flags */
  unsigned long id; /* on the server */
  bool lost;        /* broken */
  bool more;
  struct address to;
  size_t sent; /* bytes of the last statement */
  struct strbuf msg;
  struct wire wire;
  struct library lib;
  unsigned copy_seq;  /* next packet of a copy */
  size_t copy_packet; /* maximum; 0: unknown */
  struct strbuf copy;
  char *copy_sql; /* owned */
  char *digits;   /* owned: numbers of the current row as texts */
  size_t digits_room;
};

struct mysql_prepared {
  struct prepared base; /* first */
  uint8_t *types;       /* owned: as last bound */
  unsigned n_types;
  bool types_sent;
  /* of the wire backend */
  uint32_t id;
  struct column *cols; /* owned: of the last result */
  uint32_t n_cols;
  bool no_bulk; /* refused by the server */
  bool open;    /* `id` is valid */
  /* [opt] owned: a packet, if all parameters have 8 bytes and none is NULL. */
  uint8_t *frame;
  uint32_t frame_len, frame_values;
  /* of the library backend */
  MYSQL_STMT *stmt;
  MYSQL_BIND *params; /* owned: n_types */
};

static inline struct mysql_session *session_of(const struct session *s)
{
  return (struct mysql_session *)(void *)(uintptr_t)s;
}
static inline struct mysql_prepared *prepared_of(struct prepared *p)
{
  return (struct mysql_prepared *)(void *)p;
}
static inline struct mysql_session *prepared_session(struct mysql_prepared *p)
{
  return session_of(p->base.session);
}
static inline const struct mysql_cfg *cfg_of(const struct mysql_session *s)
{
  return s->base.cfg;
}

extern const struct driver_copy mysqld_copy;

/* Make the library refuse to send files. */
void mysqld_copy_refuse(MYSQL *mysql);

void mysqld_copy_done(struct mysql_session *s);

extern const struct driver_pipe mysqld_pipe;

#endif
