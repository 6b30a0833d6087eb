/*
 * driver.h - the calls that a database driver implements.
 *
 * States, counters, emulated statements, error policy, retries and reconnection
 * belong to src/db.  A driver is a const vtable beside its option rows and
 * their config struct; src/drivers/driver_list.c lists the drivers.
 *
 * Threads.  The thread that owns a session makes all calls on it, except
 * wake(), shutdown(), cancel() and cancel_free().  A driver takes no lock,
 * prints nothing but LOG_DEBUG lines and never exits.
 *
 * A call returns 0, or -1 and the reason in `*out`, which is all zero when a
 * call begins.  Members marked [opt] may be NULL.
 *
 * Order of calls on a session: connect, any of query .. unprepare, disconnect;
 * connect may follow again on the same memory.  disconnect comes exactly once
 * after each connect that succeeded; a connect that failed cleans up by itself.
 * After an outcome that is `lost` only unprepare and disconnect follow.
 */
#ifndef BENCH_DB_DRIVER_H
#define BENCH_DB_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/ffi_api.h"
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
  DRIVER_SERVER = 1 << 1, /* connections go to a server process */
  /* After an ignorable error inside a transaction; otherwise the connection is
   * marked. */
  DRIVER_ROLLBACK_AT_ONCE = 1 << 2,
  DRIVER_SKIPS_EMPTY = 1 << 3, /* results without rows are only counted */
  DRIVER_BULK_TRX = 1 << 4, /* bulk inserts outside a run: 100,000 per COMMIT */
  DRIVER_NUL_IN_SQL = 1 << 5,    /* text may hold NUL bytes */
  DRIVER_BY_NUMBER = 1 << 6,     /* errors have numbers; else SQLSTATEs */
  DRIVER_ONE_WRITER = 1 << 7,    /* a writer keeps all others from writing */
  DRIVER_COUNTS_STORED = 1 << 9, /* outcome.taken without rows: rows changed */
  DRIVER_KEEPS_ROWS = 1 << 8,    /* stored rows can be read */
  DRIVER_NEVER_WAITS = 1 << 10,  /* connect() returns at once */
  DRIVER_GOES_ON = 1 << 11,      /* pipelines go on after a failure */
};

/* Calls that block in a library, whatever runs in the thread. */
enum session_blocks {
  SESSION_BLOCKS_PREPARE = 1 << 0, /* prepare() and bind() */
  SESSION_BLOCKS_ALL = 1 << 1,
};

/* NULL: the option's value. */
struct conn_params {
  const char *host, *port, *socket, *user, *password, *db;
};

/* A connection as the driver sees it: first member of the driver's own struct
 * of session_size bytes, zeroed when the connection object is made. */
struct session {
  /* Set by the layer. */
  const struct driver *driver;
  const void *cfg;
  struct db_env *env;
  const struct conn_params *params; /* never NULL */
  uint64_t number;                  /* of the connection, for target_pick() */
  bool apart;       /* not a session of the run: statements have other names */
  unsigned attempt; /* 0: the connection's own target; n: the n-th after it */
  struct watched *watched; /* ends its calls: see watch.h */
  bool may_be_raw; /* the session executes statements and is closed; the client
                      library is not needed */
  bool unread;     /* rows of the present statement are counted, not fetched */

  /* Set by the driver, after failures too. */
  enum trx_state trx;
  unsigned blocks;  /* enum session_blocks; the driver sets the first value */
  unsigned dialect; /* enum emul_flags, for emulated statements */
};

/* A natively prepared statement: first member of the driver's own struct of
 * prepared_size bytes, which is zero before prepare(). */
struct prepared {
  /* Set by the layer. */
  struct session *session;
  const char *sql; /* zero-terminated, lives as long as the statement */
  size_t len;

  /* Set by prepare(); PARAMS_ANY: any number is accepted. */
  unsigned n_params;

  /* Set by the layer before bind(); lives until the next bind() or unprepare().
   * execute() reads the buffers. */
  const sql_bind *binds;
  unsigned n_binds;
};

#define PARAMS_ANY (~0u)

#define HINT_FULL \
  "run the cleanup command to remove the tables, or make room for them"

/* A line after the message of a fatal error. */
struct driver_hint {
  int code;          /* 0: any */
  const char *state; /* NULL: any */
  bool bundled;      /* only with a bundled script */
  bool large;        /* only for large statements; the line gets their size */
  const char *text;
};

/* A setting's value with which a crash may lose a COMMIT. */
struct driver_durable {
  const char *setting; /* a name of server_settings() */
  const char *unsafe;  /* NULL: any but `safe` */
  const char *safe;
  const char *if_setting, *if_value; /* [opt] condition */
  const char *means;                 /* what a crash does */
  bool usual; /* the driver's default: for results, not for a warning */
};

