/*
 * connect.c - opens a database file, applies settings, waits for locks, and
 * counts pages.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/wait.h"
#include "db/emul.h"
#include "drivers/sqlite/session.h"

static bool pages_add(struct sqlite_session *q, int status, enum db_count which)
{
  int n = 0, most = 0;

  /* SQLite starts again at 0, because its numbers have 31 bits. */
  if (sqlite3_db_status(q->db, status, &n, &most, 1) != SQLITE_OK || n <= 0)
    return false;
  counts_add(&q->counts, which, (uint64_t)n);
  return true;
}

void sqlite_note_reads(struct sqlite_session *q)
{
  (void)pages_add(q, SQLITE_DBSTATUS_CACHE_MISS, COUNT_PAGES_READ);
  q->unnoted = 0;
}

void sqlite_note_pages(struct sqlite_session *q)
{
  sqlite_note_reads(q);
  if (pages_add(q, SQLITE_DBSTATUS_CACHE_WRITE, COUNT_PAGES_WRITTEN))
    (void)pages_add(q, SQLITE_DBSTATUS_CACHE_SPILL, COUNT_SPILLS);
}

enum {
  PAUSE_FIRST_US = 100,
  PAUSE_LAST_US = 10000,
};

static const struct sqlite_cfg *connect_cfg_of(const struct session *s)
{
  return s->cfg;
}

static int connect_busy(void *arg, int tries)
{
  struct sqlite_session *q = arg;
  const uint64_t limit = connect_cfg_of(&q->base)->busy_timeout_ms * NS_PER_MS;
  const uint64_t now = clock_now_ns();
  uint64_t us = PAUSE_FIRST_US;
  uint64_t until;

  if (tries == 0) {
    q->busy_since_ns = now;
    counts_add(&q->counts, COUNT_LOCK_WAITS, 1);
  }
  q->gave_up = env_has_to_leave(q->base.env, now);
  if (q->gave_up ||
      atomic_load_explicit(&q->woken, memory_order_relaxed) != 0 ||
      now - q->busy_since_ns >= limit)
    return 0;
  for (int i = 0; i < tries && us < PAUSE_LAST_US; i++)
    us *= 2;
  until = now + (us < PAUSE_LAST_US ? us : PAUSE_LAST_US) * NS_PER_US;
  if (until > q->busy_since_ns + limit)
    until = q->busy_since_ns + limit;
  wait_while(&q->woken, 0, until);
  return 1;
}

void sqlite_wake(struct session *s)
{
  struct sqlite_session *q = sqlite_of(s);

  atomic_store_explicit(&q->woken, 1, memory_order_relaxed);
  wait_wake_all(&q->woken);
  sqlite3_interrupt(q->db);
}

