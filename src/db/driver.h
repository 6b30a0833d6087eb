/*
 * driver.h - the calls of a database driver: a const vtable with option rows
 * and a config struct, listed in src/drivers/driver_list.c.  States, counters,
 * emulated statements, error policy and reconnection belong to src/db.
 *
 * The thread that owns a session makes all calls on it, except wake(),
 * shutdown(), cancel() and cancel_free().  A driver takes no lock, prints
 * nothing but LOG_DEBUG lines and never exits.
 *
 * A call returns 0, or -1 and `*out`, which is zero when a call begins. Members
 * marked [opt] may be NULL.
 *
 * Order: connect, any of query .. unprepare, disconnect; and again on the same
 * memory.  disconnect comes once after each connect that succeeded; a failed
 * one cleans up.  After `lost` only unprepare and disconnect follow.
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
  /* ROLLBACK at once after an ignorable error; else only the connection is
   * marked. */
  DRIVER_ROLLBACK_AT_ONCE = 1 << 2,
  DRIVER_SKIPS_EMPTY = 1 << 3, /* results without rows are only counted */
  DRIVER_BULK_TRX = 1 << 4,    /* 100,000 rows per COMMIT outside a run */
  DRIVER_NUL_IN_SQL = 1 << 5,  /* text may hold NUL bytes */
  DRIVER_BY_NUMBER = 1 << 6,   /* errors have numbers; else SQLSTATEs */
  DRIVER_ONE_WRITER = 1 << 7,
  DRIVER_COUNTS_STORED = 1 << 9,
  DRIVER_KEEPS_ROWS = 1 << 8,   /* stored rows can be read */
  DRIVER_NEVER_WAITS = 1 << 10, /* connect() returns at once */
  DRIVER_GOES_ON = 1 << 11,     /* pipelines go on after a failure */
  DRIVER_UNNAMED = 1 << 12,     /* takes --db-ps-mode=unnamed */
};

/* Calls of a client library that block the whole thread. */
enum session_blocks {
  SESSION_BLOCKS_PREPARE = 1 << 0, /* prepare() and bind() */
  SESSION_BLOCKS_ALL = 1 << 1,
};

/* NULL: the option's value. */
struct conn_params {
  const char *host, *port, *socket, *user, *password, *db;
};

/* First member of the driver's own struct of session_size bytes, zeroed at
 * first. */
struct session {
  const struct driver *driver;
  const void *cfg;
  struct db_env *env;
  const struct conn_params *params; /* never NULL */
  uint64_t number;                  /* for target_pick() */
  bool apart;              /* not the run's: statements have other names */
  unsigned attempt;        /* n-th target after the connection's own */
  struct watched *watched; /* see watch.h */
  bool may_be_raw;         /* only statements: the library is not needed */
  bool unread;             /* rows are counted, not fetched */
  char *secret;            /* owned: of --password-command; or NULL */
  char *no_secret;         /* owned: the reason for NULL */

  /* By the driver, after failures too. */
  enum trx_state trx;
  unsigned blocks;  /* enum session_blocks */
  bool only_asked;  /* a raw one would not block: after the questions to the
                       server, the session is opened again */
  unsigned dialect; /* enum emul_flags */
};

/* First member of the driver's own struct of prepared_size bytes, zeroed before
 * prepare(). */
struct prepared {
  /* By the layer. */
  struct session *session;
  const char *sql; /* zero-terminated */
  size_t len;

  /* By prepare(); or PARAMS_ANY. */
  unsigned n_params;

  /* Before bind(), for execute(); until the next bind() or unprepare(). */
  const sql_bind *binds;
  unsigned n_binds;
};

#define PARAMS_ANY (~0u)

#define HINT_FULL \
  "run the cleanup command to remove the tables, or make room for them"

/* Advice that is printed after a fatal error. */
struct driver_hint {
  int code;          /* 0: any */
  const char *state; /* NULL: any */
  bool bundled;
  bool large; /* add the statement's size */
  const char *text;
};

