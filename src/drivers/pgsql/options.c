/*
 * options.c - options, connection strings, URLs and variables that name a
 * server.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "db/env.h"
#include "db/relay.h"
#include "db/url.h"
#include "drivers/pgsql/session.h"

enum {
  DIRECT_SINCE = 170000 /* libpq */
};

const char *const pgsql_sslmodes[] = {
  "disable", "allow", "prefer", "require", "verify-ca", "verify-full", NULL,
};

static const char *const negotiations[] = { "postgres", "direct", NULL };

static const char *const protocols[] = { "auto", "library", "wire", NULL };

static bool options_item_ok(const char *item, size_t len)
{
  if (len == 3 && strncasecmp(item, "all", len) == 0)
    return true;
  if (len == 10 && strncasecmp(item, "connection", len) == 0)
    return true;
  for (size_t i = 0; i < len; i++) {
    if (!isalnum((unsigned char)item[i]))
      return false;
  }
  return len == 5 || len == 2;
}

/* SQLSTATEs, classes, `connection` and `all`; no numbers. */
static bool options_states_ok(const char *text)
{
  while (*text) {
    const size_t len = strcspn(text, ",");

    if (!options_item_ok(text, len))
      return false;
    text += len + (text[len] == ',');
  }
  return true;
}

const struct opt pgsql_opts[] = {
  {
    OPT_LIST(struct pgsql_cfg, hosts),
    .name = "pgsql-host",
    .group = "PostgreSQL",
    .flags = OPT_COMMON,
    .def = "localhost",
    .check = target_is_host,
    .expected = "a host name, or an address without brackets; the port goes "
                "into --pgsql-port, the user into --pgsql-user",
    .show_as = "=HOST,...",
    .help = "PostgreSQL server hosts, or folders of sockets",
    .man = "A host that begins with / is the folder of a socket, one that "
           "begins with @ an abstract socket. Connections take turns: all "
           "ports of the first host, then of the second, and so on.",
  },
  {
    OPT_LIST(struct pgsql_cfg, ports),
    .flags = OPT_INT_ITEMS | OPT_EMPTY_DEF,
    .name = "pgsql-port",
    .def = "5432",
    .min = 1,
    .max = 65535,
    .show_as = "=PORT,...",
    .help = "PostgreSQL server ports",
  },
  {
    OPT_STRING(struct pgsql_cfg, user),
    .name = "pgsql-user",
    .flags = OPT_COMMON,
    .def = "sbtest",
    .show_as = "=USER",
    .help = "PostgreSQL user",
  },
  {
    OPT_STRING(struct pgsql_cfg, password),
    .flags = OPT_SECRET,
    .name = "pgsql-password",
    .def = "",
    .show_as = "=PASSWORD",
    .help = "PostgreSQL password",
    .man = "If it is empty, the environment variable BENCH_PGSQL_PASSWORD is "
           "used, and without that libpq looks at PGPASSWORD and at the "
           "user's password file.",
  },
  {
    OPT_STRING(struct pgsql_cfg, db),
    .name = "pgsql-db",
    .flags = OPT_COMMON,
    .def = "sbtest",
    .show_as = "=NAME",
    .help = "PostgreSQL database name",
    .man = "A value with = in it, or one that begins with postgresql:// or "
           "postgres://, is a connection string of libpq; its settings win "
           "over the other options.",
  },
  {
    OPT_BOOL(struct pgsql_cfg, cleartext),
    .name = "pgsql-cleartext",
    .flags = OPT_OWN,
    .def = "off",
    .help = "send the password unencrypted if the server asks for that",
    .man = "Servers with the methods password, ldap, pam, radius or oauth need "
           "the plain password or token. Without this option it is only sent "
           "over TLS and Unix sockets.",
  },
  {
    OPT_WORD(struct pgsql_cfg, sslmode),
    .name = "pgsql-sslmode",
    .def = "prefer",
    .words = pgsql_sslmodes,
    .help = "PostgreSQL SSL mode "
            "{disable,allow,prefer,require,verify-ca,verify-full}",
  },
  {
    OPT_WORD(struct pgsql_cfg, sslnegotiation),
    .name = "pgsql-sslnegotiation",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "postgres",
    .words = negotiations,
    .help = "ask for TLS first, or begin with it {postgres,direct}",
    .man = "\"direct\" saves a round trip. It needs PostgreSQL 17, libpq 17, "
           "and --pgsql-sslmode=require, verify-ca or verify-full. It has no "
           "effect on Unix sockets.",
  },
  {
    OPT_STRING(struct pgsql_cfg, sslcert),
    .name = "pgsql-sslcert",
    .flags = OPT_PATH,
    .show_as = "=FILE",
    .help = "file with the client's certificate",
  },
  {
    OPT_STRING(struct pgsql_cfg, sslkey),
    .name = "pgsql-sslkey",
    .flags = OPT_PATH,
    .show_as = "=FILE",
    .help = "file with the client's private key",
  },
  {
    OPT_STRING(struct pgsql_cfg, sslrootcert),
    .name = "pgsql-sslrootcert",
    .flags = OPT_PATH,
    .show_as = "=FILE",
    .help = "file with the authorities that may sign the server's certificate",
  },
  {
    OPT_STRING(struct pgsql_cfg, sslcrl),
    .name = "pgsql-sslcrl",
    .flags = OPT_PATH,
    .show_as = "=FILE",
    .help = "file with revoked certificates",
  },
  {
    OPT_STRING(struct pgsql_cfg, options),
    .name = "pgsql-options",
    .show_as = "=OPTIONS",
    .help = "options for the session, e.g. -c search_path=test",
  },
  {
    OPT_WORD(struct pgsql_cfg, protocol),
    .name = "pgsql-protocol",
    .flags = OPT_EXPERT,
    .def = "auto",
    .words = protocols,
    .help = "what executes statements {auto,library,wire}",
    .man = "libpq opens connections, prepares statements and copies the "
           "rows of prepare. With wire the program speaks the protocol itself "
           "to execute statements, direct and prepared ones, which costs a "
           "fraction of the library's work; it is refused on "
           "connections that libpq has encrypted, and a session that has "
           "listened for notifications is "
           "left to libpq. With --clients, libpq opens the first connection of "
           "a run, and those that it alone can open; it gives back their "
           "memory after the login. With library everything goes through "
           "libpq. "
           "auto uses wire if possible.",
  },
  {
    OPT_LIST(struct pgsql_cfg, ignore_errors),
    .flags = OPT_NO_GAPS,
    .name = "pgsql-ignore-errors",
    .def = "40P01,23505,40001",
    .check = options_states_ok,
    .expected = "SQLSTATEs, two-character classes, 'connection', 'failover' "
                "or 'all'",
    .show_as = "=ERROR,...",
    .help = "errors after which the event is restarted",
    .man =
      "The list has SQLSTATEs, classes of them, connection for lost "
      "connections, failover, or all. An empty list makes every error fatal.",
  },
  OPT_END,
};

