/*
 * about.c - describes a connection and its server.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sock.h"
#include "drivers/pgsql/session.h"

static void put_library(pgsql_put *put, void *ctx)
{
  const int version = PQlibVersion();
  char text[32];

  (void)snprintf(text, sizeof(text), "%d.%d", version / 10000, version % 10000);
  put(ctx, "client_library", "libpq");
  put(ctx, "client_version", text);
}

static void put_transport(PGconn *conn, pgsql_put *put, void *ctx)
{
  const char *host = PQhost(conn);
  const char *address = PQhostaddr(conn);
  char text[256];

  if (!host)
    return;
  if (!*host || pgsql_is_socket(host)) {
    put(ctx, "transport", "unix");
    (void)snprintf(text, sizeof(text), "%s/.s.PGSQL.%s", host, PQport(conn));
  } else {
    put(ctx, "transport", "tcp");
    (void)snprintf(text, sizeof(text), "%s:%s",
                   address && *address ? address : host, PQport(conn));
  }
  put(ctx, "address", text);
}

static void put_tls(PGconn *conn, pgsql_put *put, void *ctx)
{
  static const struct {
    const char *attribute, *key;
  } part[] = {
    { "protocol", "tls_protocol" },
    { "cipher", "tls_cipher" },
    { "compression", "compression" },
  };

  for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
    const char *value = PQsslInUse(conn)
                          ? PQsslAttribute(conn, part[i].attribute)
                          : NULL;

    put(ctx, part[i].key, value ? value : i == 2 ? "off" : "none");
  }
}

void pgsql_about(struct session *s, pgsql_put *put, void *ctx)
{
  PGconn *conn = pgsql_of(s)->conn;
  const char *version = PQparameterStatus(conn, "server_version");

  put_library(put, ctx);
  put(ctx, "protocol", pgsql_of(s)->plain_chosen ? "wire" : "library");
  if (version)
    put(ctx, "server_version", version);
  put_transport(conn, put, ctx);
  put_tls(conn, put, ctx);
}

/*
 * Other databases have a server_version of PostgreSQL, and their own name in
 * version(): in its place, after the version, or at the end, as Redshift.
 */
static void put_flavour(struct pgsql_session *p, pgsql_put *put, void *ctx)
{
  static const char product[] = "PostgreSQL ", bits[] = "-bit";
  const char *version = PQparameterStatus(p->conn, "server_version");
  PGresult *result = pgsql_ask(p, "SELECT version()");
  const char *text = result && PQntuples(result) == 1 ? PQgetvalue(result, 0, 0)
                                                      : "";
  const size_t head = sizeof(product) - 1, len = strlen(text);
  const size_t tail = sizeof(bits) - 1;
  const char *from = text, *to = strstr(text, " on ");
  char flavour[96];

  if (!to)
    to = text + len;
  if (version && *version && strncmp(text, product, head) == 0 &&
      strncmp(text + head, version, strlen(version)) == 0) {
    const char *last = strrchr(text, ',');

    from = last ? last + 1 + strspn(last + 1, " ") : text + len;
    to = text + len;
    if (len >= tail && strcmp(to - tail, bits) == 0)
      from = to;
  }
  (void)snprintf(flavour, sizeof(flavour), "%.*s", (int)(to - from), from);
  if (*flavour)
    put(ctx, "version_comment", flavour);
  PQclear(result);
}

void pgsql_settings(struct session *s, pgsql_put *put, void *ctx)
{
  static const char *const names[] = {
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "shared_buffers",
    "wal_level",
    "max_connections",
    "default_transaction_isolation",
  };

  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    char sql[64];
    PGresult *result;

    (void)snprintf(sql, sizeof(sql), "SHOW %s", names[i]);
    result = pgsql_ask(pgsql_of(s), sql);
    if (result && PQntuples(result) == 1 && PQnfields(result) == 1)
      put(ctx, names[i], PQgetvalue(result, 0, 0));
    PQclear(result);
  }
  put_flavour(pgsql_of(s), put, ctx);
}

const struct driver_durable pgsql_durable[] = {
  {
    .setting = "fsync",
    .unsafe = "off",
    .means = "a crash of the machine can destroy the data",
  },
  {
    .setting = "synchronous_commit",
    .unsafe = "off",
    .means = "a crash of the server loses the last transactions",
  },
  {
    .setting = "full_page_writes",
    .unsafe = "off",
    .means = "a crash of the machine can destroy pages",
  },
  { NULL },
};

struct connections {
  uint64_t allowed, reserved, used; /* `used` does not count this connection */
};

static bool ask_connections(struct session *s, struct connections *ret)
{
  PGresult *result = pgsql_ask(
    pgsql_of(s),
    "SELECT current_setting('max_connections'), "
    "current_setting('superuser_reserved_connections'), "
    "(SELECT count(*) FROM pg_stat_activity WHERE "
    "backend_type = 'client backend' AND pid <> pg_backend_pid())");
  const bool told = result && PQntuples(result) == 1 && PQnfields(result) == 3;

  if (told)
    *ret = (struct connections){
      strtoull(PQgetvalue(result, 0, 0), NULL, 10),
      strtoull(PQgetvalue(result, 0, 1), NULL, 10),
      strtoull(PQgetvalue(result, 0, 2), NULL, 10),
    };
  PQclear(result);
  return told;
}

size_t pgsql_limits(struct session *s, const struct run_facts *facts,
                    struct driver_limit ret[DRIVER_LIMITS])
{
  struct connections c;

  if (!ask_connections(s, &c))
    return 0;
  ret[0] = (struct driver_limit){
    .subject = "connections",
    .setting = "max_connections",
    .advice = run_facts_fewer(facts),
    .allowed = c.allowed,
    .used = c.reserved + c.used,
    .needed = facts->threads,
    .hard = true,
  };
  return 1;
}

void pgsql_check(struct session *s, const struct run_facts *facts,
                 struct strbuf *lines)
{
  const uint64_t sessions = run_facts_sessions(facts);
  struct connections c;
  uint64_t room;

  if (!ask_connections(s, &c))
    return;
  /* This connection is one of those that the run opens. */
  room = run_facts_room(facts, c.allowed - c.reserved, c.used);
  if (room < sessions)
    strbuf_addf(lines,
                "the server has room for %" PRIu64 " more connections, this "
                "run opens at least %" PRIu64 " (max_connections = %" PRIu64
                ")\n",
                room, sessions, c.allowed);
}

/*
 * Only users who may see the setting get a row; for others pg_settings has no
 * such row, and nothing is logged.
 */
static const char *space_query(const struct session *base)
{
  const struct pgsql_session *p = (const void *)base;

  if (!p->conn || !sock_is_local(PQsocket(p->conn)))
    return NULL;
  return "SELECT s.setting, (SELECT COALESCE(SUM(pg_total_relation_size(oid)), "
         "0) FROM pg_class WHERE relkind = 'r' AND relname LIKE 'sbtest%' AND "
         "pg_table_is_visible(oid)) FROM pg_settings s "
         "WHERE s.name = 'data_directory'";
}

const struct driver_space pgsql_space = {
  .row_bytes = 255,
  .query = space_query,
};
