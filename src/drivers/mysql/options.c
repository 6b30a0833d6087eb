/*
 * options.c - options, URLs, variables and option files that name a server.
 */
#include "drivers/mysql/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "db/url.h"
#include "drivers/mysql/shim.h"

static const char *const algorithm_words[] = { "zlib", "zstd", "uncompressed",
                                               NULL };

static const char *const protocol_words[] = { "auto", "library", "wire", NULL };

/* -EINVAL: not a mode. */
static int mysqld_tls_mode_parse(const char *text, enum tls_mode *ret)
{
  static const char *const name[] = { "DISABLED", "PREFERRED", "REQUIRED",
                                      "VERIFY_CA", "VERIFY_IDENTITY" };
  bool on;

  if (parse_bool(text, &on) == 0) {
    *ret = on ? TLS_REQUIRED : TLS_DISABLED;
    return 0;
  }
  for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
    if (strcasecmp(text, name[i]) == 0) {
      *ret = (enum tls_mode)i;
      return 0;
    }
  }
  return -EINVAL;
}

static bool options_tls_ok(const char *text)
{
  enum tls_mode mode;

  return mysqld_tls_mode_parse(text, &mode) == 0;
}

static bool options_error_ok(const char *text)
{
  int64_t n;

  return strcasecmp(text, "all") == 0 ||
         (parse_int(text, &n) == 0 && n >= 0 && n <= 65535);
}

static const char *const tls_words[] = {
  "on",       "off",       "DISABLED",        "PREFERRED",
  "REQUIRED", "VERIFY_CA", "VERIFY_IDENTITY", NULL
};

