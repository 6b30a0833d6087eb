/*
 * session.h - what the mysql driver knows of a connection and of a statement.
 *
 * After the login one of two backends serves the session: wire.c reads
 * and writes the protocol itself, which costs a fraction of the library's
 * instructions; library.c goes through the client library, for connections
 * with TLS or compression, for the later variants of the protocol, and
 * whenever --mysql-protocol says so.
 *
 * What this folder exports begins with mysqld_: the client libraries have taken
 * mysql_, and the static ones my_ as well.
 */
#ifndef BENCH_DRIVERS_MYSQL_SESSION_H
#define BENCH_DRIVERS_MYSQL_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "db/driver.h"
#include "drivers/mysql/library_rows.h"
#include "drivers/mysql/options.h"
#include "drivers/mysql/shim.h"
#include "drivers/mysql/value.h"
#include "drivers/mysql/wire_io.h"

struct mysql_session;
struct mysql_prepared;

/* The calls of struct driver that differ between the backends. */
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
  /* Before and after the library closes the connection. */
  void (*closing)(struct mysql_session *s);
  void (*closed)(struct mysql_session *s);
};

extern const struct backend mysqld_wire_backend, mysqld_library_backend;

/* Where a session goes; texts borrowed from the options or the parameters. */
struct address {
  const char *host, *socket; /* socket: NULL or the path */
  unsigned port;
  const char *user, *password, *db;
  bool first; /* of this process: nobody knows yet what is there */
  bool files; /* rows may be loaded as if they were in a file of ours */
};

/* Of the library backend. */
struct library {
  struct library_rows rows;    /* of the open result */
  struct mysql_prepared *from; /* whose result is open or pending, or NULL */
  uint32_t nfields;            /* of the open result */
  MYSQL_BIND *bind;            /* owned, as the next two: one per column */
  struct cell *cell;
  struct column *cols;
  size_t room;         /* of these three */
  MYSQL_STMT **orphan; /* owned: to be closed after the connection */
  size_t n_orphans, orphans_room;
};

struct mysql_session {
  struct session base; /* first */
  const struct backend *backend;
  MYSQL *mysql; /* owned; NULL: closed, or a dry run */
  int fd;       /* constant while the session is open */
  bool tcp;
  bool lost; /* the transport is broken */
  bool more; /* further results of the last statement are pending */
  struct address to;
  size_t sent;    /* bytes of the last statement */
  char msg[1024]; /* of the last failure */
  struct wire wire;
  struct library lib;
  unsigned copy_seq;  /* number of the next packet of a copy */
  size_t copy_packet; /* largest packet of a copy; 0: not known */
  struct strbuf copy; /* rows of a copy, where the library sends them */
  char *copy_sql;     /* owned: its statement, likewise */
  char *digits;       /* owned: texts of numbers of the present row */
  size_t digits_room;
};

struct mysql_prepared {
  struct prepared base; /* first */
  uint8_t *types;       /* owned: of the parameters, as last bound */
  unsigned n_types;
  bool types_sent; /* the server knows them */
  /* wire */
  uint32_t id;
  struct column *cols; /* owned: of the result, as the server last sent them */
  uint32_t n_cols;
  bool open; /* `id` is valid */
  /* [opt] owned: a packet to execute it, where all parameters have 8 bytes and
   * none is NULL; the values begin at `frame_values`. */
  uint8_t *frame;
  uint32_t frame_len, frame_values;
  /* library */
  MYSQL_STMT *stmt;
  MYSQL_BIND *params; /* owned: n_types */
};

/* Room for the texts of the numbers of a row; false: no memory. */
bool mysqld_session_digits(struct mysql_session *s, uint32_t columns);

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

#endif
