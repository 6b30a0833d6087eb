/*
 * names.c - URLs, variables and option files that name a MySQL server.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "db/url.h"
#include "drivers/mysql/options.h"

/* The parameters of URLs. */
static const struct target_name parameters[] = {
  { .name = "ssl-mode", .option = "mysql-ssl" },
  { .name = "ssl-ca", .option = "mysql-ssl-ca" },
  { .name = "ssl-cert", .option = "mysql-ssl-cert" },
  { .name = "ssl-key", .option = "mysql-ssl-key" },
  { .name = "ssl-cipher", .option = "mysql-ssl-cipher" },
  { .name = "tls-version", .option = "mysql-tls-version" },
  { .name = "get-server-public-key", .option = "mysql-get-server-public-key" },
  { .name = "server-public-key-path",
    .option = "mysql-server-public-key-path" },
  { .name = "compression", .option = "mysql-compression" },
  { .name = "socket", .option = "mysql-socket" },
  { .name = "user", .option = "mysql-user" },
  { .name = "password", .option = "mysql-password" },
  { 0 },
};

/*
 * Lines of option files; other lines are for other programs.  The host comes
 * before the socket.
 */
static const struct target_name lines[] = {
  { .name = "host", .option = "mysql-host" },
  { .name = "port", .option = "mysql-port" },
  { .name = "user", .option = "mysql-user" },
  { .name = "password", .option = "mysql-password" },
  { .name = "database", .option = "mysql-db" },
  { .name = "ssl-mode", .option = "mysql-ssl" },
  { .name = "ssl-ca", .option = "mysql-ssl-ca" },
  { .name = "ssl-cert", .option = "mysql-ssl-cert" },
  { .name = "ssl-key", .option = "mysql-ssl-key" },
  { .name = "ssl-cipher", .option = "mysql-ssl-cipher" },
  { .name = "tls-version", .option = "mysql-tls-version" },
  { .name = "get-server-public-key", .option = "mysql-get-server-public-key" },
  { .name = "server-public-key-path",
    .option = "mysql-server-public-key-path" },
  { .name = "socket", .option = "mysql-socket" },
  { .name = "ssl", .option = NULL },                    /* see put_tls() */
  { .name = "ssl-verify-server-cert", .option = NULL }, /* likewise */
  { 0 },
};

static int refuse_name(const struct target_name *known, const char *what,
                       const char *name, struct err *err)
{
  struct strbuf list = { 0 };
  int rc;

  for (const struct target_name *k = known; k->name; k++)
    strbuf_addf(&list, "%s%s", k == known ? "" : ", ", k->name);
  rc = err_set(err, -EINVAL,
               "the %s '%.60s' is not known (expected one of: %s)", what, name,
               strbuf_str(&list));
  strbuf_done(&list);
  return rc;
}

/* A socket has no meaning if a source with precedence has named a host. */
static int put_socket(const struct target_sink *to, const char *path,
                      struct err *err)
{
  const char *host = "";

  if (to->is_given(to->ctx, "mysql-host", &host) && *host &&
      strcmp(host, "localhost") != 0)
    return 0;
  return to->put(to->ctx, "mysql-socket", path, err);
}

/* ---- URLs ---- */

/* The library would use a socket for localhost, and ignore the port. */
static const char *host_of(const struct url *url, size_t i)
{
  const struct url_host *h = &url->hosts[i];

  return *h->port && strcmp(h->host, "localhost") == 0 &&
             !url_parameter(url, "socket")
           ? "127.0.0.1"
           : h->host;
}

static int put_hosts(const struct url *url, const struct target_sink *to,
                     struct err *err)
{
  const char *port = url->hosts[0].port;
  struct strbuf hosts = { 0 };
  int rc = 0;

  for (size_t i = 0; i < url->n_hosts; i++) {
    strbuf_addf(&hosts, "%s%s", i > 0 ? "," : "", host_of(url, i));
    if (strcmp(url->hosts[i].port, port) != 0)
      rc = err_set(err, -EINVAL,
                   "all hosts need the same port (--mysql-host and "
                   "--mysql-port take lists)");
  }
  if (rc == 0 && hosts.failed)
    rc = err_set(err, -ENOMEM, "not enough memory");
  if (rc == 0 && url->n_hosts > 0)
    rc = to->put(to->ctx, "mysql-host", strbuf_str(&hosts), err);
  if (rc == 0 && url->n_hosts > 0)
    rc = to->put(to->ctx, "mysql-port", *port ? port : "3306", err);
  strbuf_done(&hosts);
  return rc;
}