static bool params_is_set(const char *text)
{
  return text && *text;
}

static bool params_is_uri(const char *db)
{
  return strncmp(db, "postgresql://", 13) == 0 ||
         strncmp(db, "postgres://", 11) == 0;
}

static bool params_begins_with_name(const char *db)
{
  return db[strcspn(db, " =")] == ' ';
}

/* A plain name is left alone. */
static int params_parse_db(struct pgsql_params *p, const char *db,
                           struct err *err)
{
  char *text = NULL;

  p->db = params_is_set(db) ? db : NULL;
  if (!p->db || (!params_is_uri(db) && !strchr(db, '=')))
    return 0;
  if (!params_is_uri(db) && params_begins_with_name(db)) {
    const size_t size = sizeof("dbname=") + strlen(db);

    p->conninfo = malloc(size);
    if (!p->conninfo)
      return err_set(err, -ENOMEM, "not enough memory");
    memcpy(p->conninfo, "dbname=", 7);
    memcpy(p->conninfo + 7, db, size - 7);
    p->db = p->conninfo;
  }
  p->parsed = PQconninfoParse(p->db, &text);
  if (p->parsed)
    return 0;
  if (text) {
    text[strcspn(text, "\n")] = '\0';
    (void)err_set(err, -EINVAL, "'pgsql-db': %s", text);
    PQfreemem(text);
    return -EINVAL;
  }
  return err_set(err, -ENOMEM, "not enough memory");
}