const struct opt mysqld_options[] = {
  {
    OPT_LIST(struct mysql_cfg, hosts),
    .name = "mysql-host",
    .group = "MySQL and MariaDB",
    .flags = OPT_COMMON,
    .def = "localhost",
    .check = target_is_host,
    .expected = "a host name, or an address without brackets; the port goes "
                "into --mysql-port, the user into --mysql-user",
    .show_as = "=HOST,...",
    .help = "MySQL server host",
    .man = "Connections take the hosts and ports in turn: all ports of the "
           "first host, then all ports of the second, and so on. The name "
           "localhost stands for the library's default Unix socket; 127.0.0.1 "
           "is TCP.",
  },
  {
    OPT_LIST(struct mysql_cfg, ports),
    .flags = OPT_INT_ITEMS | OPT_NOT_EMPTY | OPT_EMPTY_DEF,
    .name = "mysql-port",
    .def = "3306",
    .min = 1,
    .max = 65535,
    .show_as = "=PORT,...",
    .help = "MySQL server port",
    .man = "The ports are used with each host of --mysql-host.",
  },
  {
    OPT_LIST(struct mysql_cfg, sockets),
    .flags = OPT_PATH,
    .name = "mysql-socket",
    .show_as = "=PATH,...",
    .help = "MySQL socket",
    .man = "A list of Unix sockets. If it is not empty, hosts and ports are "
           "not used.",
  },
  {
    OPT_BOOL(struct mysql_cfg, tcp),
    .name = "mysql-tcp",
    .flags = OPT_OWN | OPT_HIDDEN,
    .def = "off",
    .help = "connect to localhost by TCP, as with a port in --dsn",
  },
  {
    OPT_STRING(struct mysql_cfg, user),
    .name = "mysql-user",
    .flags = OPT_COMMON,
    .def = "sbtest",
    .show_as = "=USER",
    .help = "MySQL user",
    .man = "The user of every connection.",
  },
  {
    OPT_STRING(struct mysql_cfg, password),
    .flags = OPT_SECRET,
    .name = "mysql-password",
    .def = "",
    .show_as = "=PASSWORD",
    .help = "MySQL password",
    .man = "If it is empty, the environment variable BENCH_MYSQL_PASSWORD is "
           "used. It is never printed.",
  },
  {
    OPT_STRING(struct mysql_cfg, db),
    .name = "mysql-db",
    .flags = OPT_COMMON,
    .def = "sbtest",
    .check = target_is_database,
    .expected = TARGET_DATABASE,
    .show_as = "=NAME",
    .help = "MySQL database name",
    .man = "If it is empty, no database is selected.",
  },
  {
    OPT_STRING(struct mysql_cfg, defaults_file),
    .name = "mysql-defaults-file",
    .flags = OPT_OWN | OPT_PATH,
    .show_as = "=FILE",
    .help = "read options from this MySQL option file; none = from no file",
    .man = "The groups [client], [client-mariadb] and [bench] are read. "
           "Options on the command line win. The default is the file that "
           "BENCH_MYSQL_DEFAULTS_FILE names, or ~/.my.cnf if it exists (not "
           "under the name sysbench).",
  },
  {
    OPT_BOOL(struct mysql_cfg, cleartext),
    .name = "mysql-cleartext",
    .flags = OPT_OWN,
    .def = "off",
    .help = "send the password unencrypted if the server asks for that",
    .man = "Some authentication plug-ins (mysql_clear_password, dialog) need "
           "the plain password. Without this option it is only sent over TLS.",
  },
  {
    OPT_BOOL(struct mysql_cfg, get_public_key),
    .name = "mysql-get-server-public-key",
    .flags = OPT_OWN,
    .def = "off",
    .help = "encrypt the password with any key that the server sends",
    .man = "Without TLS, caching_sha2_password (at the first login of a user) "
           "and sha256_password need the password, encrypted with a key of "
           "the server. Whoever answers in place of the server can send a key, "
           "too, and read the password. Over TLS and Unix sockets the option "
           "is not needed.",
  },
  {
    OPT_STRING(struct mysql_cfg, public_key),
    .flags = OPT_PATH | OPT_OWN,
    .name = "mysql-server-public-key-path",
    .show_as = "=FILE",
    .help = "file with the server's public key, which encrypts the password",
    .man = "In PEM format. Without TLS, the password is encrypted with this "
           "key only, and no key of the server is asked for.",
  },
  {
    OPT_STRING(struct mysql_cfg, tls),
    .name = "mysql-ssl",
    .def = "off",
    .bare = "on",
    .show_as = "[=on|off|MODE]",
    .sysbench_as = "[=on|off]",
    .expected = "on, off, DISABLED, PREFERRED, REQUIRED, VERIFY_CA or "
                "VERIFY_IDENTITY",
    .check = options_tls_ok,
    .words = tls_words,
    .help = "use SSL connections, if available in the client library",
    .man = "The value can also be one of the modes DISABLED (off), PREFERRED "
           "(if the server can), REQUIRED (on), VERIFY_CA (the certificate is "
           "checked) and VERIFY_IDENTITY (the host name, too).",
  },
  {
    OPT_STRING(struct mysql_cfg, tls_key),
    .flags = OPT_PATH,
    .name = "mysql-ssl-key",
    .show_as = "=FILE",
    .help = "path name of the client private key file",
    .man = "With TLS on and no key, certificate and CA given, the files "
           "client-key.pem, client-cert.pem and cacert.pem in the current "
           "folder are used if all three exist.",
  },
  {
    OPT_STRING(struct mysql_cfg, tls_ca),
    .flags = OPT_PATH,
    .name = "mysql-ssl-ca",
    .show_as = "=FILE",
    .help = "path name of the CA file",
    .man = "The certificates that are trusted, in PEM format.",
  },
  {
    OPT_STRING(struct mysql_cfg, tls_cert),
    .flags = OPT_PATH,
    .name = "mysql-ssl-cert",
    .show_as = "=FILE",
    .help = "path name of the client public key certificate file",
    .man = "The client's certificate, in PEM format. The key can be in the "
           "same file.",
  },
  {
    OPT_STRING(struct mysql_cfg, tls_cipher),
    .name = "mysql-ssl-cipher",
    .def = "",
    .show_as = "=CIPHERS",
    .help = "use specific cipher for SSL connections",
    .man = "A list of ciphers as the TLS library reads it.",
  },
  {
    OPT_LIST(struct mysql_cfg, tls_versions),
    .flags = OPT_NO_GAPS,
    .name = "mysql-tls-version",
    .show_as = "=VERSION,...",
    .help = "allowed TLS versions, such as TLSv1.2,TLSv1.3",
    .man = "If it is empty, the client library decides.",
  },
  {
    OPT_BOOL(struct mysql_cfg, tls_resume),
    .flags = OPT_OWN,
    .name = "mysql-ssl-resume",
    .def = "off",
    .help = "resume TLS sessions at later logins of --clients and connect",
    .man = "Use it if your application's driver does so: a resumed login costs "
           "less CPU time. The report of connect has a line for these "
           "handshakes. Logins by the client library, as with --threads in "
           "other tests, resume nothing.",
  },
  {
    OPT_BOOL(struct mysql_cfg, compression),
    .name = "mysql-compression",
    .def = "off",
    .help = "use compression, if available in the client library",
    .man = "Compresses the traffic in both directions.",
  },
  {
    OPT_LIST(struct mysql_cfg, algorithms),
    .flags = OPT_ANY_CASE | OPT_NOT_EMPTY | OPT_EXPERT,
    .name = "mysql-compression-algorithms",
    .def = "zlib",
    .words = algorithm_words,
    .help = "compression algorithms to use",
    .man = "With --mysql-compression the client offers these to the server: "
           "zlib, zstd, uncompressed. Algorithms that the client library lacks "
           "are refused.",
  },
  {
    OPT_WORD(struct mysql_cfg, protocol),
    .name = "mysql-protocol",
    .flags = OPT_EXPERT,
    .def = "auto",
    .words = protocol_words,
    .help = "what executes statements after the login {auto,library,wire}",
    .man = "The client library opens connections. With wire the program "
           "then reads and writes the protocol itself, which costs a fraction "
           "of the library's work; it is refused with TLS, with compression, "
           "and if server and library have agreed on an unknown packet format. "
           "With library every statement goes through the client library. auto "
           "uses wire if possible; with --clients, the program then opens all "
           "connections but the first by itself, also with TLS.",
  },
  {
    OPT_BOOL(struct mysql_cfg, debug),
    .name = "mysql-debug",
    .flags = OPT_EXPERT,
    .def = "off",
    .help = "trace all client library calls",
    .man = "One line on stderr per call, at verbosity 5. Passwords are left "
           "out.",
  },
  {
    OPT_LIST(struct mysql_cfg, ignore_errors),
    .name = "mysql-ignore-errors",
    .def = "1213,1020,1205",
    .expected = "a comma-separated list of error numbers from 0 to 65535, or "
                "all",
    .check = options_error_ok,
    .show_as = "=ERROR,...",
    .help = "list of errors to ignore, or \"all\"",
    .man = "After one of these errors the event is restarted instead of ending "
           "the run. Any of 2006, 2011, 2013 and 2055 stands for all ways to "
           "lose the connection.",
  },
  {
    OPT_BOOL(struct mysql_cfg, dry_run),
    .name = "mysql-dry-run",
    .flags = OPT_EXPERT,
    .def = "off",
    .help = "Dry run, pretend that all MySQL client API calls are successful "
            "without executing them",
    .man = "There is no connection; every statement counts as other.",
  },
  OPT_END,
};

