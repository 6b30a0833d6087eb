/*
 * session.h - what the files of the driver share.
 */
#ifndef BENCH_DRIVERS_SQLITE_SESSION_H
#define BENCH_DRIVERS_SQLITE_SESSION_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "db/counts.h"
#include "db/driver.h"
#include "db/env.h"
#include "db/url.h"
#include "drivers/sqlite/options.h"

/*
 * The rows of a result.  SQLite gives one at a time and only while the
 * statement runs, but the number of rows must be known at once and no lock may
 * be kept.  Values are stored in sequence in `bytes`, each after its length.
 * The memory is kept from one result to the next.
 */
struct sqlite_rows {
  char *bytes; /* owned */
  size_t len, room;
  size_t at; /* position of the next row to fetch */
  uint64_t left;
  uint32_t fields;
};

enum {
  /* To ask SQLite costs more than 1 % of a short select: so many by themselves
   * are asked for at once. */
  SQLITE_NOTE_EACH = 4
};

struct sqlite_session {
  struct session base; /* first */
  sqlite3 *db;
  bool mode_due; /* the file is to change its journal mode with the first
                  * statement that writes */
  struct sqlite_rows rows;

  /* Statements of the text that have not been executed yet. */
  struct strbuf rest;
  size_t rest_at;
  bool more;

  /* State of a copy. */
  sqlite3_stmt *copy;     /* owned */
  const char *copy_kinds; /* borrowed */
  unsigned copy_columns;
  const char *copy_rows, *copy_rows_end; /* borrowed for one call */
  uint64_t copied;

  /* State of waiting for a lock. */
  uint64_t busy_since_ns;
  bool gave_up;           /* this statement gave up, because the run is over */
  _Atomic uint32_t woken; /* set by another thread: the statement has to end */
  char why[256];          /* text of an error, with its cause */

  struct counts_part counts; /* in the list of the process while it is open */
  unsigned unnoted; /* selects since the last one whose pages were counted */
};

struct sqlite_prepared {
  struct prepared base; /* first */
  sqlite3_stmt *stmt;
};

static inline struct sqlite_session *sqlite_of(struct session *s)
{
  return (struct sqlite_session *)(void *)s;
}

/* connect.c */
int sqlite_connect(struct session *s, uint64_t until_ns, struct outcome *out);
void sqlite_disconnect(struct session *s);
/* Set the journal mode, and that of the file if it may `change`.  Returns a
 * result code of SQLite. */
int sqlite_settle_mode(struct sqlite_session *q, bool change);
void sqlite_wake(struct session *s);
void sqlite_warnings(struct session *s, struct strbuf *lines);
void sqlite_mode_line(struct session *s, struct strbuf *line);
void sqlite_about(struct session *s,
                  void (*put)(void *ctx, const char *key, const char *value),
                  void *ctx);
extern const struct driver_durable sqlite_durable[];
void sqlite_settings(struct session *s,
                     void (*put)(void *ctx, const char *key, const char *value),
                     void *ctx);

extern const struct driver_space sqlite_space;

/* file.c: the name as it was given. */
const char *sqlite_file(const struct session *s);
/* Can files be created in the folder of this file?  0, or an errno value. */
int sqlite_folder_error(const char *path);

/* pages.c: add what the session has done since the last call to its counts. */
void sqlite_note_pages(struct sqlite_session *q);
void sqlite_note_reads(struct sqlite_session *q); /* pages read, no others */

/* tidy.c: see struct driver. */
void sqlite_tidy(struct session *s, struct strbuf *line);

/* error.c: the text of the last error, with what the system said; valid until
 * the next one. */
const char *sqlite_error_text(struct sqlite_session *q);
/* Fill in `out` from the connection's last error; -1. */
int sqlite_failed(struct sqlite_session *q, struct outcome *out);
int sqlite_failed_with(int code, const char *msg, struct outcome *out);
bool sqlite_always_ignorable(const struct outcome *out);

/* rows.c: append the row that `stmt` is at; false: out of memory. */
bool sqlite_rows_add(struct sqlite_rows *r, sqlite3_stmt *stmt);
void sqlite_rows_clear(struct sqlite_rows *r, uint32_t fields);
void sqlite_rows_done(struct sqlite_rows *r);
int sqlite_fetch(struct session *s, sql_value *values);

/* stmt.c */
int sqlite_query(struct session *s, const char *sql, size_t len,
                 struct outcome *out);
int sqlite_next_result(struct session *s, struct outcome *out);
int sqlite_end_results(struct session *s, struct outcome *out);
int sqlite_prepare(struct prepared *p, struct outcome *out);
int sqlite_execute(struct prepared *p, struct outcome *out);
void sqlite_unprepare(struct prepared *p, bool going);

/*
 * source.c: the rows copy_rows .. copy_rows_end, in the form of COPY_BINARY,
 * can be selected from SQLITE_SOURCE, as c0, c1 and so on.  Returns a result
 * code of SQLite.
 */
#define SQLITE_SOURCE "bench_rows_of_copy"
int sqlite_source(struct sqlite_session *q);

/* copy.c */
extern const struct driver_copy sqlite_copy;

/* names.c */
extern const struct target_names sqlite_names;

#endif
