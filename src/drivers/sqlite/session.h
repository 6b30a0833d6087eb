/*
 * session.h - what the files of the driver share.
 */
#ifndef BENCH_DRIVERS_SQLITE_SESSION_H
#define BENCH_DRIVERS_SQLITE_SESSION_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "db/counts.h"
#include "db/driver.h"
#include "db/env.h"
#include "db/url.h"
#include "drivers/sqlite/options.h"

/* SQLite gives rows only while the statement runs, but their number must be
 * known at once, and no lock kept.  `bytes`: values, each after its length. */
struct sqlite_rows {
  char *bytes; /* owned */
  size_t len, room;
  size_t at;
  uint64_t left;
  uint32_t fields;
};

enum {
  /* selects per count of pages, which costs more than 1 % of a short select */
  SQLITE_NOTE_EACH = 4
};

struct sqlite_session {
  struct session base; /* first */
  sqlite3 *db;
  bool mode_due; /* the first statement that writes changes the file's journal
                    mode */
  struct sqlite_rows rows;

  struct strbuf rest;
  size_t rest_at;
  bool more;

  sqlite3_stmt *copy;     /* owned */
  const char *copy_kinds; /* borrowed */
  unsigned copy_columns;
  const char *copy_rows, *copy_rows_end; /* borrowed, for one call */
  uint64_t copied;

  uint64_t busy_since_ns;
  bool gave_up;           /* the run is over */
  _Atomic uint32_t woken; /* by another thread: the statement has to end */
  char why[256];

  struct counts_part counts; /* in the list of the process while open */
  unsigned unnoted;
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
/* Only `change` alters the file.  Returns a result code of SQLite. */
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

/* error.c: as the user gave the name. */
const char *sqlite_file(const struct session *s);
/* Can files be created beside this file?  0, or an errno value. */
int sqlite_folder_error(const char *path);

/* connect.c: count pages since the last call. */
void sqlite_note_pages(struct sqlite_session *q);
void sqlite_note_reads(struct sqlite_session *q);

/* Of the last error, with its cause; valid until the next error. */
const char *sqlite_error_text(struct sqlite_session *q);
/* From the connection's last error.  Returns -1. */
int sqlite_failed(struct sqlite_session *q, struct outcome *out);
int sqlite_failed_with(int code, const char *msg, struct outcome *out);
bool sqlite_always_ignorable(const struct outcome *out);

/* rows.c: false: no memory. */
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

/* copy.c */
extern const struct driver_copy sqlite_copy;

#endif
