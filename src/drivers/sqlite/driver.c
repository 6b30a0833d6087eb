/*
 * driver.c - the vtable of the sqlite driver, and the end of a database.
 */
#include "drivers/driver_list.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "db/emul.h"
#include "drivers/sqlite/session.h"

/*
 * SQLite keeps the pages of dropped tables.  A file without other contents is
 * removed, but never while another process has it open: idle connections hold
 * no lock, so the kernel is asked for a lease.
 */

#define WORTH_A_LINE (UINT64_C(1) << 20)

static const char what_is_there[] =
  "SELECT (SELECT COUNT(*) FROM sqlite_master WHERE name NOT LIKE "
  "'sqlite\\_%' ESCAPE '\\') + (u.user_version <> 0) + "
  "(a.application_id <> 0), f.freelist_count * s.page_size, "
  "c.page_count * s.page_size, v.schema_version FROM pragma_user_version u, "
  "pragma_application_id a, pragma_freelist_count f, pragma_page_size s, "
  "pragma_page_count c, pragma_schema_version v";

struct contents {
  bool others;
  bool used;
  uint64_t free_bytes, bytes;
};

static int tidy_look_inside(sqlite3 *db, struct contents *ret)
{
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(db, what_is_there, -1, &stmt, NULL);

  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  if (rc == SQLITE_ROW) {
    ret->others = sqlite3_column_int64(stmt, 0) != 0;
    ret->free_bytes = (uint64_t)sqlite3_column_int64(stmt, 1);
    ret->bytes = (uint64_t)sqlite3_column_int64(stmt, 2);
    ret->used = sqlite3_column_int64(stmt, 3) != 0;
  }
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_ROW ? 0 : -1;
}

/* Without WAL, which cannot be left while other connections are open. */
static int tidy_shrink(sqlite3 *db)
{
  sqlite3_stmt *stmt = NULL;
  bool left = false;
  int rc;

  if (sqlite3_prepare_v2(db, "PRAGMA journal_mode=DELETE", -1, &stmt, NULL) ==
        SQLITE_OK &&
      sqlite3_step(stmt) == SQLITE_ROW)
    left = strcmp((const char *)sqlite3_column_text(stmt, 0), "delete") == 0;
  rc = sqlite3_finalize(stmt);
  if (left)
    return sqlite3_exec(db, "VACUUM", NULL, NULL, NULL);
  return rc != SQLITE_OK ? rc : SQLITE_BUSY;
}

static bool tidy_is_plain(const char *path, struct stat *ret)
{
  return lstat(path, ret) == 0 && S_ISREG(ret->st_mode) && ret->st_nlink == 1;
}

#if defined(F_SETLEASE) && defined(F_SETSIG)

static void tidy_remove_beside(const char *path, const char *suffix)
{
  char name[PATH_MAX];

  if (snprintf(name, sizeof(name), "%s%s", path, suffix) < (int)sizeof(name))
    (void)unlink(name);
}

static bool tidy_remove_file(const char *path)
{
  struct stat before, opened;
  bool gone = false;
  int fd;

  if (!tidy_is_plain(path, &before))
    return false;
  fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return false;
  /* A process that opens the file now waits for the end of the lease.  Its
   * signal would end the program, unless ignored. */
  if (fstat(fd, &opened) == 0 && opened.st_dev == before.st_dev &&
      opened.st_ino == before.st_ino && fcntl(fd, F_SETSIG, SIGURG) == 0 &&
      fcntl(fd, F_SETLEASE, F_WRLCK) == 0) {
    gone = unlink(path) == 0;
    if (gone) {
      tidy_remove_beside(path, "-wal");
      tidy_remove_beside(path, "-shm");
      tidy_remove_beside(path, "-journal");
    }
    (void)fcntl(fd, F_SETLEASE, F_UNLCK);
  }
  (void)close(fd);
  return gone;
}

#else

static bool tidy_remove_file(const char *path)
{
  struct stat st;

  (void)tidy_is_plain(path, &st);
  return false;
}

#endif

static void sqlite_tidy(struct session *s, struct strbuf *line)
{
  const char *path = sqlite_file(s);
  struct contents in = { 0 };
  char size[FMT_SIZE_SIZE];
  sqlite3 *db = NULL;
  struct stat st;
  int rc = SQLITE_BUSY;

  if (lstat(path, &st) < 0)
    return;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
      tidy_look_inside(db, &in) == 0 && !in.others && in.used)
    rc = tidy_shrink(db);
  (void)sqlite3_close(db);
  if (in.others && in.free_bytes >= WORTH_A_LINE)
    strbuf_addf(line,
                "'%s' keeps its size of %s, because other tables are in it; "
                "VACUUM makes it smaller",
                path, fmt_size(size, in.bytes));
  if (in.others || !in.used)
    return;
  if ((rc == SQLITE_OK || rc == SQLITE_FULL) && tidy_remove_file(path))
    strbuf_addf(line, "Removed the database file '%s'", path);
  else if (rc == SQLITE_OK)
    strbuf_addf(line, "The database file '%s' is empty, and stays", path);
  else
    strbuf_addf(line, "The database file '%s' stays, because %s", path,
                sqlite_folder_error(path) == 0
                  ? "another program uses it"
                  : "its folder cannot be written to");
}

