/*
 * names.c - URLs and variables that name a PostgreSQL server.
 *
 * A parameter that has an option sets it.  Everything else that libpq knows,
 * and what only libpq understands (several hosts to choose from, a service),
 * goes into a connection string in --pgsql-db.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "db/url.h"
#include "drivers/pgsql/session.h"

static const struct target_name parameters[] = {
  { .name = "host", .option = "pgsql-host" },
  { .name = "port", .option = "pgsql-port" },
  { .name = "user", .option = "pgsql-user" },
  { .name = "password", .option = "pgsql-password" },
  { .name = "sslmode", .option = "pgsql-sslmode" },
  { .name = "sslcert", .option = "pgsql-sslcert" },
  { .name = "sslkey", .option = "pgsql-sslkey" },
  { .name = "sslrootcert", .option = "pgsql-sslrootcert" },
  { .name = "sslcrl", .option = "pgsql-sslcrl" },
  { .name = "options", .option = "pgsql-options" },
  { 0 },
};

struct reading {
  const struct url *url;
  const struct target_sink *to;
  const char *db;
  struct strbuf hosts, ports; /* lists */
  struct strbuf string;       /* words of a connection string */
  bool by_string; /* host, port, user and password go there as well */
};

static void add_word(struct reading *r, const char *key, const char *value)
{
  strbuf_addf(&r->string, "%s%s='", r->string.len > 0 ? " " : "", key);
  for (; *value; value++)
    strbuf_addf(&r->string, "%s%c",
                *value == '\'' || *value == '\\' ? "\\" : "", *value);
  strbuf_adds(&r->string, "'");
}

/* The names listed are those of the library that is in use. */
static int refuse_parameter(const char *name, struct err *err)
{
  PQconninfoOption *all = PQconndefaults();
  struct strbuf list = { 0 };
  int rc;

  for (const PQconninfoOption *o = all; o && o->keyword; o++)
    strbuf_addf(&list, "%s%s", o == all ? "" : ", ", o->keyword);
  rc = err_set(err, -EINVAL,
               "the parameter '%.60s' is not known (expected one of: %s)", name,
               strbuf_str(&list));
  strbuf_done(&list);
  PQconninfoFree(all);
  return rc;
}

static bool is_keyword(const char *name)
{
  PQconninfoOption *all = PQconndefaults();
  bool found = false;

  for (const PQconninfoOption *o = all; o && o->keyword && !found; o++)
    found = strcmp(o->keyword, name) == 0;
  PQconninfoFree(all);
  return found;
}

/* Puts a value of the user or the URL into its option, or into the string. */
static int put(struct reading *r, const char *key, const char *option,
               const char *value, struct err *err)
{
  const char *given = NULL;

  if (!r->by_string)
    return value ? r->to->put(r->to->ctx, option, value, err) : 0;
  if (r->to->is_given(r->to->ctx, option, &given))
    value = given;
  if (value && *value)
    add_word(r, key, value);
  return 0;
}

static int put_parameter(struct reading *r, const struct target_pair *p,
                         struct err *err)
{
  const struct target_name *row = NULL;

  for (const struct target_name *k = parameters; k->name && !row; k++) {
    if (strcmp(k->name, p->name) == 0)
      row = k;
  }
  if (!p->value)
    return err_set(err, -EINVAL, "the parameter '%.60s' has no value", p->name);
  if (strcmp(p->name, "ssl") == 0 && strcmp(p->value, "true") == 0)
    return r->to->put(r->to->ctx, "pgsql-sslmode", "require", err);
  if (strcmp(p->name, "dbname") == 0 || (row && row < &parameters[4]))
    return 0; /* read_places() has handled it */
  if (row)
    return r->to->put(r->to->ctx, row->option, p->value, err);
  if (!is_keyword(p->name))
    return refuse_parameter(p->name, err);
  add_word(r, p->name, p->value);
  return 0;
}

