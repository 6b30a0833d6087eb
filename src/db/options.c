#include "db/options.h"

static const char *const ps_mode_words[] = { "auto",   "prepared", "unnamed",
                                             "simple", "disable",  NULL };

OPT_PARSER(parse_lifetime, churn_parse)
OPT_PARSER(parse_churn_time, churn_parse_time)

static const char *const target_words[] = { "any", "primary", "replica", NULL };

const char *db_role_wanted(const struct db_cfg *cfg)
{
  return target_words[cfg->target];
}

static const char *const failover_sets[] = {
  "server-role=primary db-ignore-errors=failover mark"
};

static const char *const tls_words[] = { "off", "prefer", "require", "verify",
                                         NULL };
static const char *const tls_sets[] = {
  "mysql-ssl=DISABLED pgsql-sslmode=disable",
  "mysql-ssl=PREFERRED pgsql-sslmode=prefer",
  "mysql-ssl=REQUIRED pgsql-sslmode=require",
  "mysql-ssl=VERIFY_IDENTITY pgsql-sslmode=verify-full",
};

static const char *const isolation_words[] = {
  "default",         "read-uncommitted", "read-committed",
  "repeatable-read", "serializable",     NULL
};

static const char *const off_words[] = { "off", NULL };

static const char *const classes_words[] = { "merged", "table", NULL };

const struct opt db_class_opts[] = {
  {
    OPT_WORD(struct db_cfg, statement_classes),
    .name = "statement-classes",
    .group = "Report",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "merged",
    .words = classes_words,
    .help = "statements of numbered tables: one class, or one per table "
            "{merged,table}",
    .man = "With \"merged\", the digits at the end of a table's name are one "
           "\"#\" in reports and files of results: SELECT c FROM sbtest# "
           "WHERE id=?. Names of tables are those after FROM, JOIN, INTO, "
           "UPDATE and TABLE.",
  },
  OPT_END,
};