static bool options_is_set(const char *text)
{
  return text && text[0];
}

struct tls_settings mysqld_tls_settings(const struct mysql_cfg *cfg)
{
  static const char key[] = "client-key.pem", cert[] = "client-cert.pem",
                    ca[] = "cacert.pem";
  struct tls_settings tls = { .key = cfg->tls_key,
                              .cert = cfg->tls_cert,
                              .ca = cfg->tls_ca,
                              .cipher = cfg->tls_cipher,
                              .versions = &cfg->tls_versions };

  if (cfg->tls)
    (void)mysqld_tls_mode_parse(cfg->tls, &tls.mode);
  if (tls.mode != TLS_DISABLED && !options_is_set(tls.key) &&
      !options_is_set(tls.cert) && !options_is_set(tls.ca) &&
      access(key, R_OK) == 0 && access(cert, R_OK) == 0 &&
      access(ca, R_OK) == 0) {
    tls.key = key;
    tls.cert = cert;
    tls.ca = ca;
  }
  return tls;
}

static bool options_has_key(const char *path)
{
  FILE *f = fopen(path, "re");
  char line[256];
  bool found = false;

  while (f && !found && fgets(line, sizeof(line), f))
    found = strstr(line, "PRIVATE KEY-----") != NULL;
  if (f)
    (void)fclose(f);
  return found;
}

