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
#include "db/url.h"
#include "drivers/wire/buffer.h"
#include "drivers/wire/link.h"
#include "drivers/wire/pipe.h"
#include "drivers/wire/resolve.h"
#include "drivers/wire/scram.h"
#include "opt/opt.h"

/* ---- options (options.c) ---- */

struct pgsql_cfg {
  struct opt_list hosts; /* empty: libpq decides */
  struct opt_list ports;
  const char *user; /* texts: "": libpq decides */
  const char *password;
  const char *db; /* a name or a connection string */
  bool cleartext; /* plain text is allowed without TLS */
  int sslmode, sslnegotiation;
  const char *sslcert, *sslkey, *sslrootcert, *sslcrl;
  const char *options;
  struct opt_list ignore_errors;
  int protocol;
};

enum pgsql_protocol {
  PGSQL_AUTO,
  PGSQL_LIBRARY,
  PGSQL_WIRE,
};

enum pgsql_sslnegotiation {
  PGSQL_ASKED,
  PGSQL_DIRECT, /* TLS at once */
};

extern const char *const pgsql_sslmodes[]; /* ends with NULL */

extern const struct opt pgsql_opts[];
extern const struct target_names pgsql_names;

/* ---- sessions ---- */

enum pgsql_copied {
  COPIED_NOTHING,
  COPIED_OUT,
  COPIED_NEVER,
};

/* NULL: no result. */
struct pgsql_reply {
  PGresult *result; /* owned */
  enum pgsql_copied copied;
  uint64_t dropped; /* rows dropped unread; not in `result` */
  int bare;         /* rows without columns; not in `result` */
};

enum {
  PGSQL_TEXT = 1024,
};

struct pgsql_wire {
  struct wire_buffer in;
  int broken_by;     /* errno of the last failed read; 0: end of file */
  bool more;         /* further results of a text are pending */
  bool small;        /* one of many sessions: see wire_buffer_shrink() */
  unsigned requests; /* since the connection was opened, or less */

  bool may_block;
  bool blocking;

  size_t row_at;
  uint64_t rows_left;
  unsigned n_fields;

  struct wire_buffer out;
  struct wire_pipe pipe;
  bool was_aborted; /* when the pipeline began */
};

struct pgsql_session {
  struct session base;
  PGconn *conn;          /* owned; NULL: not connected, or raw */
  struct wire_link link; /* fd -1: libpq has closed it */
  bool raw;              /* without libpq, see handshake.c */
  bool broken;           /* the protocol's state is unknown */
  bool listens;          /* now or earlier: libpq may hold notifications */
  bool emulates;         /* the dialect must be right after each statement */
  bool unnamed;          /* --db-ps-mode=unnamed */
  bool too_large;

  /* `fd` for shutdown() by another thread, relaxed. */
  _Atomic int fd_to_cut;

  bool plain_chosen;   /* the wire may execute statements */
  bool plain;          /* now; libpq does not see all answers */
  bool settings_moved; /* libpq's settings may be outdated */
  int encoding;        /* then: of the client, in libpq's numbers */
  char version[32];    /* of the server; "": unknown */
  struct pgsql_wire wire;

  PGresult *rows; /* owned: the open result set */
  int row, n_rows, n_fields;
  struct pgsql_reply ahead; /* owned: the next result of the same text */

  PGresult *failed;
  PGresult *goodbye;  /* [opt] why the server ended the session; owned */
  struct strbuf text; /* of a failure without a result */

  /* Why the server ended the session, received between answers. */
  char last_state[6];
  struct strbuf last_text;

  uint64_t names;
  struct strbuf closing;
  char *scratch; /* owned: a literal being written */
  size_t scratch_room;

  struct scram_keys keys; /* of logins without libpq */
  uint8_t
    cancel[16]; /* of such a login: the request that cancels a statement */
  bool can_cancel;

  unsigned copy_columns;
  bool copy_binary;
  struct strbuf copy;
};

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
  bool there;
  char name[32];
  char *text; /* [opt] owned: parsed at each execution, under no name */
  /* [opt] owned: messages, if all parameters have 8 bytes, none is NULL, and
   * the shape is known. */
  uint8_t *frame;
  uint32_t frame_len, frame_values;
  unsigned n;
  void *block;
  Oid *types;       /* as prepared */
  char (*bytes)[8]; /* in network order, or digits of a TINYINT */
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

enum visit_rc pgsql_log_in(struct session *s, uint64_t until_ns,
                           struct outcome *out);
int pgsql_connect(struct session *s, uint64_t until_ns, struct outcome *out);
void pgsql_disconnect(struct session *s);
void pgsql_done(struct session *s);
void pgsql_shutdown(struct session *s);
void pgsql_connect_message(const struct session *s, const struct outcome *out,
                           struct strbuf *lines);
void pgsql_connect_reason(const struct session *s, const struct outcome *out,
                          struct strbuf *line);

/* Without libpq, which keeps 35 KiB and computes the SCRAM key at each login.
 * VISIT_CANNOT: libpq has to open the session, or to say why not. */
enum visit_rc pgsql_raw_connect(struct session *s, uint64_t until_ns,
                                struct outcome *out);
