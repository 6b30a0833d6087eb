/*
 * test_set.c - names, aliases, compat levels, options of scripts,
 * suggestions.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "base/compiler.h"
#include "opt/suggest.h"
#include "tests/unit/opt_fixture.h"
#include "tests/unit/tap.h"

static void check_defaults(void)
{
  /* 64K is less than some systems allow. */
  const uint64_t stack = PTHREAD_STACK_MIN > 65536 ? 524288 : 65536;
  struct fixture f;

  OK(fixture_init(&f) == 0, "the core options fit together");
  OK(f.opts.run.threads == 1 && f.opts.run.events == 0 &&
       f.opts.run.time_s == 10,
     "limits");
  OK(f.opts.run.thread_stack_size == stack &&
       f.opts.run.thread_init_timeout_s == 30,
     "threads");
  OK(f.opts.report.percentile == 95 && f.opts.own.verbosity == 3, "log");
  OK(f.opts.rand.type == 2 && f.opts.rand.spec_iter == 12 &&
       f.opts.rand.pareto_h == 0.2,
     "random numbers");
  OK(f.opts.db.connect_timeout_s == 10 && f.opts.db.query_timeout_s == 0,
     "database");
  OK(f.opts.run.forced_shutdown.kind == FORCED_AUTO, "forced shutdown");
  OK(f.opts.cmdline.config_file == NULL, "no configuration file");

  OK(optset_set_level(&f.set, COMPAT_1_1, &f.err) == 0 && f.opts.rand.type == 0,
     "level 1.1 has another default of rand-type");
  OK(optset_set_text(&f.set, "rand_type", "pareto", &f.err) == 0 &&
       optset_set_level(&f.set, COMPAT_1_0, &f.err) == 0 &&
       f.opts.rand.type == 3,
     "but leaves a given value alone");
  OK(optset_set_default(&f.set, "db-driver", "pgsql", &f.err) == 0,
     "a default may depend on the build");
  OK_STR(f.opts.db.driver, "pgsql", "it is in force");
  OK(optset_set_default(&f.set, "nosuch", "x", &f.err) == -ENOENT, "unknown");
  fixture_done(&f);
}

static void check_names(void)
{
  struct fixture f;

  (void)fixture_init(&f);
  OK(optset_find(&f.set, "report_interval") ==
       optset_find(&f.set, "report-interval"),
     "- and _ are equal");
  OK(optset_find(&f.set, "report-interval") != NULL, "and found");
  OK(!optset_find(&f.set, "Threads"), "case matters");
  OK(!optset_find(&f.set, "thread"), "no abbreviations");
  OK(!optset_find(&f.set, ""), "no empty name");
  OK(optset_set_text(&f.set, "thraeds", "1", &f.err) == -ENOENT, "unknown");
  OK_STR(f.err.text, "invalid option: thraeds\ndid you mean --threads?",
         "with a suggestion");
  fixture_done(&f);
}

static void check_aliases(void)
{
  static const char *const names[] = { "num-threads", "threads" };
  struct fixture f;

  (void)fixture_init(&f);
  OK(optset_set_text(&f.set, "num_threads", "7", &f.err) == 0, "set by alias");
  OK(f.opts.run.threads == 7, "sets the option");
  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    const struct opt_entry *e = optset_find(&f.set, names[i]);

    OK(opt_get_int(e) == 7 && opt_get_number(e) == 7, names[i]);
    OK_STR(opt_get_string(e), "7", "and as text");
  }
  OK(optset_set_text(&f.set, "threads", "8", &f.err) == 0 &&
       opt_get_int(optset_find(&f.set, "num-threads")) == 8,
     "the last one wins, under both names");
  OK(optset_set_text(&f.set, "num-threads", "0", &f.err) == -EINVAL,
     "an alias is checked like its option");
  OK_STR(f.err.text,
         "Invalid value for --num-threads: '0' (expected an integer from 1 to "
         "1000000)",
         "under its own name");
  OK(f.opts.run.threads == 8, "a refused value changes nothing");
  OK(optset_set_text(&f.set, "tx-rate", "2.5", &f.err) == 0 &&
       f.opts.run.rate == 2.5,
     "tx-rate takes what rate takes");
  fixture_done(&f);
}

