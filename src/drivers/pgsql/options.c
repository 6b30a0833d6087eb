/*
 * options.c - the options of the pgsql driver.
 */
#include "drivers/pgsql/options.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "db/target.h"

const char *const pgsql_sslmodes[] = {
  "disable", "allow", "prefer", "require", "verify-ca", "verify-full", NULL,
};

/* The order is that of enum pgsql_protocol. */
static const char *const protocols[] = { "auto", "library", "wire", NULL };

static bool item_ok(const char *item, size_t len)
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

/*
 * Allows SQLSTATEs, classes, `connection` and `all`, but no numbers, unlike
 * other drivers.
 */
static bool states_ok(const char *text)
{
  while (*text) {
    const size_t len = strcspn(text, ",");

    if (!item_ok(text, len))
      return false;
    text += len + (text[len] == ',');
  }
  return true;
}

const struct opt pgsql_opts[] = {
  {
    OPT_LIST(struct pgsql_cfg, hosts),
    .name = "pgsql-host",
    .def = "localhost",
    .check = target_is_host,
    .expected = "a host name or address; the port goes into --pgsql-port, the "
                "user into --pgsql-user",
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
    .help = "PostgreSQL server ports",
  },
  {
    OPT_STRING(struct pgsql_cfg, user),
    .name = "pgsql-user",
    .def = "sbtest",
    .help = "PostgreSQL user",
  },
  {
    OPT_STRING(struct pgsql_cfg, password),
    .flags = OPT_SECRET,
    .name = "pgsql-password",
    .def = "",
    .help = "PostgreSQL password",
    .man = "If it is empty, the environment variable BENCH_PGSQL_PASSWORD is "
           "used, and without that libpq looks at PGPASSWORD and at the "
           "user's password file.",
  },
  {
    OPT_STRING(struct pgsql_cfg, db),
    .name = "pgsql-db",
    .def = "sbtest",
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
    .man = "Servers with the methods password, ldap, pam or radius need the "
           "plain password. Without this option it is only sent over TLS and "
           "Unix sockets.",
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
    OPT_STRING(struct pgsql_cfg, sslcert),
    .name = "pgsql-sslcert",
    .flags = OPT_PATH,
    .help = "file with the client's certificate",
  },
  {
    OPT_STRING(struct pgsql_cfg, sslkey),
    .name = "pgsql-sslkey",
    .flags = OPT_PATH,
    .help = "file with the client's private key",
  },
  {
    OPT_STRING(struct pgsql_cfg, sslrootcert),
    .name = "pgsql-sslrootcert",
    .flags = OPT_PATH,
    .help = "file with the authorities that may sign the server's certificate",
  },
  {
    OPT_STRING(struct pgsql_cfg, sslcrl),
    .name = "pgsql-sslcrl",
    .flags = OPT_PATH,
    .help = "file with revoked certificates",
  },
  {
    OPT_STRING(struct pgsql_cfg, options),
    .name = "pgsql-options",
    .help = "options for the session, e.g. -c search_path=test",
  },
  {
    OPT_WORD(struct pgsql_cfg, protocol),
    .name = "pgsql-protocol",
    .def = "auto",
    .words = protocols,
    .help = "what executes statements {auto,library,wire}",
    .man = "libpq opens connections, prepares statements and copies the "
           "rows of prepare. With wire the program speaks the protocol itself "
           "to execute statements, direct and prepared ones, which costs a "
           "fraction of the library's work; it is refused on encrypted "
           "connections, and a session that has listened for notifications is "
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
    .check = states_ok,
    .expected = "SQLSTATEs, two-character classes, 'connection', 'failover' "
                "or 'all'",
    .help = "errors after which the event is restarted",
    .man =
      "The list has SQLSTATEs, classes of them, connection for lost "
      "connections, failover, or all. An empty list makes every error fatal.",
  },
  OPT_END,
};
