/*
 * session.h - what the files of this driver share.
 */
#ifndef BENCH_DRIVERS_PGSQL_SESSION_H
#define BENCH_DRIVERS_PGSQL_SESSION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <libpq-fe.h>

#include "base/strbuf.h"
#include "db/driver.h"
#include "db/driver_visit.h"
#include "drivers/pgsql/options.h"
#include "drivers/pgsql/wire_io.h"
#include "drivers/wire/resolve.h"
#include "drivers/wire/scram.h"

/* What happened to a COPY before a result. */
enum pgsql_copied {
  COPIED_NOTHING,
  COPIED_OUT,   /* rows of COPY TO STDOUT were dropped */
  COPIED_NEVER, /* COPY FROM STDIN was refused */
};

/* One result of the server, or none (NULL). */
struct pgsql_reply {
  PGresult *result; /* owned */
  enum pgsql_copied copied;
  uint64_t dropped; /* rows that were dropped unread; `result` has none */
  int bare;         /* rows without columns; `result` has none of these */
};

enum {
  PGSQL_TEXT = 1024, /* at most, for texts of the library */
};

struct pgsql_session {
  struct session base;
  PGconn *conn;   /* owned; NULL: not connected, or raw */
  int fd;         /* socket of the connection; -1: the library closed it */
  bool raw;       /* without libpq, see handshake.c */
  bool broken;    /* the protocol's state is unknown: do not continue */
  bool listens;   /* listens or did: the library may have notifications */
  bool emulates;  /* the dialect must be right after each statement */
  bool too_large; /* broken: a result is larger than is allowed */

  /*
   * `fd` for shutdown(): written by the session's thread, read by another
   * thread, relaxed.
   */
  _Atomic int fd_to_cut;

  bool plain_chosen;   /* statements may be executed without the library */
  bool plain;          /* now they are: the library does not see all answers */
  bool settings_moved; /* ... and may have outdated settings */
  int encoding;        /* then: the client's encoding, as libpq numbers it */
  struct pgsql_wire wire;

  PGresult *rows; /* the open result set, owned */
  int row, n_rows, n_fields;
  struct pgsql_reply ahead; /* the next result of the same text, owned */

  PGresult *failed;   /* last failure, for its texts; owned */
  PGresult *goodbye;  /* [opt] why the server ended the session; owned */
  struct strbuf text; /* of a failure that has no result */

  /* Why the server ended the session, received between two answers. */
  char last_state[6];
  struct strbuf last_text;

  uint64_t names;        /* statements prepared so far */
  struct strbuf closing; /* DEALLOCATE for statements that were closed */
  char *scratch;         /* owned: a literal being written */
  size_t scratch_room;

  struct scram_keys keys; /* of the logins without the library */
  uint8_t cancel[16];     /* after such a login: the request that cancels... */
  bool can_cancel;        /* ...if there is one */

  unsigned copy_columns;
  bool copy_binary;
  struct strbuf copy; /* rows of a COPY that were not sent yet */
};

/* What the result of a statement looks like. */
enum pgsql_shape {
  SHAPE_UNKNOWN,
  SHAPE_ROWS,
  SHAPE_NO_ROWS,
};

struct pgsql_prepared {
  struct prepared base;
  bool varies; /* the shape may differ at each execution */
  enum pgsql_shape shape;
  unsigned n_fields;
  bool there; /* it is prepared on the server */
  char name[32];
  /*
   * [opt] owned: the messages of an execution, if all parameters have 8 bytes,
   * none is NULL, and the shape is known.
   */
  uint8_t *frame;
  uint32_t frame_len, frame_values;
  unsigned n;       /* capacity of the arrays, in parameters */
  void *block;      /* owned: memory of the arrays */
  Oid *types;       /* types as prepared */
  char (*bytes)[8]; /* numbers in network order, or digits of a TINYINT */
  const char **values;
  int *lengths;
  int *formats;
};

static inline struct pgsql_session *pgsql_of(struct session *s)
{
  return (struct pgsql_session *)s;
}
static inline const struct pgsql_session *pgsql_const(const struct session *s)
{
  return (const struct pgsql_session *)s;
}

/* ---- session.c ---- */

/*
 * Call this before the library uses the socket: sets it up as the library needs
 * it.
 */
void pgsql_wire_lend(struct pgsql_session *p);

/* ---- connecting (connect.c, params.c) ---- */

int pgsql_connect(struct session *s, uint64_t until_ns, struct outcome *out);
void pgsql_disconnect(struct session *s);
void pgsql_done(struct session *s);
void pgsql_shutdown(struct session *s);
void pgsql_connect_message(const struct session *s, const struct outcome *out,
                           struct strbuf *lines);