/* A setting with which a crash may lose a COMMIT. */
struct driver_durable {
  const char *setting;
  const char *unsafe;
  const char *safe;
  const char *if_setting, *if_value; /* [opt] condition */
  const char *means;                 /* what a crash does */
  bool usual; /* the server's default: in results, no warning */
};

struct run_facts {
  unsigned threads;        /* one per client */
  unsigned parts;          /* with `threads` sessions each */
  unsigned carriers;       /* 0: each client has its own */
  bool clients;            /* not --threads */
  bool bundled;            /* a bundled OLTP script */
  bool may_miss;           /* rows may be missing */
  bool as_sysbench;        /* advice needs --verbosity=4 */
  uint64_t tables;         /* 0: unknown */
  uint64_t rows;           /* per table, for drawn keys; 0: none */
  bool indexed;            /* statements need sbtestN's index on k */
  const char *rows_option; /* "--table-size"; static */
  unsigned classes;        /* statements per table */
  bool lazy;               /* prepared when first needed */
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

/* With several processes `used` may be the run's own. */
static inline uint64_t run_facts_room(const struct run_facts *f,
                                      uint64_t allowed, uint64_t used)
{
  if (f->parts > 1)
    return allowed;
  return allowed > used ? allowed - used : 0;
}

struct driver_limit {
  const char *subject; /* "connections" */
  const char *setting; /* "max_connections" */
  const char *advice;
  uint64_t allowed, used, needed;
  bool hard; /* a run that needs more fails */
};

enum {
  DRIVER_LIMITS = 4
};

struct statement_sizes {
  size_t good;         /* with many rows, outside a run */
  size_t max;          /* SIZE_MAX: no limit */
  const char *setting; /* static, NULL: none */
};

/* How much room the tables will need, checked before they are filled. */
struct driver_space {
  /* Of an OLTP row with the index on k; measured. */
  unsigned row_bytes;
  /*
   * NULL: the server is not on this machine.  The query's one row has a path in
   * the tables' file system, and the bytes of OLTP tables there.  May fail or
   * return NULL.
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
  /* [opt] Whatever the lists contain. */
  bool (*always_ignorable)(const struct outcome *out);

  /* [opt] Statements succeed and do nothing. */
  bool (*is_dry_run)(const void *cfg);

  /* [opt] Once per process, before the first session; `err` may have several
   * lines.  global_done only after success. */
  int (*global_init)(const void *cfg, struct err *err);
  void (*global_done)(const void *cfg);
  /* [opt] Abandoned logins still use the library: call neither global_done nor
   * the library's end. */
  bool (*is_busy)(void);
  /* [opt] Once per thread that uses the driver. */
  int (*thread_init)(const void *cfg, struct err *err);
  void (*thread_done)(const void *cfg);

  /* WAITS.  Fails at `until_ns` (clock_now_ns()) or soon after, with name
   * resolution, TLS and login. */
  int (*connect)(struct session *s, uint64_t until_ns, struct outcome *out);
  driver_visit *visit; /* [opt] */
  /* Waits for 1 s at most, not after `lost`.  Frees results. */
  void (*disconnect)(struct session *s);
  /* [opt] Free what a closed session has kept. */
  void (*done)(struct session *s);
  /* Lines without "FATAL: ". */
  void (*connect_message)(const struct session *s, const struct outcome *out,
                          struct strbuf *lines);
  /* "error 1045: Access denied ...". */
  void (*connect_reason)(const struct session *s, const struct outcome *out,
                         struct strbuf *line);
  /* [opt] After the first open, of a server also a failed one: lines without
   * prefix. */
  void (*warnings)(struct session *s, struct strbuf *lines);
  /* [opt] Servers in the options' lists; NULL: one. */
  size_t (*servers)(const void *cfg);
  /* "host 'a', port 3306". */
  void (*target)(const struct session *s, struct strbuf *line);
  /* [opt] Version, transport, TLS, compression. */
  void (*about)(struct session *s,
                void (*put)(void *ctx, const char *key, const char *value),
                void *ctx);
  /* [opt] Of an open session; -1: none. */
  int (*socket)(const struct session *s);
  /* [opt] What affects results.  May send queries; leaves out what fails. */
  void (*server_settings)(struct session *s,
                          void (*put)(void *ctx, const char *key,
                                      const char *value),
                          void *ctx);
  /* [opt] A cheap query: bytes of the database's tables. */
  const char *data_query;
  /* [opt] A query that lacks the table's name in quotes at its end: the number
   * of indexes on column k. */
  const char *index_query;
  /* [opt] A cheap query: the number of the server's session. */
  const char *backend_query;
  /* [opt] Without the level; NULL: there is only one. */
  const char *isolation_statement;
  /* [opt] A query: 1 if read-only, else 0. */
  const char *role_query;
  /* [opt] A query: 1 if behind another server, else 0, also if read-only for
   * other reasons. */
  const char *standby_query;
  /* [opt] On the first server connection of a run: lines without prefix.  May
   * send queries; leaves out what fails. */
  void (*check_before_run)(struct session *s, const struct run_facts *facts,
                           struct strbuf *lines);

