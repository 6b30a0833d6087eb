/*
 * driver.h - what differs between databases: the calls that a driver
 * implements, and nothing else.
 *
 * States, counters, emulated statements, bulk inserts, error policy, retries,
 * reconnection and preparing again belong to src/db.  A driver is a const
 * vtable beside its option rows and the config struct that they fill in; the
 * array of drivers is src/drivers/driver_list.c.
 *
 * Threads.  All calls on a session come from the thread that owns it, except
 * wake(), shutdown(), cancel() and cancel_free(), see there.  A driver takes
 * no lock, prints nothing (but LOG_DEBUG lines of its own tracing option) and
 * never exits.
 *
 * Errors of SQL are no errors of the program: a call returns 0, or -1 when it
 * failed and `*out` says why.  `*out` is all zero when a call begins.  Members
 * marked [opt] may be NULL.
 *
 * Order of calls on a session: connect, then any of query .. unprepare, then
 * disconnect; connect may follow again on the same memory.  disconnect comes
 * after every connect that succeeded, exactly once; a connect that failed
 * cleans up by itself.  After an outcome that is `lost` only unprepare and
 * disconnect follow, before the next connect.
 *
 * The files of src/db form a stack, which tests/lint/circles checks by includes
 * and by calls.  From below:
 *   driver, outcome     what a database does
 *   verdict             what a failure needs; a pure function
 *   watch               what ends a call
 *   pool_parts          what a pool of sessions consists of
 *   process, env        what all threads share; what one thread has
 *   kept_row            rows that are copied
 *   pipe_items          what a pipeline holds
 *   conn_state          the states of a connection; one enum
 *   pool_stmts          prepared statements that several clients use
 *   call                calls of the driver; its header lists all places that
 *                       wait
 *   role, role_check    which servers --target takes
 *   gate, turn          who may open a session, and when
 *   transport           sessions
 *   seek                the server of the first session, among several
 *   recover             does what a verdict says
 *   reopen              a session that could not be opened again
 *   pool                sessions that the clients of a thread share
 *   visit               whole lives of connections
 *   exchange            one statement
 *   stmt, conn, bulk, copy
 *   pipe_values         values of parameters that wait for their turn
 *   pipeline_run, pipeline  several statements in flight
 *   env_conns           all connections of a thread
 *   db_api              the functions of scripts
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

/* What the layer may assume. */
enum driver_caps {
  DRIVER_PREPARES = 1 << 0,         /* statements prepared on the server */
  DRIVER_SERVER = 1 << 1,           /* connections go to a server process */
  DRIVER_ROLLBACK_AT_ONCE = 1 << 2, /* after an ignorable error inside a
                                     * transaction; else the connection is
                                     * marked */
  DRIVER_SKIPS_EMPTY = 1 << 3,      /* several results: what is no result set
                                     * is passed over (counted) until the first
                                     * that is one */
  DRIVER_BULK_TRX = 1 << 4,         /* bulk inserts outside a run go into
                                     * transactions of 100,000 rows */
  DRIVER_NUL_IN_SQL = 1 << 5,       /* text may hold NUL bytes */
  DRIVER_BY_NUMBER = 1 << 6,        /* errors are named by their number, not
                                     * by their SQLSTATE */
  DRIVER_ONE_WRITER = 1 << 7,       /* whoever writes keeps all others from
                                     * writing */
  DRIVER_COUNTS_STORED = 1 << 9,    /* outcome.taken of a statement without
                                     * rows: how many it has changed */
  DRIVER_KEEPS_ROWS = 1 << 8,       /* what was stored is found again */
  DRIVER_NEVER_WAITS = 1 << 10,     /* connect() returns at once */
  DRIVER_GOES_ON = 1 << 11, /* statements of a pipeline are executed though one
                             * before them has failed */
};

/* Calls of a session that block in a library, whatever runs in the thread. */
enum session_blocks {
  SESSION_BLOCKS_PREPARE = 1 << 0, /* prepare() and bind() */
  SESSION_BLOCKS_ALL = 1 << 1,
};

/* Explicit parameters of a connection; what is NULL comes from options. */
struct conn_params {
  const char *host, *port, *socket, *user, *password, *db;
};

/*
 * What a driver knows of a connection: the first member of the driver's own
 * struct, of session_size bytes, zeroed when the connection object is made.
 */
struct session {
  /* Set by the layer. */
  const struct driver *driver;
  const void *cfg; /* the driver's config struct */
  struct db_env *env;
  const struct conn_params *params; /* never NULL */
  uint64_t number;                  /* of the connection, for target_pick() */
  bool apart;       /* it is none of the run's: statements have other names */
  unsigned attempt; /* 0: the connection's own target; n: n-th next one */
  struct watched *watched; /* how its calls are ended: see watch.h */
  bool may_be_raw; /* only statements are executed, and the session is closed:
                    * the client library is not needed */
  bool
    unread; /* the rows of the statement that is executed will not be fetched:
             * they only have to be counted, and none needs to be kept */

