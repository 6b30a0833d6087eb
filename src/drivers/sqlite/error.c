/*
 * error.c - SQLite's result codes as SQLSTATEs, and causes of failures.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "drivers/sqlite/session.h"

const char *sqlite_file(const struct session *s)
{
  const struct sqlite_cfg *cfg = s->cfg;

  return s->params->db ? s->params->db : cfg->db;
}

int sqlite_folder_error(const char *path)
{
  const char *slash = strrchr(path, '/');
  char folder[PATH_MAX] = ".";

  if (slash)
    (void)snprintf(folder, sizeof(folder), "%.*s",
                   slash == path ? 1 : (int)(slash - path), path);
  return access(folder, W_OK) == 0 ? 0 : errno;
}

static const struct {
  int code;
  const char *state;
} states[] = {
  { SQLITE_CONSTRAINT_PRIMARYKEY, "23505" },
  { SQLITE_CONSTRAINT_UNIQUE, "23505" },
  { SQLITE_CONSTRAINT_ROWID, "23505" },
  { SQLITE_BUSY, "40001" },
  { SQLITE_LOCKED, "40001" },
  { SQLITE_CONSTRAINT, "23000" },
  { SQLITE_INTERRUPT, "57014" },
  { SQLITE_FULL, "53100" },
  { SQLITE_NOMEM, "53200" },
  { SQLITE_READONLY, "25006" },
  { SQLITE_CANTOPEN, "58030" },
  { SQLITE_IOERR, "58030" },
  { SQLITE_CORRUPT, "58030" },
  { SQLITE_NOTADB, "58030" },
};

static const char *error_state_of(int code, const char *msg)
{
  static const char no_table[] = "no such table";

  for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
    if (states[i].code == code || states[i].code == (code & 0xff))
      return states[i].state;
  }
  if ((code & 0xff) != SQLITE_ERROR)
    return "HY000";
  if (text_ends_with(msg, " already exists"))
    return "42P07";
  return strncmp(msg, no_table, sizeof(no_table) - 1) == 0 ? "42P01" : "42601";
}

int sqlite_failed_with(int code, const char *msg, struct outcome *out)
{
  out->code = code;
  out->base_code = code & 0xff;
  out->msg = msg;
  memcpy(out->state, error_state_of(code, msg), sizeof(out->state));
  return -1;
}

/* SQLite does not report why a file cannot be opened, read or written. */
const char *sqlite_error_text(struct sqlite_session *q)
{
  const int code = sqlite3_errcode(q->db) & 0xff;
  int cause = sqlite3_system_errno(q->db), folder;
  const char *message = sqlite3_errmsg(q->db);

  if (cause == 0 || (code != SQLITE_CANTOPEN && code != SQLITE_IOERR))
    return message;
  /* After SQLite could not create the file, an attempt to read failed. */
  if (cause == ENOENT &&
      (folder = sqlite_folder_error(sqlite_file(&q->base))) != 0)
    cause = folder;
  (void)snprintf(q->why, sizeof(q->why), "%s: %s%s", message, strerror(cause),
                 err_limit(cause));
  return q->why;
}

int sqlite_failed(struct sqlite_session *q, struct outcome *out)
{
  /* The error may have ended the transaction. */
  q->base.trx = sqlite3_get_autocommit(q->db) ? TRX_NONE : TRX_OPEN;
  out->over = q->gave_up && (sqlite3_errcode(q->db) & 0xff) == SQLITE_BUSY;
  return sqlite_failed_with(sqlite3_extended_errcode(q->db),
                            sqlite_error_text(q), out);
}

bool sqlite_always_ignorable(const struct outcome *out)
{
  return out->base_code == SQLITE_BUSY || out->base_code == SQLITE_LOCKED;
}