static int connect_ask(struct sqlite_session *q, const char *sql, char *to,
                       size_t size)
{
  sqlite3_stmt *stmt = NULL;
  int rc = sqlite3_prepare_v2(q->db, sql, -1, &stmt, NULL);

  to[0] = '\0';
  if (rc == SQLITE_OK)
    rc = sqlite3_step(stmt);
  if (rc == SQLITE_ROW)
    (void)snprintf(to, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
  (void)sqlite3_finalize(stmt);
  return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* A switch of a new file to WAL may get BUSY without a call of busy(). */
static int connect_set_journal_mode(struct sqlite_session *q, const char *mode)
{
  char sql[64], now[32];
  int rc, tries = 0;

  (void)snprintf(sql, sizeof(sql), "PRAGMA journal_mode=%s", mode);
  while ((rc = connect_ask(q, sql, now, sizeof(now))) == SQLITE_BUSY) {
    if (!connect_busy(q, tries++))
      break;
  }
  return rc;
}

static bool connect_is_own(struct sqlite_session *q)
{
  static const char strangers[] =
    "SELECT 1 FROM sqlite_master m WHERE type IN ('table', 'view') AND name "
    "NOT LIKE 'sqlite\\_%%' ESCAPE '\\' AND (name NOT GLOB 'sbtest[0-9]*' OR "
    "(SELECT group_concat(name) FROM pragma_table_info(m.name)) NOT LIKE "
    "'id,k%%') %s LIMIT 1";
  char sql[sizeof(strangers) + 80], found[32];

  (void)snprintf(sql, sizeof(sql), strangers,
                 "AND name <> 'bench_tables' AND "
                 "name NOT IN (SELECT name FROM bench_tables)");
  if (connect_ask(q, sql, found, sizeof(found)) == SQLITE_OK)
    return found[0] == '\0';
  (void)snprintf(sql, sizeof(sql), strangers, "");
  return connect_ask(q, sql, found, sizeof(found)) == SQLITE_OK &&
         found[0] == '\0';
}

static const char *connect_wanted_mode(struct sqlite_session *q)
{
  const int mode = connect_cfg_of(&q->base)->journal_mode;

  if (mode != SQLITE_JOURNAL_AUTO)
    return sqlite_journal_modes[mode];
  return connect_is_own(q) ? "wal" : NULL;
}

/* WAL belongs to the file, other modes to the connection. */
int sqlite_settle_mode(struct sqlite_session *q, bool change)
{
  char now[32];
  int rc = connect_ask(q, "PRAGMA journal_mode", now, sizeof(now));
  const char *want = rc == SQLITE_OK ? connect_wanted_mode(q) : NULL;

  if (want && !change &&
      (strcmp(now, "wal") == 0) != (strcmp(want, "wal") == 0))
    return SQLITE_OK;
  if (want && strcmp(now, want) != 0)
    rc = connect_set_journal_mode(q, want);
  q->mode_due = rc != SQLITE_OK;
  return rc;
}

static int connect_apply(struct sqlite_session *q)
{
  const struct sqlite_cfg *cfg = connect_cfg_of(&q->base);
  char sql[80], now[32];
  int rc;

  q->mode_due = true;
  rc = sqlite_settle_mode(q, false);
  if (rc != SQLITE_OK)
    return rc;
  (void)snprintf(sql, sizeof(sql), "PRAGMA synchronous=%s",
                 sqlite_synchronous_words[cfg->synchronous]);
  rc = connect_ask(q, sql, now, sizeof(now));
  if (rc == SQLITE_OK && cfg->cache_size != 0) {
    (void)snprintf(sql, sizeof(sql), "PRAGMA cache_size=%" PRId64,
                   cfg->cache_size);
    rc = connect_ask(q, sql, now, sizeof(now));
  }
  if (rc == SQLITE_OK) {
    (void)snprintf(sql, sizeof(sql), "PRAGMA mmap_size=%" PRIu64,
                   cfg->mmap_size);
    rc = connect_ask(q, sql, now, sizeof(now));
  }
  return rc;
}

/* Why SQLite must not open the file, or NULL: it would wait for a pipe forever,
 * and follow links in a circle until the stack is full. */
static const char *connect_refusal(const char *path)
{
  struct stat st;

  if (stat(path, &st) < 0)
    return errno == ELOOP ? strerror(errno) : NULL;
  return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ? NULL
                                                    : "not a regular file";
}

int sqlite_connect(struct session *s, uint64_t until_ns, struct outcome *out)
{
  struct sqlite_session *q = sqlite_of(s);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                    SQLITE_OPEN_NOMUTEX;
  const char *const refusal = connect_refusal(sqlite_file(s));
  const char *message;
  int rc;

  (void)until_ns;
  s->dialect = EMUL_SQLITE;
  s->blocks = SESSION_BLOCKS_ALL;
  atomic_store_explicit(&q->woken, 0, memory_order_relaxed);
  rc = refusal ? SQLITE_CANTOPEN
               : sqlite3_open_v2(sqlite_file(s), &q->db, flags, NULL);
  if (rc == SQLITE_OK)
    rc = sqlite3_extended_result_codes(q->db, 1);
  if (rc == SQLITE_OK)
    rc = sqlite3_busy_handler(q->db, connect_busy, q);
  if (rc == SQLITE_OK)
    rc = connect_apply(q);
  if (rc == SQLITE_OK) {
    counts_join(&s->env->process->counts, &q->counts);
    return 0;
  }

  message = refusal ? refusal
            : q->db ? sqlite_error_text(q)
                    : sqlite3_errstr(rc);
  if (message != q->why)
    (void)snprintf(q->why, sizeof(q->why), "%s", message);
  (void)sqlite_failed_with(q->db ? sqlite3_extended_errcode(q->db) : rc, q->why,
                           out);
  out->permanent = true;
  rc = q->db ? sqlite3_system_errno(q->db) : 0;
  out->no_files = rc == EMFILE || rc == ENFILE;
  (void)sqlite3_close(q->db);
  q->db = NULL;
  return -1;
}

void sqlite_disconnect(struct session *s)
{
  struct sqlite_session *q = sqlite_of(s);

  sqlite_note_pages(q);
  counts_leave(&s->env->process->counts, &q->counts);
  (void)sqlite3_close(q->db);
  q->db = NULL;
  q->more = false;
  sqlite_rows_done(&q->rows);
  strbuf_done(&q->rest);
}

void sqlite_warnings(struct session *s, struct strbuf *lines)
{
  struct sqlite_session *q = sqlite_of(s);
  const char *want = q->mode_due ? NULL : connect_wanted_mode(q);
  char now[32];

  if (want &&
      connect_ask(q, "PRAGMA journal_mode", now, sizeof(now)) == SQLITE_OK &&
      strcmp(now, want) != 0)
    strbuf_addf(lines, "sqlite journal_mode is %s, not %s\n", now, want);
}

static const char *const pragmas[] = {
  "journal_mode",
  "synchronous",
  "cache_size",
  "mmap_size",
};

const struct driver_durable sqlite_durable[] = {
  {
    .setting = "synchronous",
    .unsafe = "off",
    .means = "a crash of the machine can destroy the data",
  },
  {
    .setting = "synchronous",
    .unsafe = "normal",
    .if_setting = "journal_mode",
    .if_value = "wal",
    .means = "a crash of the machine loses the last transactions",
    .usual = true,
  },
  {
    .setting = "journal_mode",
    .unsafe = "memory",
    .means = "a crash of the program can destroy the data",
  },
  {
    .setting = "journal_mode",
    .unsafe = "off",
    .means = "a crash of the program can destroy the data",
  },
  { NULL },
};

static void connect_pragma(struct sqlite_session *q, const char *name, char *to,
                           size_t size)
{
  char sql[64];
  const char *want = NULL;

  (void)snprintf(sql, sizeof(sql), "PRAGMA %s", name);
  if (connect_ask(q, sql, to, size) != SQLITE_OK)
    to[0] = '\0';
  if (q->mode_due && strcmp(name, "journal_mode") == 0)
    want = connect_wanted_mode(q);
  if (want)
    (void)snprintf(to, size, "%s", want);
  if (strcmp(name, "synchronous") == 0 && to[0] >= '0' && to[0] <= '3')
    (void)snprintf(to, size, "%s", sqlite_synchronous_words[to[0] - '0']);
  if (to[0] == '\0' && strcmp(name, "mmap_size") == 0)
    (void)snprintf(to, size, "0");
}

void sqlite_mode_line(struct session *s, struct strbuf *line)
{
  char value[64];

  strbuf_addf(line, "SQLite %s, file %s", sqlite3_libversion(), sqlite_file(s));
  for (size_t i = 0; i < ARRAY_SIZE(pragmas); i++) {
    connect_pragma(sqlite_of(s), pragmas[i], value, sizeof(value));
    strbuf_addf(line, ", %s=%s", pragmas[i], value);
  }
  strbuf_addf(line, ", busy_timeout=%" PRIu64,
              connect_cfg_of(s)->busy_timeout_ms);
}

void sqlite_about(struct session *s,
                  void (*put)(void *ctx, const char *key, const char *value),
                  void *ctx)
{
  put(ctx, "server_version", sqlite3_libversion());
  put(ctx, "file", sqlite_file(s));
}

void sqlite_settings(struct session *s,
                     void (*put)(void *ctx, const char *key, const char *value),
                     void *ctx)
{
  char value[64];

  for (size_t i = 0; i < ARRAY_SIZE(pragmas); i++) {
    connect_pragma(sqlite_of(s), pragmas[i], value, sizeof(value));
    put(ctx, pragmas[i], value);
  }
  connect_pragma(sqlite_of(s), "page_size", value, sizeof(value));
  put(ctx, "page_size", value);
  (void)snprintf(value, sizeof(value), "%" PRIu64,
                 connect_cfg_of(s)->busy_timeout_ms);
  put(ctx, "busy_timeout", value);
}

/* Free pages, and those of replaced tables, are used again.  In memory: no
 * file. */
static const char *connect_space_query(const struct session *s)
{
  (void)s;
  return "SELECT d.file, s.page_size * CASE WHEN EXISTS (SELECT 1 FROM "
         "sqlite_master WHERE type = 'table' AND name LIKE 'sbtest%') "
         "THEN c.page_count ELSE f.freelist_count END "
         "FROM pragma_database_list d, pragma_page_size s, "
         "pragma_page_count c, pragma_freelist_count f WHERE d.name = 'main'";
}

const struct driver_space sqlite_space = {
  .server = SPACE_SQLITE,
  .query = connect_space_query,
};