  /* Kept up to date by the driver, after failures too. */
  enum trx_state trx;
  unsigned blocks;  /* enum session_blocks: at first the driver's word */
  unsigned dialect; /* enum emul_flags, for emulated statements */
};

/*
 * A statement prepared natively: the first member of the driver's own struct,
 * of prepared_size bytes.  All of the driver's part is zero before prepare().
 */
struct prepared {
  /* Set by the layer. */
  struct session *session;
  const char *sql; /* zero-terminated, lives as long as the statement */
  size_t len;

  /* Set by prepare(); PARAMS_ANY: any number is accepted. */
  unsigned n_params;

  /*
   * Set by the layer before bind(); the array is the layer's own and stays
   * until the next bind() or unprepare().  Buffers are read at each execute.
   */
  const sql_bind *binds;
  unsigned n_binds;
};

#define PARAMS_ANY (~0u)

/* The advice when no space is left for one. */
#define HINT_FULL \
  "run the cleanup command to remove the tables, or make room for them"

/* A line that follows the message of a fatal error. */
struct driver_hint {
  int code;          /* 0: any */
  const char *state; /* NULL: any */
  bool bundled;      /* only when a bundled script runs */
  bool large;        /* only for large statements; their size is added */
  const char *text;
};

/* A value of a setting with which a COMMIT may be lost in a crash. */
struct driver_durable {
  const char *setting; /* a name that server_settings() uses */
  const char *unsafe;  /* the value; NULL: any but `safe` */
  const char *safe;
  const char *if_setting, *if_value; /* [opt] it matters only with these */
  const char *means;                 /* what a crash does then */
  bool usual; /* the default of the driver: worth a word in results only */
};

/* What a run will do, for the checks before it. */
struct run_facts {
  unsigned threads;  /* sessions, one of each client */
  unsigned parts;    /* processes of the run; each has as many sessions */
  unsigned carriers; /* threads that carry the clients; 0: each has its own */
  bool clients;      /* --clients says how many there are, not --threads */
  bool bundled;      /* a bundled OLTP script runs */
  bool may_miss;     /* that looks for rows that may not be there */
  bool as_sysbench;  /* advice is for --verbosity=4 then */
  uint64_t tables;   /* of that script, else 0 */
  uint64_t rows;     /* per table, among which it draws keys; 0: it does not */
  const char *rows_option; /* that says so: "--table-size"; static */
  bool rows_usual;         /* nobody has said so: it is the default */
  unsigned classes;        /* its statements per table */
  bool lazy;   /* it prepares statements when they are first needed */
  bool native; /* --db-ps-mode=auto */
};

/* What to do where a server allows fewer sessions than a run has. */
static inline const char *run_facts_fewer(const struct run_facts *f)
{
  return f->clients ? "raise it, or use fewer --clients"
                    : "raise it, or use fewer --threads";
}

static inline uint64_t run_facts_sessions(const struct run_facts *f)
{
  return (uint64_t)f->threads * (f->parts > 1 ? f->parts : 1);
}

/*
 * How many of the sessions that a server allows the run can have.  In a run of
 * several processes, what the server counts as used may be the run's own, so
 * it is not taken off.
 */
static inline uint64_t run_facts_room(const struct run_facts *f,
                                      uint64_t allowed, uint64_t used)
{
  if (f->parts > 1)
    return allowed;
  return allowed > used ? allowed - used : 0;
}

/* How much of something a server allows, and how much of it a run may need. */
struct driver_limit {
  const char *subject; /* "connections" */
  const char *setting; /* "max_connections" */
  const char *advice;  /* where there is not enough of it */
  uint64_t allowed, used, needed;
  bool hard; /* a run that needs more fails */
};

enum {
  DRIVER_LIMITS = 4 /* at most */
};

/* Bytes of a statement. */
struct statement_sizes {
  size_t good;         /* of one with many rows, outside of a run */
  size_t max;          /* what is larger is refused; SIZE_MAX: nothing is */
  const char *setting; /* of the server, that says so; static, NULL: none */
};

/* Where tables are kept, for a look at the free space before they are filled.
 */
struct driver_space {
  /* On disk of a row of the OLTP tables with the index on k: measured. */
  unsigned row_bytes;
  /*
   * A query for one row: a path in the file system that tables are in, and how
   * many bytes of OLTP tables are there already.  NULL: it is not on this
   * machine.  The query may fail, or return NULL, where that is not known.
   */
  const char *(*query)(const struct session *s);
};