static const char *params_in_string(const struct pgsql_params *p,
                                    const char *key)
{
  for (const PQconninfoOption *o = p->parsed; o && o->keyword; o++) {
    if (strcmp(o->keyword, key) == 0)
      return params_is_set(o->val) ? o->val : NULL;
  }
  return NULL;
}

static const char *params_first_set(const char *a, const char *b, const char *c)
{
  if (params_is_set(a))
    return a;
  if (params_is_set(b))
    return b;
  return params_is_set(c) ? c : NULL;
}

static const char *params_item(const struct opt_list *list, size_t i)
{
  return i < list->n ? list->items[i] : NULL;
}

int pgsql_params_make(struct pgsql_params *p, const struct session *s,
                      struct err *err)
{
  const struct pgsql_cfg *cfg = s->cfg;
  const struct conn_params *own = s->params;
  const struct target t = target_pick(0, cfg->hosts.n ? cfg->hosts.n : 1,
                                      cfg->ports.n ? cfg->ports.n : 1,
                                      s->number, s->attempt);
  const bool elsewhere = own->host || own->socket;
  int rc;

  *p = (struct pgsql_params){ .cfg = cfg };
  rc = params_parse_db(p, own->db ? own->db : cfg->db, err);
  if (rc < 0)
    return rc;
  p->host = params_first_set(own->socket, own->host,
                             params_in_string(p, "host"));
  if (!p->host && !params_in_string(p, "hostaddr") &&
      !params_in_string(p, "service"))
    p->host = params_item(&cfg->hosts, t.host);
  p->port = params_first_set(own->port, params_in_string(p, "port"), NULL);
  if (!p->port && !params_in_string(p, "service"))
    p->port = params_item(&cfg->ports, elsewhere ? 0 : t.port);
  p->user = params_first_set(own->user, params_in_string(p, "user"),
                             params_in_string(p, "service") ? NULL : cfg->user);
  p->password = params_first_set(
    session_password(s), params_in_string(p, "password"), cfg->password);
  if (!p->password)
    p->password = params_first_set(getenv("BENCH_PGSQL_PASSWORD"), NULL, NULL);
  p->by_service = params_in_string(p, "service") ||
                  params_is_set(getenv("PGSERVICE"));
  p->by_libpq = !p->host || pgsql_is_socket(p->host) ||
                params_in_string(p, "hostaddr") || strchr(p->host, ',');
  return 0;
}

void pgsql_params_done(struct pgsql_params *p)
{
  PQconninfoFree(p->parsed);
  free(p->conninfo);
}

int pgsql_params_relay(struct pgsql_params *p, const struct session *s,
                       uint64_t until_ns, struct err *err)
{
  const char *port = p->port ? p->port : "5432";
  const struct relay_place *via;
  char path[RELAY_PATH + 1];
  int rc;

  if (!env_relay(s))
    return 0;
  if (p->host && pgsql_is_socket(p->host)) {
    (void)snprintf(path, sizeof(path), "%s/.s.PGSQL.%s", p->host, port);
    rc = relay_to_path(env_relay(s), path, until_ns, &via, err);
    if (rc == 0)
      p->host = via->folder;
    return rc;
  }
  if (p->by_libpq)
    return err_set(err, -EINVAL,
                   "--rtt needs the server's name in --pgsql-host, and not "
                   "hostaddr, several hosts or a service in a connection "
                   "string");
  rc = relay_to_host(env_relay(s), p->host, port, until_ns, &via, err);
  if (rc == 0)
    p->port = via->port;
  return rc;
}

