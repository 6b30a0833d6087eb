/*
 * driver.c - texts and the vtable of the sqlite driver.
 */
#include "drivers/sqlite/driver.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "db/emul.h"
#include "drivers/sqlite/session.h"

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
  /*
   * Statistics that nothing reads cost each allocation a lock that all threads
   * share.  If the library is already in use, they stay on.
   */
  (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)signal(SIGXFSZ, SIG_IGN); /* write reports the same as an error */
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
  if (memchr(text, '\0', len)) { /* cannot be in a literal */
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