struct driver_refusal;
struct target_names;

struct driver {
  const char *name;       /* the value of --db-driver, sql_driver.sname */
  const char *title;      /* in lists and --help, sql_driver.lname */
  const struct opt *opts; /* ends with OPT_END */
  size_t cfg_size;        /* the struct that `opts` fills in */
  size_t session_size;
  size_t prepared_size; /* 0 without DRIVER_PREPARES */
  unsigned caps;        /* enum driver_caps */
  unsigned dialect;     /* of a session, as long as nothing else is known */
  const struct target_names *names; /* [opt] see url.h */

  /* Code numbers of which one in an ignore list means "connection"; ends with
   * 0. */
  const int *connection_codes; /* [opt] */
  /* How servers refuse their service, see error_policy.h; ends with an all-zero
   * row.
   */
  const struct driver_refusal *refusals; /* [opt] */
  /* Ends with an all-NULL row. */
  const struct driver_hint *hints; /* [opt] */
  /* Ends with an all-NULL row. */
  const struct driver_durable *durable; /* [opt] */

  /*
   * The driver's own ignore list, NULL if it has none.  Items are numbers
   * 0..65535, five-character SQLSTATEs, two-character classes, `connection`
   * and `all`, as far as the option's row lets them pass.
   */
  const struct opt_list *(*ignore_errors)(const void *cfg); /* [opt] */
  /* Ignorable whatever the lists say. */
  bool (*always_ignorable)(const struct outcome *out); /* [opt] */

  /* There is no server: statements succeed and do nothing. */
  bool (*is_dry_run)(const void *cfg); /* [opt] */

  /*
   * Once per process, before the first session, by one thread while no other
   * uses the driver.  The text of `err` may have several lines.  global_done
   * runs only after a global_init that succeeded.
   */
  int (*global_init)(const void *cfg, struct err *err); /* [opt] */
  void (*global_done)(const void *cfg);                 /* [opt] */
  /* [opt] Logins that were given up are still inside the client
   * library: global_done is left out, and so is the end of the library. */
  bool (*is_busy)(void);
  /* Once per thread that uses the driver, in that thread. */
  int (*thread_init)(const void *cfg, struct err *err); /* [opt] */
  void (*thread_done)(const void *cfg);                 /* [opt] */

  /*
   * Open the connection; name resolution, TLS and login included it fails at
   * `until_ns` (clock_now_ns()) at the latest, or soon after.
   */
  int (*connect)(struct session *s, uint64_t until_ns, struct outcome *out);
  driver_visit *visit; /* [opt] */
  /* Never waits longer than 1 s, and not at all after `lost`.  Frees what an
   * open or pending result still holds. */
  void (*disconnect)(struct session *s);
  /* [opt] The memory of a session that is not open will be freed: free what it
   * has kept for later connections. */
  void (*done)(struct session *s);
  /* Lines for a failed connect, each without "FATAL: ". */
  void (*connect_message)(const struct session *s, const struct outcome *out,
                          struct strbuf *lines);
  /* The failure in one line: "error 1045: Access denied ...". */
  void (*connect_reason)(const struct session *s, const struct outcome *out,
                         struct strbuf *line);
  /*
   * [opt] When a connection was opened for the first time; of a server also
   * when that failed: what the user has to know, one warning per line, without
   * the prefix.
   */
  void (*warnings)(struct session *s, struct strbuf *lines);
  /* [opt] How many servers the lists of the options have, for target_pick();
   * without it, one. */
  size_t (*servers)(const void *cfg);
  /* Where this session goes, in words: "host 'a', port 3306". */
  void (*target)(const struct session *s, struct strbuf *line);
  /* Version, transport, TLS, compression: for DEBUG and structured results. */
  void (*about)(struct session *s,
                void (*put)(void *ctx, const char *key, const char *value),
                void *ctx); /* [opt] */
  /* [opt] The socket of an open session; -1: it has none. */
  int (*socket)(const struct session *s);
  /*
   * The settings that decide results, with the same call-back (may send
   * queries; leaves out what fails).
   */
  void (*server_settings)(struct session *s,
                          void (*put)(void *ctx, const char *key,
                                      const char *value),
                          void *ctx); /* [opt] */
  /* [opt] A cheap query for one number: how many bytes the tables of the
   * connection's database have. */
  const char *data_query;
  /* [opt] A cheap query for one number that tells the server's sessions apart.
   */
  const char *backend_query;
  /* [opt] The statement that gives a session its isolation level, without the
   * name of the level; without it, there is only one level. */
  const char *isolation_statement;
  /* [opt] A query for one number: 1, the server is read-only, as replicas are;
   * or 0. */
  const char *role_query;
  /* [opt] A query for one number: 1, the server follows another one, and may
   * not have everything yet; or 0, also if it is read-only for other reasons.
   */
  const char *standby_query;
  /*
   * On the first server connection of a run: warnings, one per line, without
   * their prefix.  May send queries; leaves out what fails.
   */
  void (*check_before_run)(struct session *s, const struct run_facts *facts,
                           struct strbuf *lines); /* [opt] */