static const char *or_else(const char *a, const char *b)
{
  return a && *a ? a : b;
}

/* Reads hosts, ports, user, password and database, before or after the `?`. */
static int read_places(struct reading *r, struct err *err)
{
  const struct url *url = r->url;
  const char *host, *port;
  bool ports = false;
  int rc;

  for (size_t i = 0; i < url->n_hosts; i++) {
    strbuf_addf(&r->hosts, "%s%s", i > 0 ? "," : "", url->hosts[i].host);
    strbuf_addf(&r->ports, "%s%s", i > 0 ? "," : "", url->hosts[i].port);
    ports |= *url->hosts[i].port != '\0';
  }
  host = or_else(url_parameter(url, "host"), strbuf_str(&r->hosts));
  port = or_else(url_parameter(url, "port"),
                 ports ? strbuf_str(&r->ports) : "");
  r->db = or_else(url_parameter(url, "dbname"), url->path);
  r->by_string = strchr(host, ',') || url_parameter(url, "service");
  rc = put(r, "host", "pgsql-host", *host ? host : NULL, err);
  if (rc == 0)
    rc = put(r, "port", "pgsql-port", *port ? port : NULL, err);
  if (rc == 0)
    rc = put(r, "user", "pgsql-user",
             or_else(url_parameter(url, "user"), url->user), err);
  r->by_string = false; /* a password always goes into its option */
  if (rc == 0)
    rc = put(r, "password", "pgsql-password",
             or_else(url_parameter(url, "password"), url->password), err);
  return rc;
}

/* Sets the database, alone or in a connection string. */
static int put_db(struct reading *r, struct err *err)
{
  const char *given;

  if (r->string.len == 0 && !strchr(r->db, '='))
    return *r->db ? r->to->put(r->to->ctx, "pgsql-db", r->db, err) : 0;
  if (r->to->is_given(r->to->ctx, "pgsql-db", &given)) {
    if (strchr(given, '=') || strstr(given, "://"))
      return err_set(err, -EINVAL,
                     "--pgsql-db has a connection string, too (expected one of "
                     "the two)");
    r->db = given;
  }
  if (*r->db)
    add_word(r, "dbname", r->db);
  if (r->string.failed)
    return err_set(err, -ENOMEM, "not enough memory");
  return r->to->replace(r->to->ctx, "pgsql-db", strbuf_str(&r->string), err);
}

static int read_url(const struct url *url, const struct target_sink *to,
                    struct err *err)
{
  struct reading r = { .url = url, .to = to };
  int rc;

  if (!url->has_authority)
    return err_set(err, -EINVAL, "// is missing after %s:", url->scheme);
  rc = read_places(&r, err);
  for (size_t i = 0; i < url->n_parameters && rc == 0; i++)
    rc = put_parameter(&r, &url->parameters[i], err);
  if (rc == 0)
    rc = put_db(&r, err);
  strbuf_done(&r.hosts);
  strbuf_done(&r.ports);
  strbuf_done(&r.string);
  return rc;
}

/* The library itself reads all others, such as PGPASSWORD and PGPASSFILE. */
static const struct target_name variables[] = {
  { .name = "PGHOST", .option = "pgsql-host" },
  { .name = "PGPORT", .option = "pgsql-port" },
  { .name = "PGUSER", .option = "pgsql-user" },
  { .name = "PGDATABASE", .option = "pgsql-db" },
  { .name = "PGSSLMODE", .option = "pgsql-sslmode", .always = true },
  { 0 },
};

static const char *const aliases[] = { "postgres", "postgresql", NULL };
static const char *const schemes[] = { "postgresql", "postgres", "pgsql",
                                       NULL };

const struct target_names pgsql_names = {
  .aliases = aliases,
  .schemes = schemes,
  .url = read_url,
  .variables = variables,
  .service = "PGSERVICE",
  .password = "pgsql-password",
  .password_env = "BENCH_PGSQL_PASSWORD",
  .user = "pgsql-user",
};