void pgsql_connect_reason(const struct session *s, const struct outcome *out,
                          struct strbuf *line);

/* ---- sessions without libpq (handshake.c, wire.c) ---- */

/*
 * Open a raw session: one without libpq, which keeps 35 KiB for a connection,
 * and computes the key of the password at each login with SCRAM.
 * VISIT_CANNOT: libpq has to open it, or to say why that fails.
 */
enum visit_rc pgsql_raw_connect(struct session *s, uint64_t until_ns,
                                struct outcome *out);
/* The session is encrypted: so are the next ones, which only libpq can open. */
void pgsql_raw_never(struct session *s);
static inline bool pgsql_is_raw(const struct pgsql_session *p)
{
  return p->raw;
}
/* The following functions are for raw sessions. */
void pgsql_wire_close(struct pgsql_session *p);
/* Execute a statement of the driver's own, whose errors do not matter. */
bool pgsql_wire_run(struct pgsql_session *p, const char *sql);
/* Prepare st->name with the types of the parameters. */
int pgsql_wire_prepare(struct pgsql_prepared *st, const char *sql,
                       struct outcome *out);

/* A connection for one statement. */
driver_visit pgsql_visit;

/* The target of a session; texts are borrowed or in `parsed`. */
struct pgsql_params {
  const char *host, *port, *user, *password, *db; /* NULL: libpq decides */
  bool by_libpq;   /* the connection string names addresses or several hosts */
  bool by_service; /* a service may set more, such as an sslmode */
  const struct pgsql_cfg *cfg;
  char *conninfo;           /* owned: `db` if its first word was a name */
  PQconninfoOption *parsed; /* owned: the connection string, if it is one */
};

/* -EINVAL: the connection string is wrong; `err` has libpq's text.  -ENOMEM. */
int pgsql_params_make(struct pgsql_params *p, const struct session *s,
                      struct err *err);
void pgsql_params_done(struct pgsql_params *p);
/* Check the options.  -EINVAL as above. */
int pgsql_params_check(const struct pgsql_cfg *cfg, struct err *err);

/* Does an SQLSTATE of a login mean that trying again is useless? */
bool pgsql_is_permanent(const char *state);

/* Is the host a folder of sockets, or the name of an abstract one? */
bool pgsql_is_socket(const char *host);
size_t pgsql_servers(const void *cfg);
void pgsql_target(const struct session *s, struct strbuf *line);

/* As wire_resolve(), with a text in the words of the library. */
int pgsql_resolve(const char *host, uint64_t until_ns,
                  struct wire_addresses *ret, struct err *err);

/* ---- direct statements (query.c) ---- */

int pgsql_query(struct session *s, const char *sql, size_t len,
                struct outcome *out);
int pgsql_fetch(struct session *s, sql_value *values);
int pgsql_next_result(struct session *s, struct outcome *out);
int pgsql_end_results(struct session *s, struct outcome *out);

/* ---- rows that the library receives one by one (rows.c) ---- */

/*
 * A statement was sent: ask for its rows one by one, so that their bytes can be
 * counted, and dropped if they are not read.
 */
void pgsql_rows_begin(struct pgsql_session *p);
/*
 * The library has received the first row, `one` (owned by this call): receive
 * the others.  Returns the result of all, or an error; NULL after p->too_large
 * was set, or without memory.
 */
struct pgsql_reply pgsql_rows_receive(struct pgsql_session *p, PGresult *one);

/* ---- errors (error.c) ---- */

/*
 * Does the error mean that the session can no longer be used?  An error about
 * connections must be final by its severity.  Otherwise it is about a
 * connection of the server to another server, and the session continues.
 */
bool pgsql_is_goodbye(const char *state, const char *severity);
/* Keep an error that arrived unasked. */
void pgsql_note_last_words(struct pgsql_session *p, const char *state,
                           const char *text);
/* Does the statement end a transaction with success? */
bool pgsql_is_commit(const struct pgsql_session *p, const char *sql,
                     size_t len);
/* A COMMIT was answered by a rollback.  Returns -1. */
int pgsql_refused_commit(struct outcome *out);
/* The text of an error: a script cannot send rows. */
extern const char pgsql_copy_refused[];
int pgsql_no_memory(struct outcome *out);

/* ---- messages of the server besides its answers (hear.c) ---- */

/*
 * The session listens: the server may send messages at any time, even long
 * ones, and the library reads past its own answers.  The wire code could not
 * find where the next answer begins.  From now on only the library uses the
 * session, also after UNLISTEN, because its tag does not name the channel.
 */