static void check_script(void)
{
  const struct opt threads = { .type = OPT_TYPE_DOUBLE,
                               .name = "threads",
                               .def = "7" };
  const struct opt tables = { .type = OPT_TYPE_INT,
                              .name = "my_tables",
                              .def = "4" };
  const struct opt bad = { .type = OPT_TYPE_INT, .name = "bad", .def = "x" };
  struct opt_entry *e = NULL;
  struct fixture f;

  (void)fixture_init(&f);
  OK(optset_declare(&f.set, "x", &tables, &e, &f.err) == 0, "declared");
  OK(e == optset_find(&f.set, "my-tables") && opt_get_int(e) == 4, "default");
  OK(optset_set_text(&f.set, "my-tables", "5", &f.err) == 0 &&
       opt_get_int(e) == 5,
     "set");
  OK(optset_declare(&f.set, "x", &tables, NULL, &f.err) == -EEXIST, "twice");
  OK(optset_declare(&f.set, "x", &bad, NULL, &f.err) == -EINVAL, "bad default");
  OK(!optset_find(&f.set, "bad"), "is not there");

  OK(optset_declare(&f.set, "x", &threads, &e, &f.err) == 0,
     "a script may declare an option of the program");
  OK(f.opts.run.threads == 1, "the program keeps its value");
  OK(opt_get_number(e) == 7 &&
       opt_get_number(optset_find(&f.set, "threads")) == 7,
     "scripts see their default");
  OK(optset_set_text(&f.set, "threads", "3", &f.err) == 0, "given by the user");
  OK(f.opts.run.threads == 3 && opt_get_number(e) == 3, "both see it");
  OK(optset_declare(&f.set, "x", &threads, NULL, &f.err) == -EEXIST,
     "but only once");
  OK(optset_add(&f.set, OPT_SECTION_TEST, "t", rand_opts, &f.opts.rand,
                &f.err) == -EEXIST,
     "two modules cannot have the same option");
  fixture_done(&f);
}

static void check_script_names(void)
{
  const struct opt rows = { .type = OPT_TYPE_INT,
                            .name = "hot_rows",
                            .def = "1",
                            .aliases = "rows old_rows",
                            .show_as = "=ROWS" };
  const struct opt taken = { .type = OPT_TYPE_INT,
                             .name = "new",
                             .aliases = "threads" };
  struct opt_entry *e = NULL;
  struct fixture f;

  (void)fixture_init(&f);
  OK(optset_declare(&f.set, "x", &rows, &e, &f.err) == 0, "declared");
  OK(optset_set_text(&f.set, "rows", "5", &f.err) == 0 && opt_get_int(e) == 5 &&
       opt_get_int(optset_find(&f.set, "old-rows")) == 5 && e->given,
     "an old name of a script sets the option");
  OK(optset_set_text(&f.set, "old-rows", "x", &f.err) == -EINVAL &&
       strstr(f.err.text, "--old_rows: 'x'"),
     "a message has the name that was used");
  OK(strcmp(e->row->show_as, "=ROWS") == 0, "the set has its own texts");
  OK(optset_declare(&f.set, "x", &taken, NULL, &f.err) == -EEXIST,
     "the old name is one of the program");
  fixture_done(&f);
}

static void check_refuse(void)
{
  struct fixture f;
  const struct opt_given given = { .text = "1,2",
                                   .where = "a.cnf:9",
                                   .source = OPT_SOURCE_FILE };
  struct opt_entry *e;

  (void)fixture_init(&f);
  e = optset_find(&f.set, "report-checkpoints");
  OK(opt_set(e, &given, &f.err) == 0, "set from a file");
  OK(e->source == OPT_SOURCE_FILE && opt_get_list(e)->n == 2, "known as such");
  OK(opt_refuse(e, NULL, "peace", &f.err) == -EINVAL, "refused afterwards");
  OK_STR(f.err.text,
         "Invalid value for --report-checkpoints: '1,2' (expected peace), "
         "a.cnf:9",
         "the message says where it was");
  fixture_done(&f);
}

static const struct {
  const char *typed, *want;
} suggestion[] = {
  { "red", "read" },
  { "write", "write" }, /* nearer than "writ" */
  { "writs", NULL },    /* "write" and "writ" are equally near */
  { "WRITS", NULL },
  { "WRITE", "write" },
  { "Raed", "read" },
  { "TABLE_SIZ", "table-size" },
  { "rndwr", "rndwr" },
  { "rndrw", "rndwr" },
  { "", NULL },
  { "table_sze", "table-size" },
  { "table--siz", "table-size" },
  { "tabel-sizeee", NULL },
  { "tab", "table-size" }, /* the start of the name */
  { "wri", "writ" },       /* nearer than "write" */
};

static void check_suggestions(void)
{
  static const char *const known[] = { "read",  "write",      "writ",
                                       "rndwr", "table-size", "table_size" };

  for (size_t i = 0; i < ARRAY_SIZE(suggestion); i++) {
    struct suggest s;
    const char *got;

    suggest_init(&s, suggestion[i].typed);
    for (size_t k = 0; k < ARRAY_SIZE(known); k++)
      suggest_offer(&s, known[k]);
    got = suggest_result(&s);
    OK_STR(got ? got : "none", suggestion[i].want ? suggestion[i].want : "none",
           suggestion[i].typed);
  }
}

