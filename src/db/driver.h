/*
 * driver.h - the calls of a database driver: a const vtable, listed in
 * src/drivers/driver_list.c.  States, counters, emulated statements, error
 * policy and reconnection belong to src/db.
 *
 * The thread that owns a session makes all calls on it, except wake(),
 * shutdown(), cancel() and cancel_free().  A driver takes no lock, prints only
 * LOG_DEBUG lines and never exits.
 *
 * A call returns 0, or -1 and `*out`, which is zero before.  Members marked
 * [opt] can be NULL.
 *
 * Order: connect, any of query .. unprepare, disconnect; then again on the same
 * memory. disconnect follows each successful connect; a failed connect cleans
 * up.  After `lost` only unprepare and disconnect follow.
 */
#ifndef BENCH_DB_DRIVER_H
#define BENCH_DB_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/ffi_api.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "db/driver_copy.h"
#include "db/driver_pipe.h"
#include "db/driver_visit.h"
#include "db/outcome.h"
#include "opt/opt.h"

struct db_env;
struct driver;
struct watched;

enum driver_caps {
  DRIVER_PREPARES = 1 << 0,
  DRIVER_SERVER = 1 << 1,
  /* ROLLBACK at once after an ignorable error; else the connection is
   * marked. */
  DRIVER_ROLLBACK_AT_ONCE = 1 << 2,
  DRIVER_SKIPS_EMPTY = 1 << 3, /* results without rows are only counted */
  DRIVER_BULK_TRX = 1 << 4,    /* 100,000 rows per COMMIT outside a run */
  DRIVER_NUL_IN_SQL = 1 << 5,  /* text can have NUL bytes */
  DRIVER_BY_NUMBER = 1 << 6,   /* errors have numbers; else SQLSTATEs */
  DRIVER_ONE_WRITER = 1 << 7,
  DRIVER_COUNTS_STORED = 1 << 9,
  DRIVER_KEEPS_ROWS = 1 << 8, /* stored rows can be read */
  DRIVER_NEVER_WAITS = 1 << 10,
  DRIVER_GOES_ON = 1 << 11, /* pipelines continue after a failure */
  DRIVER_UNNAMED = 1 << 12, /* takes --db-ps-mode=unnamed */
};

enum session_blocks {
  SESSION_BLOCKS_PREPARE = 1 << 0, /* prepare() and bind() */
  SESSION_BLOCKS_ALL = 1 << 1,
};

/* NULL: the option's value. */
struct conn_params {
  const char *host, *port, *socket, *user, *password, *db;
};

/* First member of the driver's struct of session_size bytes, zeroed at
 * first. */
struct session {
  const struct driver *driver;
  const void *cfg;
  struct db_env *env;
  const struct conn_params *params; /* never NULL */
  uint64_t number;                  /* for target_pick() */
  bool apart;              /* not the run's: statements have other names */
  unsigned attempt;        /* n-th target after the first */
  struct watched *watched; /* see watch.h */
  bool may_be_raw;         /* the client library is not needed */
  bool unread;             /* rows are counted, not fetched */
  char *secret;            /* owned, [opt]: from --password-command */
  char *no_secret;         /* owned: why `secret` is NULL */

  /* Set by the driver, after failures too. */
  enum trx_state trx;
  unsigned blocks;  /* enum session_blocks */
  bool only_asked;  /* a raw session would not block: it replaces this one after
                     * the questions to the server */
  unsigned dialect; /* enum emul_flags */
};

/* First member of the driver's struct of prepared_size bytes, zeroed before
 * prepare(). */
struct prepared {
  struct session *session;
  const char *sql; /* zero-terminated */
  size_t len;

  /* Set by prepare(). */
  unsigned n_params;

  /* Set before bind(), for execute(); valid until the next bind() or
   * unprepare(). */
  const sql_bind *binds;
  unsigned n_binds;
};

#define PARAMS_ANY (~0u)

#define HINT_FULL \
  "run the cleanup command to remove the tables, or make room for them"

struct driver_hint {
  int code;          /* 0: any */
  const char *state; /* NULL: any */
  bool bundled;
  bool large; /* add the statement's size */
  const char *text;
};

/* A setting with which a crash can lose a COMMIT. */
struct driver_durable {
  const char *setting;
  const char *unsafe;
  const char *safe;
  const char *if_setting, *if_value; /* [opt] condition */
  const char *means;                 /* effect of a crash */
  bool usual; /* the server's default: in results, no warning */
};

struct run_facts {
  unsigned threads;
  unsigned parts;          /* with `threads` sessions each */
  unsigned carriers;       /* 0: each client has its own thread */
  bool clients;            /* not --threads */
  bool bundled;            /* a bundled OLTP script */
  bool may_miss;           /* rows can be missing */
  bool as_sysbench;        /* advice needs --verbosity=4 */
  uint64_t tables;         /* 0: unknown */
  uint64_t rows;           /* per table, for drawn keys; 0: unknown */
  bool indexed;            /* statements need sbtestN's index on k */
  const char *rows_option; /* "--table-size"; static */
  unsigned classes;        /* statements per table */
  bool lazy;               /* prepares on first use */
  bool native;             /* the server keeps statements */
};