const struct opt db_opts[] = {
  {
    OPT_STRING(struct db_cfg, driver),
    .name = "db-driver",
    .group = "Server",
    .flags = OPT_COMMON,
    .def = "mysql",
    .show_as = "=DRIVER",
    .help = "database driver; 'help' prints the driver list",
    .man = "Without it, --dsn chooses the driver, or options of one driver "
           "alone do: --pgsql-host means pgsql.",
  },
  {
    OPT_STRING(struct db_cfg, dsn),
    .name = "dsn",
    .flags = OPT_OWN | OPT_COMMON,
    .show_as = "=URL",
    .help = "driver and server as a URL: mysql://, postgresql:// or sqlite:",
    .man = "DRIVER://USER:PASSWORD@HOST:PORT/DATABASE?NAME=VALUE&..., or "
           "sqlite:FILE. All parts after the driver are optional. The URL "
           "chooses the driver and sets its options; options on the command "
           "line win. Without --dsn, BENCH_DSN of the environment is used.",
  },
  {
    OPT_WORD(struct db_cfg, tls),
    .name = "tls",
    .flags = OPT_OWN | OPT_COMMON,
    .words = tls_words,
    .sets = tls_sets,
    .help = "encrypt connections; default: prefer for pgsql, off for mysql "
            "{off,prefer,require,verify}",
    .man = "With \"verify\" the server's certificate must be signed by an "
           "authority of --mysql-ssl-ca or --pgsql-sslrootcert and have the "
           "server's name. The driver's own option, also in a URL, wins if "
           "it is at least as strong, else it is refused; \"off\" accepts "
           "no TLS only.",
  },
  {
    OPT_STRING(struct db_cfg, dialect),
    .name = "dialect",
    .flags = OPT_OWN | OPT_PATH,
    .def = "",
    .show_as = "=NAME|FILE",
    .help = "the kind of server, or a file that describes it; default: by "
            "the version of the server",
    .man = "It sets the types, indexes and other statements of prepare, how "
           "rows are loaded, and which errors are retried. Names are "
           "aurora-dsql, cockroachdb, mariadb, mysql, postgresql, redshift, "
           "sqlite and tidb. A file has lines \"key = value\".",
  },
  {
    OPT_STRING(struct db_cfg, password_file),
    .name = "password-file",
    .flags = OPT_OWN | OPT_PATH | OPT_COMMON,
    .show_as = "=FILE",
    .help = "read the password of the driver in use from the first line of a "
            "file",
    .man = "\"-\" is the standard input. There is a warning if other users "
           "can read the file. A password in the driver's own option wins.",
  },
  {
    OPT_BOOL(struct db_cfg, ask_password),
    .name = "ask-password",
    .flags = OPT_OWN,
    .def = "off",
    .help = "ask for the password of the driver in use on the terminal",
    .man = "The password is not shown. A sweep asks once for all steps, and a "
           "run of several processes asks once.",
  },
  {
    OPT_STRING(struct db_cfg, password_command),
    .name = "password-command",
    .flags = OPT_OWN,
    .show_as = "=COMMAND",
    .help = "run a command to get the password of the driver in use, such as a "
            "short-lived token",
    .man = "The password is the first line that the command prints; a shell "
           "runs it. It runs for the first connection, and for a new one when "
           "the password is older than --password-command-ttl. The password is "
           "never shown or written down; the command is. The driver's "
           "own option wins.",
  },
  {
    OPT_TIME(struct db_cfg, password_ttl_s),
    .name = "password-command-ttl",
    .flags = OPT_OWN,
    .def = "600",
    .fmin = 0,
    .fmax = 86400,
    .help = "seconds for which the password of --password-command is used for "
            "new connections",
  },
  {
    OPT_WORD(struct db_cfg, ps_mode),
    .name = "db-ps-mode",
    .def = "auto",
    .words = ps_mode_words,
    .help = "prepared statements on the server, or text with values "
            "{auto,prepared,unnamed,simple,disable}",
    .man = "With prepared or auto the server keeps the statements it can "
           "prepare. With unnamed, which only PostgreSQL has, it parses the "
           "statement at each execution, in one round trip. With simple or "
           "disable the client writes the values into the text. Use unnamed or "
           "simple if a pooler gives each transaction another session.",
  },
  {
    OPT_BOOL(struct db_cfg, debug),
    .name = "db-debug",
    .flags = OPT_EXPERT,
    .def = "off",
    .help = "database debug output",
  },
  {
    OPT_LIST(struct db_cfg, ignore_errors),
    .name = "db-ignore-errors",
    .flags = OPT_NO_GAPS | OPT_OWN,
    .def = "",
    .show_as = "=ERROR,...",
    .help = "errors ignorable for every driver, added to the driver's own list",
    .man = "Numbers, SQLSTATEs, classes of them, connection for lost "
           "connections, failover, or all. With failover a connection also "
           "leaves a server that is read-only, shuts down or is not ready, and "
           "tries the next one of the lists of hosts and ports.",
  },
  {
    OPT_BOOL(struct db_cfg, failover),
    .name = "failover",
    .flags = OPT_OWN,
    .def = "off",
    .sets = failover_sets,
    .help = "settings for failover tests",
    .man = "Given options win.",
  },
  {
    OPT_WORD(struct db_cfg, target),
    .name = "server-role",
    .aliases = "target",
    .flags = OPT_OWN,
    .def = "any",
    .words = target_words,
    .help = "connect only to servers with this role {any,primary,replica}",
    .man =
      "Each connection asks the server whether it is read-only (in "
      "recovery or transaction_read_only of PostgreSQL, read_only or "
      "innodb_read_only of MySQL and MariaDB), and goes on in the lists of "
      "hosts and ports until it finds the role. With failover in "
      "--db-ignore-errors clients so follow the role from server to "
      "server. \"any\" asks nothing.",
  },
  {
    OPT_WORD(struct db_cfg, isolation),
    .name = "isolation",
    .flags = OPT_OWN,
    .def = "default",
    .words = isolation_words,
    .help = "isolation level of the sessions of a run {default,"
            "read-uncommitted,read-committed,repeatable-read,serializable}",
    .man = "\"default\" is that of the server, and sends nothing. Each session "
           "is given the level after its login, also one that replaces a lost "
           "one.",
  },
  {
    OPT_TIME(struct db_cfg, rtt_s),
    .name = "rtt",
    .flags = OPT_OWN,
    .def = "0",
    .fmax = 10,
    .help = "round trip that a relay in front of a local server adds, such as "
            "2ms; 0 = none",
    .man = "A laptop then shows what a network does. A thread of the program "
           "passes bytes on after half of the time, in both directions, and a "
           "new connection takes a round trip more, as with TCP. Bandwidth is "
           "not limited. The relay's CPU time counts as the client's. "
           "--server-stats does not use the relay.",
  },
  {
    OPT_TIME(struct db_cfg, connect_timeout_s),
    .name = "db-connect-timeout",
    .flags = OPT_OWN,
    .def = "10",
    .fmin = 0.1,
    .fmax = 3600,
    .help = "seconds for opening one connection",
  },
  {
    OPT_TIME(struct db_cfg, reconnect_pause_s),
    .name = "db-reconnect-pause",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "0.05",
    .fmin = 0.001,
    .fmax = 60,
    .help = "seconds between two attempts to replace a lost connection",
    .man = "An outage seems longer by up to this time. The pause varies by a "
           "fifth. With more than 500 clients it is longer, so that all "
           "together try at most 10,000 times per second.",
  },
  {
    OPT_DOUBLE(struct db_cfg, connect_rate),
    .name = "connect-rate",
    .group = "Connections",
    .flags = OPT_OWN,
    .def = "0",
    .fmax = 1e6,
    .show_as = "=RATE",
    .help = "connections opened per second at most; 0 = no limit",
    .man =
      "The limit holds for the start of a run and for replaced connections. "
      "--thread-init-timeout is extended by the time that the "
      "connections of all workers need at this rate, if each has one.",
  },
  {
    OPT_INT(struct db_cfg, connect_concurrency),
    .name = "connect-concurrency",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "0",
    .max = 10000,
    .help = "most connections being opened at a time; 0 = 16 per thread with "
            "--clients, else no limit",
  },
  {
    OPT_PARSED(struct db_cfg, lifetime, parse_lifetime),
    .name = "connection-lifetime",
    .aliases = "churn",
    .flags = OPT_OWN,
    .def = "off",
    .words = off_words,
    .expected = "off, a number of events such as 100, a time from 1ms to 168h "
                "such as 30s, or a range such as 100..200 or 30s..1m",
    .show_as = "=off|COUNT|TIME[..MAX]",
    .help = "events or time after which a worker closes its connections and "
            "opens them again",
    .man = "A number without a unit counts events. Each connection draws a "
           "lifetime from the range. The first lifetime is shortened at "
           "random, so that workers do not reconnect together. A connection is "
           "replaced between two events, never inside a transaction. The time "
           "is not part of latency; it has a class, \"reconnect\". "
           "Prepared statements are prepared again when they are used.",
  },
  {
    OPT_PARSED(struct db_cfg, churn_time, parse_churn_time),
    .name = "churn-time",
    .flags = OPT_OWN | OPT_HIDDEN,
    .def = "off",
    .expected = "off, or a time from 1ms to 168h such as 30s, or two of them "
                "such as 30s..1m",
    .help = "old name of --connection-lifetime with a time",
  },
  {
    OPT_INT(struct db_cfg, backend_sample),
    .name = "backend-sample",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "0",
    .max = 1000000000,
    .help = "every N events, ask which server session answers, to count the "
            "sessions behind a pooler; 0 = never",
    .man =
      "The report has the number of server sessions (backends) that answered. "
      "Behind a pooler they are fewer than connections. The query, "
      "pg_backend_pid() or CONNECTION_ID(), runs between two events, outside "
      "transactions, and is excluded from latencies and counts.",
  },
  {
    OPT_INT(struct db_cfg, pool),
    .name = "pool",
    .flags = OPT_OWN,
    .def = "0",
    .max = 1000000,
    .help = "connections that all --clients share; 0 = each has its own",
    .man = "An event leases a connection when it needs one, and gives it back "
           "at its end. Clients that find none wait, first come, first "
           "served; that time is a part of the event, and a class, \"pool "
           "wait\". Each thread shares a part of the connections among its "
           "clients. Prepared statements are prepared once on each "
           "connection. A transaction that an event leaves open is rolled "
           "back.",
  },
  {
    OPT_TIME(struct db_cfg, query_timeout_s),
    .name = "db-query-timeout",
    .flags = OPT_OWN,
    .def = "0",
    .fmax = 86400,
    .help = "seconds one statement can take; 0 = no limit",
    .man = "A statement that takes longer is cancelled and fails with the "
           "error of cancelled statements (1317 of MySQL, 57014 of "
           "PostgreSQL, 9 of SQLite); if that is fatal, the message names "
           "this option. A second later the connection is broken. The same "
           "limit, or else --db-connect-timeout, applies to other questions to "
           "the server, such as its settings before a run.",
  },
  {
    OPT_SIZE(struct db_cfg, max_result_bytes),
    .name = "db-max-result-size",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "1G",
    .help = "bytes of memory for the rows of one result; 0 = no limit",
    .man = "A larger result is an error that loses the connection. Rows that a "
           "script cannot read are counted and dropped, so they have no limit.",
  },
  OPT_END,
};