/* Rows of OPT_PARSED() store what the text means. */
static void check_parsed(void)
{
  struct fixture f;
  const struct slo *slo = &f.opts.report.slo;

  (void)fixture_init(&f);
  OK(f.opts.run.storm.n == 0 && f.opts.run.clients == 0 && slo->n == 0,
     "a default, and no default");
  OK(optset_set_text(&f.set, "storm", "3@2,2@1", &f.err) == 0 &&
       f.opts.run.storm.n == 2 && f.opts.run.storm.clients == 5 &&
       f.opts.run.storm.of[0].clients == 2,
     "a struct");
  OK_STR(f.opts.run.storm.text, "3@2,2@1", "its text is kept");
  OK(optset_set_text(&f.set, "storm", "3@", &f.err) == -EINVAL &&
       f.opts.run.storm.clients == 5,
     "a wrong text changes nothing");
  OK(optset_set_text(&f.set, "slo", "p99<=1ms,errors<=1%", &f.err) == 0 &&
       slo->n == 2,
     "an objective");
  OK(optset_set_text(&f.set, "slo", "p99<=1", &f.err) == -EINVAL, "no unit");
  OK_STR(f.err.text,
         "Invalid value for --slo: 'p99<=1' has no such limit (expected a time "
         "with a unit, up to 1h, such as 500us, 10ms or 1.5s)",
         "the parser has the end of the message");
  OK(optset_set_text(&f.set, "storm", "off", &f.err) == 0 &&
       f.opts.run.storm.n == 0,
     "off");
  fixture_done(&f);
}

/* The driver of this build. */
struct pgsql_cfg {
  int sslmode;
};
static const char *const sslmodes[] = { "disable", "prefer", "verify-full",
                                        NULL };
static const struct opt pgsql_rows[] = {
  { OPT_WORD(struct pgsql_cfg, sslmode), .name = "pgsql-sslmode",
    .def = "prefer", .words = sslmodes },
  OPT_END,
};

static void check_shorthands(void)
{
  struct pgsql_cfg pgsql;
  struct fixture f;
  struct opt_entry *e;

  (void)fixture_init(&f);
  (void)optset_add(&f.set, OPT_SECTION_DRIVER, "pgsql", pgsql_rows, &pgsql,
                   &f.err);
  OK(optset_expand(&f.set, &f.err) == 0 && *f.opts.run.mark == '\0' &&
       pgsql.sslmode == 1,
     "nothing without a shorthand");
  OK(optset_set_text(&f.set, "failover", "on", &f.err) == 0 &&
       optset_expand(&f.set, &f.err) == 0,
     "a switch");
  OK_STR(db_role_wanted(&f.opts.db), "primary", "an option with a value");
  OK_STR(f.opts.run.mark, "auto", "an option alone");
  e = optset_find(&f.set, "server-role");
  OK(e->given && e->source == OPT_SOURCE_SHORTHAND, "known as such");
  OK_STR(e->where, "--failover", "and which one it was");
  OK(optset_set_text(&f.set, "tls", "verify", &f.err) == 0 &&
       optset_expand(&f.set, &f.err) == 0 && pgsql.sslmode == 2,
     "a word, without the driver that this build lacks");
  OK_STR(optset_find(&f.set, "pgsql-sslmode")->where, "--tls=verify",
         "the shorthand with its word");
  fixture_done(&f);

  (void)fixture_init(&f);
  (void)optset_set_text(&f.set, "target", "replica", &f.err);
  (void)optset_set_text(&f.set, "careful", "on", &f.err);
  (void)optset_set_text(&f.set, "failover", "on", &f.err);
  (void)optset_set_text(&f.set, "pause", "0", &f.err);
  OK(optset_expand(&f.set, &f.err) == 0, "several");
  OK_STR(db_role_wanted(&f.opts.db), "replica", "the user's value wins");
  OK(f.opts.sweep.pause_s == 0 && f.opts.sweep.repeat == 3 &&
       f.opts.sweep.reference_every == 5,
     "by its old name, too");
  fixture_done(&f);

  (void)fixture_init(&f);
  (void)optset_set_text(&f.set, "failover", "off", &f.err);
  OK(optset_expand(&f.set, &f.err) == 0 &&
       !optset_find(&f.set, "server-role")->given,
     "off");
  fixture_done(&f);
}

/* Also those of drivers that this test lacks have names. */
static void check_shorthand_names(void)
{
  bool known = true;
  struct fixture f;

  (void)fixture_init(&f);
  for (size_t i = 0; i < f.set.n; i++) {
    const struct opt *row = f.set.entries[i]->row;

    for (size_t k = 0; row->sets && (k == 0 || (row->words && row->words[k]));
         k++) {
      const char *part = row->sets[k];

      for (size_t len; *part; part += len + (part[len] == ' ')) {
        char name[64];

        len = strcspn(part, " ");
        (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(part, "= "),
                       part);
        known = known &&
                (optset_find(&f.set, name) || strncmp(name, "mysql-", 6) == 0 ||
                 strncmp(name, "pgsql-", 6) == 0);
      }
    }
  }
  OK(known, "shorthands name options of the program");
  fixture_done(&f);
}

int main(void)
{
  check_defaults();
  check_parsed();
  check_names();
  check_aliases();
  check_script();
  check_script_names();
  check_refuse();
  check_suggestions();
  check_shorthands();
  check_shorthand_names();
  return TAP_EXIT();
}