  /* [opt] Without the asking session.  May send queries; leaves out what fails.
   * Returns their number. */
  size_t (*limits)(struct session *s, const struct run_facts *facts,
                   struct driver_limit ret[DRIVER_LIMITS]);

  /* The first result; sql[len] is 0.  Nothing is open or pending. */
  int (*query)(struct session *s, const char *sql, size_t len,
               struct outcome *out);
  /* 1 and values[0..nfields-1], valid until the next call; 0: none.  Never
   * waits. */
  int (*fetch)(struct session *s, sql_value *values);
  /* Ends the open result set.  Sets `ended` if there was no `more`. */
  int (*next_result)(struct session *s, struct outcome *out);
  /*
   * Ends the open result set, drops all that is pending.  -1: *out has the
   * first failure; all is ended.  Harmless without results; not called after
   * `settled`.
   */
  int (*end_results)(struct session *s, struct outcome *out);

  /* All four with DRIVER_PREPARES, else NULL.  prepare and bind keep the rows
   * of an open result set. */
  int (*prepare)(struct prepared *p, struct outcome *out);
  /* [opt] Number and types are right.  Prepares, if that waits for types. */
  int (*bind)(struct prepared *p, struct outcome *out);
  int (*execute)(struct prepared *p, struct outcome *out);
  /* Also after a failed prepare.  On the server perhaps with the next
   * statement; not at all if `going`: lost or about to be closed. */
  void (*unprepare)(struct prepared *p, bool going);

  /* With quotes, in the session's dialect; false: a byte cannot be sent,
   * *ret_why (static). */
  bool (*quote)(struct session *s, const char *text, size_t len,
                struct strbuf *to, const char **ret_why);
  /* [opt] Literal (static) of infinities, NaN and -0.0.  NULL: only -0.0 is
   * sent. */
  const char *(*quote_special)(double value);

  /* [opt] Change what differs on this server, which may be asked. */
  void (*statement_sizes)(struct session *s, struct statement_sizes *ret);
  const struct driver_copy *copy;   /* [opt] */
  const struct driver_pipe *pipe;   /* [opt] */
  const struct driver_space *space; /* [opt] */
  /* [opt] OLTP tables were dropped, the session is closed: reclaim their space.
   * `line` gets what was done, or why not. */
  void (*tidy)(struct session *s, struct strbuf *line);

  /* Lines without "FATAL: ".  `sql` is cut, may be "". */
  void (*message)(const struct session *s, enum call call,
                  const struct outcome *out, const char *sql,
                  struct strbuf *lines);

  /* [opt] Any thread, while the session is open, not during connect or
   * disconnect; does not wait.  A statement being executed fails soon. */
  void (*wake)(struct session *s);
  /* [opt] The same by breaking the connection. */
  void (*shutdown)(struct session *s);

  /*
   * [opt] A message to the server cancels.  A token after each connect,
   * independent of the session; NULL: no memory.  cancel(): any thread, also
   * after disconnect, takes a second at most.  cancel_free(): the last user.
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

/* NULL: that of the options. */
static inline const char *session_password(const struct session *s)
{
  return s->params->password ? s->params->password : s->secret;
}

#endif