/* The library would connect first, and report another error. */
static int options_check_tls_files(const struct mysql_cfg *cfg, struct err *err)
{
  const struct tls_settings tls = mysqld_tls_settings(cfg);
  const struct {
    const char *path, *what, *option;
  } files[] = { { tls.ca, "the CA file", "mysql-ssl-ca" },
                { tls.cert, "the certificate", "mysql-ssl-cert" },
                { tls.key, "the private key", "mysql-ssl-key" } };

  if (options_is_set(cfg->public_key) && access(cfg->public_key, R_OK) < 0)
    return err_sys(err,
                   "cannot read the key '%.300s' of "
                   "--mysql-server-public-key-path,",
                   cfg->public_key);
  for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
    if (tls.mode != TLS_DISABLED && options_is_set(files[i].path) &&
        access(files[i].path, R_OK) < 0)
      return err_sys(err, "cannot read %s '%.300s' of --%s,", files[i].what,
                     files[i].path, files[i].option);
  }
  if (tls.mode != TLS_DISABLED && options_is_set(tls.cert) &&
      !options_is_set(tls.key) && !options_has_key(tls.cert))
    return err_set(err, -EINVAL,
                   "--mysql-ssl-key is missing: '%.300s' of --mysql-ssl-cert "
                   "has no private key",
                   tls.cert);
  return 0;
}

int mysqld_options_check(const struct mysql_cfg *cfg, struct err *err)
{
  if (cfg->sockets.n == 0 && cfg->hosts.n == 0)
    return err_set(err, -EINVAL,
                   "No MySQL hosts specified, aborting (--mysql-host is "
                   "empty)");
  if (cfg->sockets.n == 0 && cfg->ports.n == 0)
    return err_set(err, -EINVAL,
                   "No MySQL ports specified, aborting (--mysql-port is "
                   "empty)");
  if (cfg->dry_run)
    return 0;
  if (options_check_tls_files(cfg, err) < 0)
    return -EINVAL;
  for (size_t i = 0; cfg->compression && i < cfg->algorithms.n; i++) {
    if (!mysqld_shim_can_compress(cfg->algorithms.items[i]))
      return err_set(err, -EINVAL,
                     "'mysql-compression-algorithms': %s %s cannot do '%s'",
                     mysqld_shim_library(), mysqld_shim_library_version(),
                     cfg->algorithms.items[i]);
  }
  return 0;
}

const char *mysqld_options_password(const struct mysql_cfg *cfg)
{
  const char *text;

  if (cfg->password && cfg->password[0])
    return cfg->password;
  text = getenv("BENCH_MYSQL_PASSWORD");
  return text ? text : "";
}

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

/* Of option files; other lines are for other programs.  `host` before
 * `socket`. */
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
  { .name = "ssl", .option = NULL }, /* see names_put_tls() */
  { .name = "ssl-verify-server-cert",
    .option = NULL }, /* see names_put_tls() */
  { 0 },
};