/* The run, for checks before it. */
struct run_facts {
  unsigned threads; /* sessions: one per client */
  unsigned parts;   /* processes; each has `threads` sessions */
  unsigned
    carriers;       /* threads that carry clients; 0: each client has its own */
  bool clients;     /* --clients was given, not --threads */
  bool bundled;     /* a bundled OLTP script */
  bool may_miss;    /* the script looks for rows that may be missing */
  bool as_sysbench; /* advice needs --verbosity=4 */
  uint64_t tables;  /* of the bundled script, else 0 */
  uint64_t rows;    /* per table, among which keys are drawn; 0: none are */
  const char *rows_option; /* "--table-size"; static */
  bool rows_usual;         /* `rows` is the default */
  unsigned classes;        /* statements per table */
  bool lazy;               /* prepares statements when first needed */
  bool native;             /* --db-ps-mode=auto */
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

/* Sessions that the run can have.  With several processes `used` may be the
 * run's own and is not subtracted. */
static inline uint64_t run_facts_room(const struct run_facts *f,
                                      uint64_t allowed, uint64_t used)
{
  if (f->parts > 1)
    return allowed;
  return allowed > used ? allowed - used : 0;
}

/* A server's limit, and what a run needs of it. */
struct driver_limit {
  const char *subject; /* "connections" */
  const char *setting; /* "max_connections" */
  const char *advice;  /* advice if the limit is too low */
  uint64_t allowed, used, needed;
  bool hard; /* a run that needs more fails */
};

enum {
  DRIVER_LIMITS = 4
};

struct statement_sizes {
  size_t good;         /* of a statement with many rows, outside a run */
  size_t max;          /* larger statements are refused; SIZE_MAX: none is */
  const char *setting; /* the server's setting; static, NULL: none */
};

/* Where tables are stored: for a check of the free space before they are
 * filled. */
struct driver_space {
  /* Disk bytes of an OLTP row with the index on k; measured. */
  unsigned row_bytes;
  /*
   * NULL: not on this machine.  A query for one row: a path in the tables' file
   * system, and the bytes of OLTP tables there.  The query may fail or return
   * NULL.
   */
  const char *(*query)(const struct session *s);
};

struct driver_refusal;
struct target_names;

struct driver {
  const char *name;       /* value of --db-driver, sql_driver.sname */
  const char *title;      /* for lists and --help, sql_driver.lname */
  const struct opt *opts; /* ends with OPT_END */
  size_t cfg_size;        /* of the config struct */
  size_t session_size;
  size_t prepared_size;             /* 0 without DRIVER_PREPARES */
  unsigned caps;                    /* enum driver_caps */
  unsigned dialect;                 /* the first one of a session */
  const struct target_names *names; /* [opt] see url.h */

  /* [opt] Codes that mean "connection" in an ignore list; ends with 0. */
  const int *connection_codes;
  /* [opt] Ends with an all-zero row; see error_policy.h. */
  const struct driver_refusal *refusals;
  /* [opt] Ends with an all-NULL row. */
  const struct driver_hint *hints;
  /* [opt] Ends with an all-NULL row. */
  const struct driver_durable *durable;

  /* [opt] The driver's own ignore list or NULL: numbers 0..65535, SQLSTATEs,
   * classes of two characters, `connection`, `all`. */
  const struct opt_list *(*ignore_errors)(const void *cfg);
  /* [opt] Ignorable whatever the lists contain. */
  bool (*always_ignorable)(const struct outcome *out);

  /* [opt] No server: statements succeed and do nothing. */
  bool (*is_dry_run)(const void *cfg);

  /*
   * [opt] Once per process, before the first session, on one thread.  `err` may
   * get several lines.  global_done follows only a global_init that succeeded.
   */
  int (*global_init)(const void *cfg, struct err *err);
  void (*global_done)(const void *cfg);
  /* [opt] Abandoned logins are still inside the client library: neither
   * global_done nor the library's end may run. */
  bool (*is_busy)(void);
  /* [opt] Once per thread that uses the driver, on that thread. */
  int (*thread_init)(const void *cfg, struct err *err);
  void (*thread_done)(const void *cfg);