  /*
   * What the server allows; its own session is not in use.  May send queries;
   * leaves out what fails.  Returns how many there are.
   */
  size_t (*limits)(struct session *s, const struct run_facts *facts,
                   struct driver_limit ret[DRIVER_LIMITS]); /* [opt] */

  /*
   * Send a statement and read its first result.  `sql` is zero-terminated at
   * sql[len].  No result is open or pending when it is called.
   */
  int (*query)(struct session *s, const char *sql, size_t len,
               struct outcome *out);
  /*
   * The next row of the open result set: 1 and values[0..nfields-1], valid
   * until the next call on the session; 0 when no row is left.  Never waits
   * for the server.
   */
  int (*fetch)(struct session *s, sql_value *values);
  /*
   * Ends the open result set and goes to the next result of the statement
   * (when the last outcome said `more`; otherwise sets `ended`).
   */
  int (*next_result)(struct session *s, struct outcome *out);
  /*
   * Ends the open result set and reads and drops everything that is pending.
   * -1: a failure was among it, the first one is in *out; all is ended then,
   * too.  May be called when there is nothing to end, and is left out after an
   * outcome that was `settled`.
   */
  int (*end_results)(struct session *s, struct outcome *out);

  /*
   * All four with DRIVER_PREPARES, else NULL.  prepare and bind may be called
   * while a result set is open (none is pending): its rows stay.
   */
  int (*prepare)(struct prepared *p, struct outcome *out);
  /*
   * p->binds is new; their number is right and their types are allowed.
   * Statements whose preparation waits for types are prepared here.
   */
  int (*bind)(struct prepared *p, struct outcome *out); /* [opt] */
  int (*execute)(struct prepared *p, struct outcome *out);
  /*
   * Frees what belongs to the statement, here and on the server (that may be
   * delayed until the next statement, and is left out when the connection was
   * lost or is about to be closed: `going`).  Also after a failed prepare.
   */
  void (*unprepare)(struct prepared *p, bool going);

  /*
   * Write the string as a literal of this session's dialect, quotes included;
   * false: it holds a byte that cannot be sent, *ret_why says which (static).
   */
  bool (*quote)(struct session *s, const char *text, size_t len,
                struct strbuf *to, const char **ret_why);
  /*
   * [opt] The literal (static) for a double that has no number as its text:
   * infinities, NaN, and -0.0.  NULL: there is none; then only -0.0 is sent.
   */
  const char *(*quote_special)(double value);

  /* Changes what is not as usual for statements on this server, which it may
   * ask. */
  void (*statement_sizes)(struct session *s,
                          struct statement_sizes *ret); /* [opt] */
  const struct driver_copy *copy;                       /* [opt] */
  const struct driver_pipe *pipe;                       /* [opt] */
  const struct driver_space *space;                     /* [opt] */
  /*
   * The OLTP tables were dropped and the session is closed: give their space
   * back, where the database does not do so by itself.  `line` gets what was
   * done, in words, or why not.
   */
  void (*tidy)(struct session *s, struct strbuf *line); /* [opt] */

  /*
   * The message of a fatal error, each line without "FATAL: ".  `sql` was cut
   * already; it is "" where there is none.
   */
  void (*message)(const struct session *s, enum call call,
                  const struct outcome *out, const char *sql,
                  struct strbuf *lines);

  /*
   * From another thread while the session is open (never during connect or
   * disconnect), without waiting: make the statement that is being executed
   * fail soon.  Harmless when there is none.
   */
  void (*wake)(struct session *s); /* [opt] */
  /* The same by breaking the connection: a blocked read returns at once. */
  void (*shutdown)(struct session *s); /* [opt] */

  /*
   * For cancelling by a message to the server.  After each connect the owner
   * makes a token: all that is needed to cancel, independent of the session.
   * cancel() may be called by any thread, also after disconnect, and returns
   * within about a second; cancel_free() by the last user of the token.
   */
  void *(*cancel_token)(struct session *s); /* [opt] NULL: out of memory */
  void (*cancel)(void *token);
  void (*cancel_free)(void *token);

  /* The text of the mode block for `run`, one line; [opt].  `s` is open. */
  void (*mode_line)(struct session *s, struct strbuf *line);
};

/* A session that is not open; NULL is fine. */
static inline void session_free(struct session *s)
{
  if (s && s->driver && s->driver->done)
    s->driver->done(s);
  free(s);
}

#endif