static int names_refuse(const struct target_name *known, const char *what,
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

/* No socket if a source with precedence has named a host. */
static int names_put_socket(const struct target_sink *to, const char *path,
                            struct err *err)
{
  const char *host = "";

  if (to->is_given(to->ctx, "mysql-host", &host) && *host &&
      (strcmp(host, "localhost") != 0 ||
       to->is_given(to->ctx, "mysql-tcp", NULL)))
    return 0;
  return to->put(to->ctx, "mysql-socket", path, err);
}

static int names_put_hosts(const struct url *url, const struct target_sink *to,
                           struct err *err)
{
  const char *port = url->hosts[0].port;
  struct strbuf hosts = { 0 };
  int rc = 0;

  for (size_t i = 0; i < url->n_hosts; i++) {
    strbuf_addf(&hosts, "%s%s", i > 0 ? "," : "", url->hosts[i].host);
    if (strcmp(url->hosts[i].port, port) != 0)
      rc = err_set(err, -EINVAL,
                   "all hosts need the same port (--mysql-host and "
                   "--mysql-port take lists)");
  }
  if (rc == 0 && hosts.failed)
    rc = err_set(err, -ENOMEM, "not enough memory");
  if (rc == 0 && url->n_hosts > 0 && *port &&
      !to->is_given(to->ctx, "mysql-host", NULL))
    rc = to->put(to->ctx, "mysql-tcp", "on", err);
  if (rc == 0 && url->n_hosts > 0)
    rc = to->put(to->ctx, "mysql-host", strbuf_str(&hosts), err);
  if (rc == 0 && url->n_hosts > 0)
    rc = to->put(to->ctx, "mysql-port", *port ? port : "3306", err);
  strbuf_done(&hosts);
  return rc;
}

static int names_put_parameter(const struct target_pair *p,
                               const struct target_sink *to, struct err *err)
{
  const struct target_name *row;

  if (strcmp(p->name, "sslmode") == 0 || strcmp(p->name, "ssl") == 0)
    row = parameters;
  else
    row = target_names_find(parameters, p->name);
  if (!row)
    return names_refuse(parameters, "parameter", p->name, err);
  if (!p->value)
    return err_set(err, -EINVAL, "the parameter '%s' has no value", p->name);
  if (strcmp(row->name, "socket") == 0)
    return 0;
  return to->put(to->ctx, row->option, p->value, err);
}

static int names_read_url(const struct url *url, const struct target_sink *to,
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
    rc = names_put_socket(to, socket, err);
  if (rc == 0)
    rc = names_put_hosts(url, to, err);
  if (rc == 0 && url->user && *url->user)
    rc = to->put(to->ctx, "mysql-user", url->user, err);
  if (rc == 0 && url->password)
    rc = to->put(to->ctx, "mysql-password", url->password, err);
  if (rc == 0 && *url->path)
    rc = to->put(to->ctx, "mysql-db", url->path, err);
  for (size_t i = 0; i < url->n_parameters && rc == 0; i++)
    rc = names_put_parameter(&url->parameters[i], to, err);
  /* Who names a CA wants certificates checked. */
  if (rc == 0 && url_parameter(url, "ssl-ca"))
    rc = to->put(to->ctx, "mysql-ssl", "VERIFY_IDENTITY", err);
  return rc;
}

/* The last line with this name, or NULL. */
static const struct target_pair *names_find(const struct target_pair *pairs,
                                            size_t n, const char *name)
{
  const struct target_name row[] = { { .name = name }, { 0 } };

  while (n-- > 0) {
    if (target_names_find(row, pairs[n].name))
      return &pairs[n];
  }
  return NULL;
}

static bool names_is_on(const struct target_pair *p)
{
  bool on = false;

  return p && (!p->value || (parse_bool(p->value, &on) == 0 && on));
}

/* The mode that follows from other lines. */
static int names_put_tls(const struct target_pair *pairs, size_t n,
                         const struct target_sink *to, struct err *err)
{
  if (names_is_on(names_find(pairs, n, "ssl-verify-server-cert")))
    return to->put(to->ctx, "mysql-ssl", "VERIFY_IDENTITY", err);
  if (names_is_on(names_find(pairs, n, "ssl")) ||
      names_find(pairs, n, "ssl-ca") || names_find(pairs, n, "ssl-cert"))
    return to->put(to->ctx, "mysql-ssl", "REQUIRED", err);
  return 0;
}

static int names_read_file(const struct target_pair *pairs, size_t n,
                           const struct target_sink *to, struct err *err)
{
  for (size_t i = 0; i < n; i++) {
    if (pairs[i].own && !target_names_find(lines, pairs[i].name))
      return names_refuse(lines, "name in [bench],", pairs[i].name, err);
  }
  for (const struct target_name *row = lines; row->name; row++) {
    const struct target_pair *p = names_find(pairs, n, row->name);
    int rc;

    if (!p || !p->value || !row->option)
      continue;
    rc = strcmp(row->name, "socket") == 0
           ? names_put_socket(to, p->value, err)
           : to->put(to->ctx, row->option, p->value, err);
    if (rc < 0)
      return rc;
  }
  return names_put_tls(pairs, n, to, err);
}

/* The library reads MYSQL_UNIX_PORT and MYSQL_PWD. */
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
  .url = names_read_url,
  .variables = variables,
  .file = names_read_file,
  .password = "mysql-password",
  .password_env = "BENCH_MYSQL_PASSWORD",
  .library_env = "MYSQL_PWD",
  .user = "mysql-user",
  .file_option = "mysql-defaults-file",
  .file_env = "BENCH_MYSQL_DEFAULTS_FILE",
  .home_file = "~/.my.cnf",
};