static const struct driver_hint hints[] = {
  { .state = "42P01",
    .bundled = true,
    .text = "did you run the prepare "
            "command?" },
  { .code = 13,
    .bundled = true,
    .text = "make room for the tables; if nothing else is in the database, "
            "remove its file, which also does the work of cleanup" },
  { .state = "25006", .text = "the server is read-only" },
  { .code = 18, .large = true, .text = "it may be too large" },
  { 0 },
};

static int sqlite_global_init(const void *cfg, struct err *err)
{
  (void)cfg;
  if (sqlite3_threadsafe() == 0)
    return err_set(err, -1,
                   "this SQLite library was built without support for "
                   "threads");
  /* Statistics cost each allocation a shared lock.  They stay on if the library
   * is in use. */
  (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)signal(SIGXFSZ, SIG_IGN); /* write() fails instead */
  return 0;
}

static void sqlite_reason(const struct session *s, const struct outcome *out,
                          struct strbuf *line)
{
  (void)s;
  strbuf_addf(line, "error %d: %s", out->code, out->msg);
}

static void sqlite_target(const struct session *s, struct strbuf *line)
{
  const struct sqlite_cfg *cfg = s->cfg;

  strbuf_addf(line, "file '%s'", s->params->db ? s->params->db : cfg->db);
}

static void sqlite_connect_message(const struct session *s,
                                   const struct outcome *out,
                                   struct strbuf *lines)
{
  const struct sqlite_cfg *cfg = s->cfg;

  strbuf_addf(lines, "cannot open SQLite database '%s': %s",
              s->params->db ? s->params->db : cfg->db, out->msg);
}

static void sqlite_message(const struct session *s, enum call call,
                           const struct outcome *out, const char *sql,
                           struct strbuf *lines)
{
  (void)s;
  (void)call;
  strbuf_addf(lines, "SQLite error %d (%s): %s for query '%s'", out->code,
              out->state, out->msg, sql);
}

static bool sqlite_quote(struct session *s, const char *text, size_t len,
                         struct strbuf *to, const char **ret_why)
{
  static const char hex[] = "0123456789ABCDEF";

  (void)s;
  (void)ret_why;
  if (memchr(text, '\0', len)) {
    strbuf_adds(to, "CAST(X'");
    for (size_t i = 0; i < len; i++) {
      const unsigned char c = (unsigned char)text[i];
      const char two[] = { hex[c >> 4], hex[c & 15] };

      strbuf_add(to, two, 2);
    }
    strbuf_adds(to, "' AS TEXT)");
    return true;
  }
  strbuf_add(to, "'", 1);
  while (len > 0) {
    const char *end = memchr(text, '\'', len);
    const size_t n = end ? (size_t)(end - text) + 1 : len;

    strbuf_add(to, text, n);
    if (end)
      strbuf_add(to, "'", 1);
    text += n;
    len -= n;
  }
  strbuf_add(to, "'", 1);
  return true;
}

const struct driver driver_sqlite = {
  .name = "sqlite",
  .title = "SQLite driver (embedded)",
  .opts = sqlite_options,
  .names = &sqlite_names,
  .cfg_size = sizeof(struct sqlite_cfg),
  .session_size = sizeof(struct sqlite_session),
  .prepared_size = sizeof(struct sqlite_prepared),
  .dialect = EMUL_SQLITE,
  .caps = DRIVER_PREPARES | DRIVER_SKIPS_EMPTY | DRIVER_BULK_TRX |
          DRIVER_ONE_WRITER | DRIVER_KEEPS_ROWS,
  .hints = hints,
  .durable = sqlite_durable,
  .always_ignorable = sqlite_always_ignorable,
  .global_init = sqlite_global_init,
  .connect = sqlite_connect,
  .disconnect = sqlite_disconnect,
  .connect_message = sqlite_connect_message,
  .connect_reason = sqlite_reason,
  .warnings = sqlite_warnings,
  .target = sqlite_target,
  .about = sqlite_about,
  .server_settings = sqlite_settings,
  .data_query = "SELECT (c.page_count - f.freelist_count) * s.page_size "
                "FROM pragma_page_count c, pragma_freelist_count f, "
                "pragma_page_size s",
  .index_query = "SELECT COUNT(*) FROM sqlite_master m "
                 "JOIN pragma_index_info(m.name) i ON i.seqno = 0 "
                 "WHERE i.name = 'k' AND m.type = 'index' AND m.tbl_name = ",
  .query = sqlite_query,
  .fetch = sqlite_fetch,
  .next_result = sqlite_next_result,
  .end_results = sqlite_end_results,
  .prepare = sqlite_prepare,
  .execute = sqlite_execute,
  .unprepare = sqlite_unprepare,
  .quote = sqlite_quote,
  .copy = &sqlite_copy,
  .space = &sqlite_space,
  .tidy = sqlite_tidy,
  .message = sqlite_message,
  .wake = sqlite_wake,
  .mode_line = sqlite_mode_line,
};
