/*
 * test_raw.c - which counters of PostgreSQL are read by their own names.  The
 * server is a function.
 */
#include <stdio.h>
#include <string.h>

#include "monitor/link.h"
#include "monitor/reading.h"
#include "monitor/source.h"
#include "tests/unit/link_often.h"
#include "tests/unit/tap.h"

static const char *server_version;

static sql_value text_of(const char *text)
{
  sql_value v = { 0 };

  v.ptr = text;
  v.len = (uint32_t)strlen(text);
  return v;
}

bool link_query(struct link *l, const char *sql,
                void (*row)(void *ctx, const sql_value *v, unsigned n),
                void *ctx)
{
  const bool version = strstr(sql, "server_version_num") != NULL;
  const char *view = strstr(sql, "pg_stat_");
  char name[64];

  (void)l;
  (void)snprintf(name, sizeof(name), "%.*s", view ? (int)strcspn(view, ".") : 0,
                 view ? view : "");
  const sql_value v[] = { text_of(version ? server_version : name),
                          text_of("7") };

  row(ctx, v, version ? 1 : 2);
  return true;
}

/* The names of what is read from that version. */
static const char *views(const char *version)
{
  static char text[256];
  struct raw_counters c = { 0 };
  struct link l = { .lost = true }; /* of an earlier connection */
  size_t len = 0;

  server_version = version;
  (void)raw_counters_take(&c, &l, &monitor_pgsql);
  text[0] = '\0';
  for (size_t i = 0; i < c.n; i++)
    len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
                            i > 0 ? " " : "", c.of[i].name + 8);
  raw_counters_done(&c);
  return text;
}

int main(void)
{
  OK_STR(views("130000"), "bgwriter database", "PostgreSQL 13");
  OK_STR(views("150000"), "bgwriter database wal", "PostgreSQL 15");
  OK_STR(views("160000"), "bgwriter database io wal", "PostgreSQL 16");
  OK_STR(views("180000"), "bgwriter checkpointer database io wal",
         "PostgreSQL 18");
  return TAP_EXIT();
}