static int put_parameter(const struct target_pair *p,
                         const struct target_sink *to, struct err *err)
{
  const struct target_name *row;

  if (strcmp(p->name, "sslmode") == 0 || strcmp(p->name, "ssl") == 0)
    row = parameters;
  else
    row = target_names_find(parameters, p->name);
  if (!row)
    return refuse_name(parameters, "parameter", p->name, err);
  if (!p->value)
    return err_set(err, -EINVAL, "the parameter '%s' has no value", p->name);
  if (strcmp(row->name, "socket") == 0)
    return 0; /* read_url() has handled it */
  return to->put(to->ctx, row->option, p->value, err);
}

static int read_url(const struct url *url, const struct target_sink *to,
                    struct err *err)
{
  const char *socket = url_parameter(url, "socket");
  int rc = 0;

  if (!url->has_authority)
    return err_set(err, -EINVAL, "// is missing after %s:", url->scheme);
  if (socket && url->n_hosts > 0 &&
      strcmp(url->hosts[0].host, "localhost") != 0)
    return err_set(err, -EINVAL,
                   "a socket is only possible with the host localhost, or "
                   "without one");
  if (socket)
    rc = put_socket(to, socket, err);
  if (rc == 0)
    rc = put_hosts(url, to, err);
  if (rc == 0 && url->user && *url->user)
    rc = to->put(to->ctx, "mysql-user", url->user, err);
  if (rc == 0 && url->password)
    rc = to->put(to->ctx, "mysql-password", url->password, err);
  if (rc == 0 && *url->path)
    rc = to->put(to->ctx, "mysql-db", url->path, err);
  for (size_t i = 0; i < url->n_parameters && rc == 0; i++)
    rc = put_parameter(&url->parameters[i], to, err);
  /* A CA is given in order to check certificates. */
  if (rc == 0 && url_parameter(url, "ssl-ca"))
    rc = to->put(to->ctx, "mysql-ssl", "VERIFY_IDENTITY", err);
  return rc;
}

/* ---- option files ---- */

/* Returns the last line with this name, or NULL. */
static const struct target_pair *find(const struct target_pair *pairs, size_t n,
                                      const char *name)
{
  const struct target_name row[] = { { .name = name }, { 0 } };

  while (n-- > 0) {
    if (target_names_find(row, pairs[n].name))
      return &pairs[n];
  }
  return NULL;
}

static bool is_on(const struct target_pair *p)
{
  bool on = false;

  return p && (!p->value || (parse_bool(p->value, &on) == 0 && on));
}

/* Sets the mode that follows from lines which do not name one. */
static int put_tls(const struct target_pair *pairs, size_t n,
                   const struct target_sink *to, struct err *err)
{
  if (is_on(find(pairs, n, "ssl-verify-server-cert")))
    return to->put(to->ctx, "mysql-ssl", "VERIFY_IDENTITY", err);
  if (is_on(find(pairs, n, "ssl")) || find(pairs, n, "ssl-ca") ||
      find(pairs, n, "ssl-cert"))
    return to->put(to->ctx, "mysql-ssl", "REQUIRED", err);
  return 0;
}

static int read_file(const struct target_pair *pairs, size_t n,
                     const struct target_sink *to, struct err *err)
{
  for (size_t i = 0; i < n; i++) {
    if (pairs[i].own && !target_names_find(lines, pairs[i].name))
      return refuse_name(lines, "name in [bench],", pairs[i].name, err);
  }
  for (const struct target_name *row = lines; row->name; row++) {
    const struct target_pair *p = find(pairs, n, row->name);
    int rc;

    if (!p || !p->value || !row->option)
      continue;
    rc = strcmp(row->name, "socket") == 0
           ? put_socket(to, p->value, err)
           : to->put(to->ctx, row->option, p->value, err);
    if (rc < 0)
      return rc;
  }
  return put_tls(pairs, n, to, err);
}

/* ---- the vtable ---- */

/* The library itself reads MYSQL_UNIX_PORT and MYSQL_PWD: see visit.c. */
static const struct target_name variables[] = {
  { .name = "MYSQL_HOST", .option = "mysql-host" },
  { .name = "MYSQL_TCP_PORT", .option = "mysql-port" },
  { 0 },
};

static const char *const aliases[] = { "mariadb", NULL };
static const char *const schemes[] = { "mysql", "mariadb", NULL };

const struct target_names mysqld_names = {
  .aliases = aliases,
  .schemes = schemes,
  .url = read_url,
  .variables = variables,
  .file = read_file,
  .password = "mysql-password",
  .password_env = "BENCH_MYSQL_PASSWORD",
  .user = "mysql-user",
  .file_option = "mysql-defaults-file",
  .file_env = "BENCH_MYSQL_DEFAULTS_FILE",
  .home_file = "~/.my.cnf",
};