void pgsql_raw_never(struct session *s);
/* The server asks for a token. */
void pgsql_raw_always(struct session *s);
static inline bool pgsql_is_raw(const struct pgsql_session *p)
{
  return p->raw;
}
/* For raw sessions. */
void pgsql_wire_close(struct pgsql_session *p);
/* A statement of the driver's own, whose errors do not matter. */
bool pgsql_wire_run(struct pgsql_session *p, const char *sql);
int pgsql_wire_prepare(struct pgsql_prepared *st, const char *sql,
                       struct outcome *out);

driver_visit pgsql_visit;

/* Texts are borrowed or in `parsed`. */
struct pgsql_params {
  const char *host, *port, *user, *password, *db; /* NULL: libpq decides */
  bool by_libpq;   /* addresses or several hosts in the connection string */
  bool by_service; /* a service may set more, such as an sslmode */
  const struct pgsql_cfg *cfg;
  char *conninfo;           /* owned: `db` if its first word was a name */
  PQconninfoOption *parsed; /* owned [opt] */
};

/* -EINVAL: a wrong connection string, `err` has libpq's text.  -ENOMEM. */
int pgsql_params_make(struct pgsql_params *p, const struct session *s,
                      struct err *err);
void pgsql_params_done(struct pgsql_params *p);
/* --rtt.  As relay_to_host(); -EINVAL: only libpq has the address. */
int pgsql_params_relay(struct pgsql_params *p, const struct session *s,
                       uint64_t until_ns, struct err *err);
/* -EINVAL as above. */
int pgsql_params_check(const struct pgsql_cfg *cfg, struct err *err);

/* Is another attempt to log in useless after this SQLSTATE? */
bool pgsql_is_permanent(const char *state);

/* A folder of sockets, or an abstract socket. */
bool pgsql_is_socket(const char *host);
size_t pgsql_servers(const void *cfg);
void pgsql_target(const struct session *s, struct strbuf *line);

/* As wire_resolve(), in libpq's words. */
int pgsql_resolve(const char *host, uint64_t until_ns,
                  struct wire_addresses *ret, struct err *err);

/* ---- statements (stmt.c) ---- */

int pgsql_query(struct session *s, const char *sql, size_t len,
                struct outcome *out);
int pgsql_fetch(struct session *s, sql_value *values);
int pgsql_next_result(struct session *s, struct outcome *out);
int pgsql_end_results(struct session *s, struct outcome *out);

/* Has the session ended?  Without a final severity, errors about connections
 * concern those of the server. */
bool pgsql_is_goodbye(const char *state, const char *severity);
/* Keep an error that arrived unasked. */
void pgsql_note_last_words(struct pgsql_session *p, const char *state,
                           const char *text);
/* Does the statement end a transaction with success? */
bool pgsql_is_commit(const struct pgsql_session *p, const char *sql,
                     size_t len);
/* A COMMIT was answered by ROLLBACK.  Returns -1. */
int pgsql_refused_commit(struct outcome *out);
extern const char pgsql_copy_refused[];
int pgsql_no_memory(struct outcome *out);

/* Notifications come between answers: libpq alone uses the session from now
 * on. */
void pgsql_hear_listen(struct pgsql_session *p);
void pgsql_hear_tag(struct pgsql_session *p, const char *tag);
/* The server reports a setting, unseen by libpq. */
void pgsql_hear_setting(struct pgsql_session *p, const char *name,
                        const char *value);
/* From standard_conforming_strings; may be NULL. */
void pgsql_set_dialect(struct pgsql_session *p, const char *conforming);
/* libpq keeps notifications until they are taken. */
void pgsql_drop_notifications(struct pgsql_session *p);

void pgsql_put_values(struct pgsql_prepared *st);

void pgsql_drain(struct pgsql_session *p);
/* Not reported, but perhaps why the session ended. */
void pgsql_keep_goodbye(struct pgsql_session *p);
/* If libpq has found the connection broken, the number of its socket is in use
 * again, perhaps. */
void pgsql_note_loss(struct pgsql_session *p);
/* Of the driver's own.  Rows, owned by the caller; NULL: failure.  No result
 * may be pending. */
PGresult *pgsql_ask(struct pgsql_session *p, const char *sql);

/* The first result.  `single`: an error after it belongs to it.  `sql` NULL: no
 * COMMIT. */
int pgsql_receive(struct pgsql_session *p, bool sent, bool single,
                  const char *sql, size_t len, struct outcome *out);

/* `reply` (owned, may be empty) says why a call failed.  Returns -1. */
int pgsql_failed(struct pgsql_session *p, struct pgsql_reply reply,
                 struct outcome *out);
/* From what libpq has read. */
void pgsql_note_trx(struct pgsql_session *p);

/* By a query if libpq's settings are outdated.  No result may be pending. */
void pgsql_note_dialect(struct pgsql_session *p);
bool pgsql_quote(struct session *s, const char *text, size_t len,
                 struct strbuf *to, const char **ret_why);

/* Free closed statements on the server, if possible now. */
void pgsql_close_pending(struct pgsql_session *p);
int pgsql_prepare(struct prepared *p, struct outcome *out);
int pgsql_bind(struct prepared *p, struct outcome *out);
int pgsql_execute(struct prepared *p, struct outcome *out);
void pgsql_unprepare(struct prepared *p, bool going);

extern const struct driver_pipe pgsql_pipe;

extern const struct driver_copy pgsql_copy;

#endif