static int params_check_direct(const struct pgsql_params *p, struct err *err)
{
  if (p->cfg->sslnegotiation != PGSQL_DIRECT)
    return 0;
  if (PQlibVersion() < DIRECT_SINCE)
    return err_set(err, -EINVAL,
                   "--pgsql-sslnegotiation=direct needs libpq 17 or later, and "
                   "this is libpq %d",
                   PQlibVersion() / 10000);
  if (!p->parsed && !getenv("PGSERVICE") &&
      strchr("dap", *pgsql_sslmodes[p->cfg->sslmode]))
    return err_set(err, -EINVAL,
                   "--pgsql-sslnegotiation=direct needs --pgsql-sslmode="
                   "require, verify-ca or verify-full");
  return 0;
}

/* libpq would connect first, and might report another error. */
static int params_check_root(const struct pgsql_cfg *cfg, struct err *err)
{
  const char *mode = cfg->sslmode >= 0 ? pgsql_sslmodes[cfg->sslmode] : "";
  const char *path = cfg->sslrootcert;

  if (strncmp(mode, "verify-", 7) != 0 || !params_is_set(path) ||
      strcmp(path, "system") == 0 || access(path, R_OK) == 0)
    return 0;
  return err_sys(
    err, "cannot read the CA file '%.300s' of --pgsql-sslrootcert,", path);
}

int pgsql_params_check(const struct pgsql_cfg *cfg, struct err *err)
{
  struct pgsql_params p = { .cfg = cfg };
  int rc = params_parse_db(&p, cfg->db, err);

  if (rc == 0)
    rc = params_check_direct(&p, err);
  pgsql_params_done(&p);
  if (rc == 0)
    rc = params_check_root(cfg, err);
  return rc;
}

bool pgsql_is_socket(const char *host)
{
  return *host == '/' || *host == '@';
}

int pgsql_resolve(const char *host, uint64_t until_ns,
                  struct wire_addresses *ret, struct err *err)
{
  const int rc = wire_resolve(host, until_ns, ret, err);

  if (rc < 0)
    err_prefix(err, "could not translate host name \"%s\" to address", host);
  return rc;
}

bool pgsql_is_permanent(const char *state)
{
  return strncmp(state, "28", 2) == 0 || strcmp(state, "3D000") == 0;
}

size_t pgsql_servers(const void *cfg)
{
  const struct pgsql_cfg *c = cfg;

  return (c->hosts.n ? c->hosts.n : 1) * (c->ports.n ? c->ports.n : 1);
}

void pgsql_target(const struct session *s, struct strbuf *line)
{
  struct pgsql_params p;
  struct err err;

  if (pgsql_params_make(&p, s, &err) < 0)
    strbuf_adds(line, "the server");
  else if (!p.host)
    strbuf_addf(line, "port %s", p.port ? p.port : "5432");
  else
    strbuf_addf(line, "%s '%s', port %s",
                pgsql_is_socket(p.host) ? "socket" : "host", p.host,
                p.port ? p.port : "5432");
  pgsql_params_done(&p);
}

/*
 * Parameters with an option set it.  The others, and what only libpq
 * understands (several hosts, a service), go into a connection string in
 * --pgsql-db.
 */

static const struct target_name parameters[] = {
  { .name = "host", .option = "pgsql-host" },
  { .name = "port", .option = "pgsql-port" },
  { .name = "user", .option = "pgsql-user" },
  { .name = "password", .option = "pgsql-password" },
  { .name = "sslmode", .option = "pgsql-sslmode" },
  { .name = "sslnegotiation", .option = "pgsql-sslnegotiation" },
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
  struct strbuf hosts, ports;
  struct strbuf string;
  bool by_string; /* host, port and user go into `string` */
};