static inline const char *run_facts_fewer(const struct run_facts *f)
{
  return f->clients ? "raise it, or use fewer --clients"
                    : "raise it, or use fewer --threads";
}

static inline uint64_t run_facts_sessions(const struct run_facts *f)
{
  return (uint64_t)f->threads * (f->parts > 1 ? f->parts : 1);
}

/* With several processes `used` can include the run's own sessions. */
static inline uint64_t run_facts_room(const struct run_facts *f,
                                      uint64_t allowed, uint64_t used)
{
  if (f->parts > 1)
    return allowed;
  return allowed > used ? allowed - used : 0;
}

struct driver_limit {
  const char *subject; /* "connections" */
  const char *setting;
  const char *advice;
  uint64_t allowed, used, needed;
  bool hard; /* a run that needs more fails */
};

enum {
  DRIVER_LIMITS = 4
};

struct statement_sizes {
  size_t good;         /* for many rows, outside a run */
  size_t max;          /* SIZE_MAX: no limit */
  const char *setting; /* static, NULL: none */
};

enum space_server {
  SPACE_PGSQL,
  SPACE_INNODB,
  SPACE_SQLITE,
  SPACE_SERVERS,
};

struct driver_space {
  enum space_server server;
  /*
   * NULL: the server is not on this machine.  The query returns one row: a path
   * in the tables' file system, and the bytes of OLTP tables there.  Can fail
   * or return NULL.
   */
  const char *(*query)(const struct session *s);
};

struct driver_refusal;
struct target_names;

struct driver {
  const char *name;
  const char *title;
  const struct opt *opts;
  size_t cfg_size;
  size_t session_size;
  size_t prepared_size;             /* 0 without DRIVER_PREPARES */
  unsigned caps;                    /* enum driver_caps */
  unsigned dialect;                 /* of a new session */
  const struct target_names *names; /* [opt] see url.h */

  /* [opt] "connection" in an ignore list; ends with 0. */
  const int *connection_codes;
  /* [opt] Ends with an all-zero row; see error_policy.h. */
  const struct driver_refusal *refusals;
  /* [opt] Ends with an all-NULL row. */
  const struct driver_hint *hints;
  /* [opt] Ends with an all-NULL row. */
  const struct driver_durable *durable;

  /* [opt] Numbers 0..65535, SQLSTATEs, classes, `connection`, `all`; or
   * NULL. */
  const struct opt_list *(*ignore_errors)(const void *cfg);
  /* [opt] Independent of the lists. */
  bool (*always_ignorable)(const struct outcome *out);

  /* [opt] Statements succeed and do nothing. */
  bool (*is_dry_run)(const void *cfg);

  /* [opt] Once per process, before the first session; `err` can have several
   * lines. global_done() only after success. */
  int (*global_init)(const void *cfg, struct err *err);
  void (*global_done)(const void *cfg);
  /* [opt] Abandoned logins still use the library: do not call global_done() or
   * end the library. */
  bool (*is_busy)(void);
  /* [opt] Once per thread that uses the driver. */
  int (*thread_init)(const void *cfg, struct err *err);
  void (*thread_done)(const void *cfg);

  /* WAITS.  Fails at `until_ns` (clock_now_ns()) or soon after, with name
   * resolution, TLS and login.  Can block the thread. */
  int (*connect)(struct session *s, uint64_t until_ns, struct outcome *out);
  /* [opt] Never blocks a fiber's thread.  VISIT_CANNOT: use connect(). */
  enum visit_rc (*log_in)(struct session *s, uint64_t until_ns,
                          struct outcome *out);
  driver_visit *visit; /* [opt] */
  /* Waits for at most 1 s, not after `lost`.  Frees results. */
  void (*disconnect)(struct session *s);
  /* [opt] Frees the rest of a closed session. */
  void (*done)(struct session *s);
  /* Lines without "FATAL: ". */
  void (*connect_message)(const struct session *s, const struct outcome *out,
                          struct strbuf *lines);
  /* "error 1045: Access denied ...". */
  void (*connect_reason)(const struct session *s, const struct outcome *out,
                         struct strbuf *line);
  /* [opt] After the first open, for a server also a failed one: lines without
   * prefix. */
  void (*warnings)(struct session *s, struct strbuf *lines);
  /* [opt] Number of servers in the options' lists; NULL: one. */
  size_t (*servers)(const void *cfg);
  /* "host 'a', port 3306". */
  void (*target)(const struct session *s, struct strbuf *line);
  /* [opt] Version, transport, TLS, compression. */
  void (*about)(struct session *s,
                void (*put)(void *ctx, const char *key, const char *value),
                void *ctx);
  /* [opt] Open session only; -1: no socket. */
  int (*socket)(const struct session *s);
  /* [opt] Settings that affect results.  Can send queries; skips failed
   * ones. */
  void (*server_settings)(struct session *s,
                          void (*put)(void *ctx, const char *key,
                                      const char *value),
                          void *ctx);
  /* [opt] A cheap query for the bytes of the database's tables. */
  const char *data_query;
  /* [opt] A query that needs a quoted table's name at its end: the number of
   * indexes on column k. */
  const char *index_query;
  /* [opt] A cheap query for the number of the server's session. */
  const char *backend_query;
  /* [opt] The level follows it; NULL: there is only one. */
  const char *isolation_statement;
  /* [opt] A query: 1 if read-only, else 0. */
  const char *role_query;
  /* [opt] A query: 1 if a replica, else 0. */
  const char *standby_query;
  /* [opt] On the first server connection of a run: lines without prefix.  Can
   * send queries; skips failed ones. */
  void (*check_before_run)(struct session *s, const struct run_facts *facts,
                           struct strbuf *lines);

