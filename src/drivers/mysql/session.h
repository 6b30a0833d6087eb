/*
 * session.h - the state of a connection and of a prepared statement.
 *
 * After the login, one of two backends serves the session.  wire.c reads and
 * writes the protocol itself, which costs a fraction of the library's
 * instructions. library.c goes through the client library: for connections with
 * TLS or compression, for later variants of the protocol, and whenever
 * --mysql-protocol says so.
 *
 * Exported names of this folder begin with mysqld_, because the client
 * libraries use mysql_, and the static ones my_ as well.
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

/* The functions of struct driver that differ between the backends. */
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
  /* Called before and after the library closes the connection. */
  void (*closing)(struct mysql_session *s);
  void (*closed)(struct mysql_session *s);
};

extern const struct backend mysqld_wire_backend, mysqld_library_backend;

/*
 * The target of a session; texts are borrowed from the options or parameters.
 */
struct address {
  const char *host, *socket; /* socket: NULL or the path */
  unsigned port;
  const char *user, *password, *db;
  bool first; /* first of this process: the server is not known yet */
  bool files; /* rows may be loaded as if they came from a local file */
};

/* The state of the library backend. */
struct library {
  struct library_rows rows;    /* rows of the open result */
  struct mysql_prepared *from; /* has the open or pending result; or NULL */
  uint32_t nfields;            /* fields of the open result */
  MYSQL_BIND *bind;            /* owned, like the next two: one per column */
  struct cell *cell;
  struct column *cols;
  size_t room;         /* capacity of these three */
  MYSQL_STMT **orphan; /* owned: closed after the connection */
  size_t n_orphans, orphans_room;
};

struct mysql_session {
  struct session base; /* first */
  const struct backend *backend;
  const char *why_library; /* static; NULL: only because it was asked for */
  MYSQL *mysql; /* owned; NULL: closed, a dry run, or raw: see handshake.h */
  bool open;    /* never in a dry run */
  bool tcp;
  int fd;           /* of the open session */
  unsigned status;  /* the server's flags, as it has sent them last */
  unsigned long id; /* of the session, on the server */
  bool lost;        /* the transport is broken */
  bool more;        /* further results of the last statement are pending */
  struct address to;
  size_t sent;       /* bytes of the last statement */
  struct strbuf msg; /* text of the last failure */
  struct wire wire;
  struct library lib;
  unsigned copy_seq;  /* number of the next packet of a copy */
  size_t copy_packet; /* largest packet of a copy; 0: not known */
  struct strbuf copy; /* rows of a copy, if the library sends them */
  char *copy_sql;     /* owned: the statement of that copy */
  char *digits;       /* owned: texts of numbers of the current row */
  size_t digits_room;
};

struct mysql_prepared {
  struct prepared base; /* first */
  uint8_t *types;       /* owned: types of the parameters, as last bound */
  unsigned n_types;
  bool types_sent; /* the server knows them */
  /* used by the wire backend */
  uint32_t id;
  struct column *cols; /* owned: columns of the result, as last received */
  uint32_t n_cols;
  bool no_bulk; /* the server refuses it in a request with many rows */
  bool open;    /* `id` is valid */
  /*
   * [opt] owned: a packet that executes the statement, if all parameters have 8
   * bytes and none is NULL; the values begin at `frame_values`.
   */
  uint8_t *frame;
  uint32_t frame_len, frame_values;
  /* used by the library backend */
  MYSQL_STMT *stmt;
  MYSQL_BIND *params; /* owned: n_types */
};

/* Make room for the texts of the numbers of a row; false: no memory. */
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