static void names_add_word(struct reading *r, const char *key,
                           const char *value)
{
  strbuf_addf(&r->string, "%s%s='", r->string.len > 0 ? " " : "", key);
  for (; *value; value++)
    strbuf_addf(&r->string, "%s%c",
                *value == '\'' || *value == '\\' ? "\\" : "", *value);
  strbuf_adds(&r->string, "'");
}

/* The names are those of the library in use. */
static int names_refuse_parameter(const char *name, struct err *err)
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

static bool names_is_keyword(const char *name)
{
  PQconninfoOption *all = PQconndefaults();
  bool found = false;

  for (const PQconninfoOption *o = all; o && o->keyword && !found; o++)
    found = strcmp(o->keyword, name) == 0;
  PQconninfoFree(all);
  return found;
}

/* The user's value wins over the URL's. */
static int names_put(struct reading *r, const char *key, const char *option,
                     const char *value, struct err *err)
{
  const char *given = NULL;

  if (!r->by_string)
    return value ? r->to->put(r->to->ctx, option, value, err) : 0;
  if (r->to->is_given(r->to->ctx, option, &given))
    value = given;
  if (value && *value)
    names_add_word(r, key, value);
  return 0;
}

static int names_put_parameter(struct reading *r, const struct target_pair *p,
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
    return 0;
  if (row)
    return r->to->put(r->to->ctx, row->option, p->value, err);
  if (!names_is_keyword(p->name))
    return names_refuse_parameter(p->name, err);
  names_add_word(r, p->name, p->value);
  return 0;
}

static const char *names_or_else(const char *a, const char *b)
{
  return a && *a ? a : b;
}

static int names_read_places(struct reading *r, struct err *err)
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
  host = names_or_else(url_parameter(url, "host"), strbuf_str(&r->hosts));
  port = names_or_else(url_parameter(url, "port"),
                       ports ? strbuf_str(&r->ports) : "");
  r->db = names_or_else(url_parameter(url, "dbname"), url->path);
  r->by_string = strchr(host, ',') || url_parameter(url, "service");
  rc = names_put(r, "host", "pgsql-host", *host ? host : NULL, err);
  if (rc == 0)
    rc = names_put(r, "port", "pgsql-port", *port ? port : NULL, err);
  if (rc == 0)
    rc = names_put(r, "user", "pgsql-user",
                   names_or_else(url_parameter(url, "user"), url->user), err);
  r->by_string = false; /* a password always goes into its option */
  if (rc == 0)
    rc = names_put(r, "password", "pgsql-password",
                   names_or_else(url_parameter(url, "password"), url->password),
                   err);
  return rc;
}

static int names_put_db(struct reading *r, struct err *err)
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
    names_add_word(r, "dbname", r->db);
  if (r->string.failed)
    return err_set(err, -ENOMEM, "not enough memory");
  return r->to->replace(r->to->ctx, "pgsql-db", strbuf_str(&r->string), err);
}

static int names_read_url(const struct url *url, const struct target_sink *to,
                          struct err *err)
{
  struct reading r = { .url = url, .to = to };
  int rc;

  if (!url->has_authority)
    return err_set(err, -EINVAL, "// is missing after %s:", url->scheme);
  rc = names_read_places(&r, err);
  for (size_t i = 0; i < url->n_parameters && rc == 0; i++)
    rc = names_put_parameter(&r, &url->parameters[i], err);
  if (rc == 0)
    rc = names_put_db(&r, err);
  strbuf_done(&r.hosts);
  strbuf_done(&r.ports);
  strbuf_done(&r.string);
  return rc;
}

/* libpq reads the others, such as PGPASSWORD. */
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
  .url = names_read_url,
  .variables = variables,
  .service = "PGSERVICE",
  .password = "pgsql-password",
  .password_env = "BENCH_PGSQL_PASSWORD",
  .library_env = "PGPASSWORD",
  .user = "pgsql-user",
};