  /* [opt] Returns the number of limits; `used` is without this session.  Can
   * send queries; skips failed ones. */
  size_t (*limits)(struct session *s, const struct run_facts *facts,
                   struct driver_limit ret[DRIVER_LIMITS]);

  /* Gets the first result; sql[len] is 0.  Nothing is open or pending. */
  int (*query)(struct session *s, const char *sql, size_t len,
               struct outcome *out);
  /* 1 and values[0..nfields-1], valid until the next call; 0: no more.  Never
   * waits. */
  int (*fetch)(struct session *s, sql_value *values);
  /* Ends the open result set.  Sets `ended` if there was no `more`. */
  int (*next_result)(struct session *s, struct outcome *out);
  /*
   * Ends the open result set and all pending results. -1: *out has the first
   * failure; all has ended.  Harmless without results; not called after
   * `settled`.
   */
  int (*end_results)(struct session *s, struct outcome *out);

  /* All four with DRIVER_PREPARES, else NULL. prepare and bind keep the rows of
   * an open result set. */
  int (*prepare)(struct prepared *p, struct outcome *out);
  /* [opt] Number and types are right.  Prepares now if that needs types. */
  int (*bind)(struct prepared *p, struct outcome *out);
  int (*execute)(struct prepared *p, struct outcome *out);
  /* Also after a failed prepare.  The server can get it with the next
   * statement; never if `going`: lost or about to be closed. */
  void (*unprepare)(struct prepared *p, bool going);

  /* Adds quotes, in the session's dialect; false: a byte cannot be sent,
   * *ret_why (static). */
  bool (*quote)(struct session *s, const char *text, size_t len,
                struct strbuf *to, const char **ret_why);
  /* [opt] Literal (static) of infinities, NaN and -0.0.  NULL: only -0.0 is
   * sent. */
  const char *(*quote_special)(double value);

  /* [opt] Changes what differs on this server; can ask it. */
  void (*statement_sizes)(struct session *s, struct statement_sizes *ret);
  const struct driver_copy *copy;   /* [opt] */
  const struct driver_pipe *pipe;   /* [opt] */
  const struct driver_space *space; /* [opt] */
  /* [opt] After OLTP tables were dropped and the session closed: reclaims their
   * space.  `line` gets the result. */
  void (*tidy)(struct session *s, struct strbuf *line);

  /* Lines without "FATAL: ". `sql` is cut, can be "". */
  void (*message)(const struct session *s, enum call call,
                  const struct outcome *out, const char *sql,
                  struct strbuf *lines);

  /* [opt] Any thread, while the session is open, not during connect or
   * disconnect; does not wait.  Makes a running statement fail soon. */
  void (*wake)(struct session *s);
  /* [opt] As wake(), but breaks the connection. */
  void (*shutdown)(struct session *s);

  /*
   * [opt] A message to the server cancels.  The token follows each connect and
   * is independent of the session; NULL: no memory. cancel(): any thread, also
   * after disconnect, takes at most a second. cancel_free(): the last user.
   */
  void *(*cancel_token)(struct session *s);
  void (*cancel)(void *token);
  void (*cancel_free)(void *token);

  /* [opt] `s` is open. */
  void (*mode_line)(struct session *s, struct strbuf *line);
};

/* `s` is closed or NULL. */
static inline void session_forget(struct session *s)
{
  mem_free_secret(s->secret);
  free(s->no_secret);
  s->secret = s->no_secret = NULL;
}

static inline void session_free(struct session *s)
{
  if (!s)
    return;
  if (s->driver && s->driver->done)
    s->driver->done(s);
  session_forget(s);
  free(s);
}

/* NULL: the options' password. */
static inline const char *session_password(const struct session *s)
{
  return s->params->password ? s->params->password : s->secret;
}

#endif