void pgsql_hear_listen(struct pgsql_session *p);
/* The server has executed a command with this tag, which may be LISTEN. */
void pgsql_hear_tag(struct pgsql_session *p, const char *tag);
/* The server reports a setting, and the library does not see the message. */
void pgsql_hear_setting(struct pgsql_session *p, const char *name,
                        const char *value);
/*
 * Set the dialect from the value of standard_conforming_strings; may be NULL.
 */
void pgsql_set_dialect(struct pgsql_session *p, const char *conforming);
/* Free the notifications, which the library keeps until they are taken. */
void pgsql_drop_notifications(struct pgsql_session *p);

/* ---- values of parameters (values.c) ---- */

/* Fill in values, lengths and formats from the buffers that are bound. */
void pgsql_put_values(struct pgsql_prepared *st);

/* ---- replies of the library (reply.c) ---- */

bool pgsql_reply_is_success(ExecStatusType status);
/* Read the next reply, like PQgetResult(); a COPY that it begins is ended. */
struct pgsql_reply pgsql_reply_read(struct pgsql_session *p);
/* The severity of an error; "" if the server has not sent it. */
const char *pgsql_severity_of(const PGresult *result);
/* Read all results and drop them. */
void pgsql_drain(struct pgsql_session *p);
/*
 * The last failure will not be reported, but it may say why the server has
 * ended the session: keep that.
 */
void pgsql_keep_goodbye(struct pgsql_session *p);
/*
 * Call this after calls of the library whose failure is not reported.  If the
 * library has found the connection broken, it has closed the socket, and the
 * number may already belong to another one.  It is not used any more, and the
 * next statement reports the reason.
 */
void pgsql_note_loss(struct pgsql_session *p);
/*
 * Execute a query of the driver's own.  Returns the rows, owned by the caller;
 * NULL: it has failed.  No result may be pending.
 */
PGresult *pgsql_ask(struct pgsql_session *p, const char *sql);

/* ---- results of the library (result.c) ---- */

/*
 * Receive the first result of a statement that was sent (`sent`), or its
 * failure.  `single`: the statement has one result, and an error after it
 * belongs to it.  `sql` may be NULL: the statement is not a COMMIT.
 */
int pgsql_receive(struct pgsql_session *p, bool sent, bool single,
                  const char *sql, size_t len, struct outcome *out);

/*
 * `result` (owned by this call, may be NULL) says why a call failed.  Returns
 * -1.
 */
int pgsql_failed(struct pgsql_session *p, struct pgsql_reply reply,
                 struct outcome *out);
/* Update the state of the transaction after the library has read an answer. */
void pgsql_note_trx(struct pgsql_session *p);

/* ---- settings of the session (settings.c) ---- */

/*
 * Take the dialect from the library, or ask the server if the library's
 * settings are outdated.  No result may be pending.
 */
void pgsql_note_dialect(struct pgsql_session *p);
/* The quote() of the driver. */
bool pgsql_quote(struct session *s, const char *text, size_t len,
                 struct strbuf *to, const char **ret_why);

/* ---- prepared statements (stmt.c) ---- */

/* Free closed statements on the server, if that is possible now. */
void pgsql_close_pending(struct pgsql_session *p);
int pgsql_prepare(struct prepared *p, struct outcome *out);
int pgsql_bind(struct prepared *p, struct outcome *out);
int pgsql_execute(struct prepared *p, struct outcome *out);
void pgsql_unprepare(struct prepared *p, bool going);

/* ---- several statements in flight (pipe.c) ---- */

extern const struct driver_pipe pgsql_pipe;

/* ---- cancelling (cancel.c) ---- */

void *pgsql_cancel_token(struct session *s);
void pgsql_cancel(void *token);
void pgsql_cancel_free(void *token);

/* ---- checks of the server (about.c) ---- */

typedef void pgsql_put(void *ctx, const char *key, const char *value);
extern const struct driver_space pgsql_space;
void pgsql_about(struct session *s, pgsql_put *put, void *ctx);
extern const struct driver_durable pgsql_durable[];
size_t pgsql_limits(struct session *s, const struct run_facts *facts,
                    struct driver_limit ret[DRIVER_LIMITS]);
void pgsql_settings(struct session *s, pgsql_put *put, void *ctx);
void pgsql_check(struct session *s, const struct run_facts *facts,
                 struct strbuf *lines);

/* ---- rows by COPY (copy.c) ---- */

extern const struct driver_copy pgsql_copy;

#endif