  /* WAITS.  Name resolution, TLS and login included it fails at `until_ns`
   * (clock_now_ns()) or soon after. */
  int (*connect)(struct session *s, uint64_t until_ns, struct outcome *out);
  driver_visit *visit; /* [opt] */
  /* Waits for 1 s at most, and not at all after `lost`.  Frees open and pending
   * results. */
  void (*disconnect)(struct session *s);
  /* [opt] Free what a closed session has kept for later connections. */
  void (*done)(struct session *s);
  /* Lines for a failed connect, each without "FATAL: ". */
  void (*connect_message)(const struct session *s, const struct outcome *out,
                          struct strbuf *lines);
  /* The failure in one line: "error 1045: Access denied ...". */
  void (*connect_reason)(const struct session *s, const struct outcome *out,
                         struct strbuf *line);
  /* [opt] After the first open of a connection; of a server also after a failed
   * one: warnings, one per line, without prefix. */
  void (*warnings)(struct session *s, struct strbuf *lines);
  /* [opt] Servers in the lists of the options; NULL: one. */
  size_t (*servers)(const void *cfg);
  /* The session's server in words: "host 'a', port 3306". */
  void (*target)(const struct session *s, struct strbuf *line);
  /* [opt] Version, transport, TLS, compression. */
  void (*about)(struct session *s,
                void (*put)(void *ctx, const char *key, const char *value),
                void *ctx);
  /* [opt] The socket of an open session; -1: none. */
  int (*socket)(const struct session *s);
  /* [opt] Settings that affect results.  May send queries; leaves out what
   * fails. */
  void (*server_settings)(struct session *s,
                          void (*put)(void *ctx, const char *key,
                                      const char *value),
                          void *ctx);
  /* [opt] A cheap query for one number: bytes of the database's tables. */
  const char *data_query;
  /* [opt] A cheap query for the number of the server's session. */
  const char *backend_query;
  /* [opt] Statement that sets a session's isolation level, without the level;
   * NULL: there is only one. */
  const char *isolation_statement;
  /* [opt] A query for one number: 1 if the server is read-only, else 0. */
  const char *role_query;
  /* [opt] A query for one number: 1 if the server follows another and may lag
   * behind, else 0, also if read-only for other reasons. */
  const char *standby_query;
  /* [opt] On the first server connection of a run: warnings, one per line,
   * without prefix.  May send queries; leaves out what fails. */
  void (*check_before_run)(struct session *s, const struct run_facts *facts,
                           struct strbuf *lines);

  /* [opt] The server's limits, without the asking session.  May send queries;
   * leaves out what fails.  Returns their number. */
  size_t (*limits)(struct session *s, const struct run_facts *facts,
                   struct driver_limit ret[DRIVER_LIMITS]);

  /* Send a statement and read its first result; sql[len] is 0.  No result is
   * open or pending. */
  int (*query)(struct session *s, const char *sql, size_t len,
               struct outcome *out);
  /* 1 and values[0..nfields-1], valid until the next call on the session; 0: no
   * row is left.  Never waits for the server. */
  int (*fetch)(struct session *s, sql_value *values);
  /* End the open result set and go to the next result.  Sets `ended` if the
   * last outcome had no `more`. */
  int (*next_result)(struct session *s, struct outcome *out);
  /*
   * End the open result set, read and drop all that is pending.  -1: *out has
   * the first failure that was among it; all is ended.  May be called when
   * nothing is open; not called after a `settled` outcome.
   */
  int (*end_results)(struct session *s, struct outcome *out);

  /* All four with DRIVER_PREPARES, else NULL.  prepare and bind keep the rows
   * of an open result set; nothing is pending. */
  int (*prepare)(struct prepared *p, struct outcome *out);
  /* [opt] p->binds is new; number and types are right.  Statements whose
   * preparation waits for types are prepared here. */
  int (*bind)(struct prepared *p, struct outcome *out);
  int (*execute)(struct prepared *p, struct outcome *out);
  /*
   * Also after a failed prepare.  Frees the statement here and on the server:
   * perhaps with the next statement, and not at all if `going`: the connection
   * was lost or is about to be closed.
   */
  void (*unprepare)(struct prepared *p, bool going);

  /* The string as a literal of the session's dialect, with quotes; false: a
   * byte cannot be sent, *ret_why (static) names it. */
  bool (*quote)(struct session *s, const char *text, size_t len,
                struct strbuf *to, const char **ret_why);
  /* [opt] Literal (static) for infinities, NaN and -0.0.  NULL: none, and only
   * -0.0 is sent. */
  const char *(*quote_special)(double value);

  /* [opt] Change the sizes that differ on this server; may ask it. */
  void (*statement_sizes)(struct session *s, struct statement_sizes *ret);
  const struct driver_copy *copy;   /* [opt] */
  const struct driver_pipe *pipe;   /* [opt] */
  const struct driver_space *space; /* [opt] */
  /* [opt] The OLTP tables were dropped, the session is closed: give their space
   * back.  `line` gets what was done, or why not. */
  void (*tidy)(struct session *s, struct strbuf *line);

  /* The message of a fatal error, each line without "FATAL: ".  `sql` is cut;
   * "": none. */
  void (*message)(const struct session *s, enum call call,
                  const struct outcome *out, const char *sql,
                  struct strbuf *lines);

  /*
   * [opt] From another thread while the session is open, never during connect
   * or disconnect; does not wait.  The statement being executed fails soon;
   * without one nothing happens.
   */
  void (*wake)(struct session *s);
  /* [opt] Like wake(), by breaking the connection: a blocked read returns. */
  void (*shutdown)(struct session *s);

  /*
   * [opt] Cancelling by a message to the server.  The owner makes a token after
   * each connect: independent of the session.  cancel(): any thread, also after
   * disconnect, returns within about a second.  cancel_free(): the last user.
   * NULL: out of memory.
   */
  void *(*cancel_token)(struct session *s);
  void (*cancel)(void *token);
  void (*cancel_free)(void *token);

  /* [opt] A line of the mode block; `s` is open. */
  void (*mode_line)(struct session *s, struct strbuf *line);
};

/* `s` is closed or NULL. */
static inline void session_free(struct session *s)
{
  if (s && s->driver && s->driver->done)
    s->driver->done(s);
  free(s);
}

#endif
