/*
 * test_help.c - the layout of the help and of the manual.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "opt/help.h"
#include "tests/unit/opt_fixture.h"
#include "tests/unit/tap.h"

/* The options that sysbench 1.0.20 lists before those of drivers, in order. */
static const char *const reference[] = {
  "--threads=N ",
  "--events=N ",
  "--time=N ",
  "--forced-shutdown=STRING ",
  "--thread-stack-size=SIZE ",
  "--rate=N ",
  "--report-interval=N ",
  "--report-checkpoints=[LIST,...] ",
  "--debug[=on|off] ",
  "--validate[=on|off] ",
  "--help[=on|off] ",
  "--version[=on|off] ",
  "--config-file=FILENAME ",
  "--tx-rate=N ",
  "--max-requests=N ",
  "--max-time=N ",
  "--num-threads=N ",
  "\n\nPseudo-Random Numbers Generator options:\n",
  "--rand-type=STRING ",
  "--rand-spec-iter=N ",
  "--rand-spec-pct=N ",
  "--rand-spec-res=N ",
  "--rand-seed=N ",
  "--rand-pareto-h=N ",
  "\n\nLog options:\n",
  "--verbosity=N ",
  "\n\n  --percentile=N       ",
  "--histogram[=on|off] ",
  "\n\nGeneral database options:\n\n",
  "--db-driver=STRING ",
  "--db-ps-mode=STRING ",
  "--db-debug[=on|off] ",
};

static const struct help_item drivers[] = {
  { "mysql", "MySQL driver" },
  { "pgsql", "PostgreSQL driver" },
};
static const struct opt none_rows[] = { OPT_END };
static const struct opt fileio_rows[] = {
  { .type = OPT_TYPE_INT, .name = "file-num", .help = "files" },
  { .type = OPT_TYPE_BOOL,
    .name = "file-odd",
    .flags = OPT_EXPERT,
    .help = "odd ones" },
  OPT_END,
};
static const struct help_item tests[] = {
  { "fileio", "File I/O test", fileio_rows },
  { "cpu", "CPU performance test", none_rows },
};
static const struct help_lists lists = { program_groups, drivers, 2, tests, 2 };

struct driver_cfg {
  const char *host;
  bool x;
};

static const struct opt mysql_rows[] = {
  { OPT_STRING(struct driver_cfg, host), .name = "mysql-host",
    .group = "MySQL and MariaDB", .def = "localhost", .help = "server host" },
  OPT_END,
};
static const struct opt pgsql_rows[] = {
  { OPT_BOOL(struct driver_cfg, x), .name = "pgsql-x", .def = "off" },
  OPT_END,
};

static const char tail[] =
  "\n\n\nCompiled-in database drivers:\n"
  "  mysql - MySQL driver\n"
  "  pgsql - PostgreSQL driver\n"
  "\n"
  "mysql options:\n"
  "  --mysql-host=STRING server host [localhost]\n"
  "\n"
  "pgsql options:\n"
  "  --pgsql-x[=on|off]  [off]\n"
  "\n"
  "Compiled-in tests:\n"
  "  fileio - File I/O test\n"
  "  cpu - CPU performance test\n"
  "\n"
  "Run 'sysbench TESTNAME help' for the options of one test.\n"
  "\n";

static void check_all(void)
{
  struct driver_cfg cfg = { 0 };
  struct strbuf out = { 0 };
  struct fixture f;
  const char *p;

  (void)fixture_init(&f);
  (void)optset_add(&f.set, OPT_SECTION_DRIVER, "pgsql", pgsql_rows, &cfg,
                   &f.err);
  (void)optset_add(&f.set, OPT_SECTION_DRIVER, "mysql", mysql_rows, &cfg,
                   &f.err);
  (void)optset_set_text(&f.set, "threads", "64", &f.err);
  f.set.as_sysbench = true;
  help_sysbench(&out, "sysbench", &f.set, &lists);
  p = strbuf_str(&out);
  OK(strncmp(p,
             "Usage:\n  sysbench [options]... [testname] [command]\n\n"
             "Commands understood by most tests: prepare run cleanup help\n\n"
             "General options:\n"
             "  --threads=N                     number of worker threads [1]\n",
             175) == 0,
     "head");
  for (size_t i = 0; i < ARRAY_SIZE(reference); i++) {
    const char *found = strstr(p, reference[i]);

    OK(found, reference[i] + strspn(reference[i], "\n"));
    p = found ? found + 1 : p;
  }
  p = strstr(p, "\n\n\n");
  OK_STR(p, tail, "tail");
  OK(!strstr(strbuf_str(&out), "--test"), "hidden options are");
  OK(strstr(strbuf_str(&out), "--report-checkpoints=[LIST,...] moments") &&
       strstr(strbuf_str(&out), "of the counters []\n"),
     "an empty default is shown");
  OK(strstr(strbuf_str(&out), "read options from a file\n"),
     "no default is not");
  OK(strstr(strbuf_str(&out), "zipfian} [special]\n"), "default at 1.0");
  OK(strstr(strbuf_str(&out), "alias of --threads [1]\n"), "of an alias");

  strbuf_clear(&out);
  (void)optset_set_level(&f.set, COMPAT_1_1, &f.err);
  help_sysbench(&out, "sysbench", &f.set, &lists);
  OK(strstr(strbuf_str(&out), "zipfian} [uniform]\n"), "default at 1.1");

  OK(!strstr(strbuf_str(&out), "1K = 1024"), "the words of sysbench");

  strbuf_clear(&out);
  help_names(&out, &lists);
  OK(
    strncmp(strbuf_str(&out),
            "Tests:\n  fileio  File I/O test\n  cpu     CPU performance test\n",
            60) == 0,
    "names and what they are");

  strbuf_clear(&out);
  help_usage(&out, "bench");
  OK_STR(strbuf_str(&out),
         "Usage:\n  bench [options]... [testname] [command]\n\n"
         "See 'bench --help' for all options and tests.\n",
         "short usage");
  strbuf_done(&out);
  fixture_done(&f);
}

/* Longest line of a text. */
static size_t widest(const char *text)
{
  size_t most = 0;

  while (*text) {
    const size_t len = strcspn(text, "\n");

    most = len > most ? len : most;
    text += len + (text[len] == '\n');
  }
  return most;
}

/* How many rings have an option. */
static int rings_with(struct strbuf rings[3], const char *name)
{
  int n = 0;

  for (int ring = 0; ring < 3; ring++) {
    char start[80];

    (void)snprintf(start, sizeof(start), "\n  --%s", name);
    for (const char *p = strstr(strbuf_str(&rings[ring]), start); p;
         p = strstr(p + 1, start))
      n += strchr("=[ ", p[strlen(start)]) != NULL;
  }
  return n;
}

static void check_rings(void)
{
  struct driver_cfg cfg = { 0 };
  struct strbuf rings[3] = { { 0 } };
  const char *all, *expert;
  struct fixture f;
  bool complete = true;

  (void)fixture_init(&f);
  (void)optset_add(&f.set, OPT_SECTION_DRIVER, "mysql", mysql_rows, &cfg,
                   &f.err);
  for (int i = 0; i < 3; i++)
    help_ring(&rings[i], "bench", &f.set, &lists, (enum cmdline_help)i);
  all = strbuf_str(&rings[CMDLINE_HELP_ALL]);
  expert = strbuf_str(&rings[CMDLINE_HELP_EXPERT]);
  OK(strncmp(strbuf_str(&rings[0]),
             "Usage:\n  bench TEST [options]... COMMAND\n", 41) == 0 &&
       strstr(strbuf_str(&rings[0]), "\n\nTests:\n  fileio cpu\n\n"),
     "the everyday ring has the usage and all tests");
  OK(widest(strbuf_str(&rings[0])) < 80 && widest(all) < 80 &&
       widest(expert) < 80,
     "no line is longer than 79 characters");
  /* An everyday option is in --help=all as well. */
  for (size_t i = 0; i < f.set.n; i++) {
    const struct opt *row = f.set.entries[i]->row;
    const int wanted = row->flags & OPT_COMMON ? 2 : 1;

    if (row->flags & (OPT_HIDDEN | OPT_DEPRECATED) || row->alias_of)
      continue;
    if (rings_with(rings, row->name) != wanted) {
      printf("# --%s is in %d rings\n", row->name,
             rings_with(rings, row->name));
      complete = false;
    }
  }
  OK(complete, "every option is in its ring, and in a group that is printed");
  OK(strstr(all, "\nReport:\n") && strstr(all, "\n  --time=TIME ") &&
       strstr(all, "\n  --server-stats=auto|on|off ") &&
       strstr(all, "\n  --isolation=WORD ") &&
       strstr(all, "{default, read-uncommitted,") &&
       strstr(all, "\n  --mysql-host=TEXT  server host [localhost]\n"),
     "groups, and types that say what is allowed");
  OK(!strstr(all, "--file-odd") && strstr(expert, "\nThe fileio test:\n"
                                                  "  --file-odd[=on|off]"),
     "options of a test for experts");
  OK(strstr(expert, "\nOld names:\n") &&
       strstr(expert, "\n  --num-threads: --threads\n"),
     "old names");
  for (int i = 0; i < 3; i++)
    strbuf_done(&rings[i]);
  fixture_done(&f);
}

static void check_old_names(void)
{
  const struct opt row = { .type = OPT_TYPE_STRING,
                           .name = "target",
                           .def = "mine" };
  struct opt_entry *script = NULL;
  struct strbuf out = { 0 };
  struct fixture f;

  (void)fixture_init(&f);
  OK(optset_declare(&f.set, "x.lua", &row, &script, &f.err) == 0 &&
       strcmp(opt_get_string(script), "mine") == 0,
     "a script may use an old name");
  OK(optset_set_text(&f.set, "target", "replica", &f.err) == 0 &&
       strcmp(db_role_wanted(&f.opts.db), "replica") == 0 &&
       optset_find(&f.set, "server-role")->given,
     "an old name sets the option, which counts as given");
  OK(optset_set_text(&f.set, "target", "master", &f.err) == -EINVAL &&
       strstr(f.err.text, "--target: 'master'"),
     "a message has the name that was used");
  help_sysbench(&out, "sysbench", &f.set, &lists);
  OK(!strstr(strbuf_str(&out), "--target"), "sysbench's help has none");
  strbuf_done(&out);
  fixture_done(&f);
}

struct threads_cfg {
  uint64_t yields, locks;
};

static const struct opt threads_rows[] = {
  { OPT_INT(struct threads_cfg, yields), .name = "thread-yields", .def = "1000",
    .help = "lock-yield-unlock rounds per event" },
  { OPT_INT(struct threads_cfg, locks), .name = "thread-locks", .def = "8",
    .help = "number of mutexes" },
  OPT_END,
};

static const struct opt script_rows[] = {
  { .type = OPT_TYPE_LIST, .name = "b", .def = "x,y", .help = "a list" },
  { .type = OPT_TYPE_STRING, .name = "a_longer", .help = "no default" },
  { .type = OPT_TYPE_BOOL, .name = "B", .def = "on", .help = "a switch" },
  { .type = OPT_TYPE_INT,
    .name = "c_new",
    .aliases = "c_old",
    .def = "5",
    .flags = OPT_PERCENT,
    .help = "a part" },
  { .type = OPT_TYPE_INT,
    .name = "d",
    .def = "5ms",
    .unit_ns = 1000000,
    .help = "a time" },
  { .type = OPT_TYPE_INT, .name = "e", .flags = OPT_HIDDEN, .help = "hidden" },
  OPT_END,
};

static void check_test(void)
{
  struct threads_cfg cfg = { 0 };
  struct strbuf out = { 0 };
  struct fixture f;

  (void)fixture_init(&f);
  (void)optset_add(&f.set, OPT_SECTION_TEST, "threads", threads_rows, &cfg,
                   &f.err);
  help_test(&out, "threads", &f.set);
  OK_STR(strbuf_str(&out),
         "threads options:\n"
         "  --thread-yields=COUNT  lock-yield-unlock rounds per event [1000]\n"
         "  --thread-locks=COUNT   number of mutexes [8]\n\n",
         "built-in test");
  fixture_done(&f);

  strbuf_clear(&out);
  (void)fixture_init(&f);
  for (size_t i = 0; script_rows[i].type != OPT_TYPE_END; i++)
    (void)optset_declare(&f.set, "x.lua", &script_rows[i], NULL, &f.err);
  help_test(&out, "x.lua", &f.set);
  OK_STR(strbuf_str(&out),
         "x.lua options:\n"
         "  --B[=on|off]     a switch [on]\n"
         "  --a-longer=TEXT  no default\n"
         "  --b=ITEM,...     a list [x,y]\n"
         "  --c-new=P%       a part [5]\n"
         "  --d=TIME         a time [5ms]\n\n"
         "Old names:\n"
         "  --c-old: --c-new\n\n",
         "script, sorted");

  strbuf_clear(&out);
  f.set.as_sysbench = true;
  help_test(&out, "x.lua", &f.set);
  OK(strstr(strbuf_str(&out), "\n  --a_longer=STRING no default\n"),
     "sysbench prints names as the script spells them");
  OK(!strstr(strbuf_str(&out), "c_old") && !strstr(strbuf_str(&out), "hidden"),
     "without old names and hidden options");
  strbuf_done(&out);
  fixture_done(&f);
}

static const char *const word_sets[] = { "y=1", "y=2 z" };
static const char *const sets_words[] = { "one", "two", NULL };

static const struct opt man_rows[] = {
  {
    .type = OPT_TYPE_INT,
    .name = "a-b",
    .def = "5",
    .def_1_1 = "6",
    .min = 1,
    .max = 9,
    .help = "what it is",
    .man = ".in the morning\n'tis a \\ and a-b",
  },
  { .type = OPT_TYPE_BOOL, .name = "x", .flags = OPT_HIDDEN },
  { .type = OPT_TYPE_STRING, .name = "y", .help = "any" },
  { .type = OPT_TYPE_STRING, .name = "z", .def = ".", .help = "where" },
  { .type = OPT_TYPE_BOOL, .name = "s", .help = "all", .sets = word_sets + 1 },
  { .type = OPT_TYPE_WORD,
    .name = "w",
    .help = "some",
    .words = sets_words,
    .sets = word_sets },
  OPT_END,
};

static void check_man(void)
{
  struct strbuf out = { 0 };

  help_man_options(&out, man_rows);
  OK_STR(strbuf_str(&out),
         ".TP\n.B \\-\\-a\\-b=COUNT\nwhat it is.\n"
         "\\&.in the morning\n\\&'tis a \\e and a\\-b\n"
         "Allowed: an integer from 1 to 9.\n"
         "Default: 5; at compat level 1.1 6.\n"
         ".TP\n.B \\-\\-y=TEXT\nany.\n"
         ".TP\n.B \\-\\-z=TEXT\nwhere.\n"
         "Default: \\&. (the current folder).\n"
         ".TP\n.B \\-\\-s[=on|off]\nall: \\-\\-y=2 \\-\\-z.\n"
         ".TP\n.B \\-\\-w=one|two\nsome.\n"
         "one is \\-\\-y=1; two is \\-\\-y=2 \\-\\-z.\n"
         "Allowed: one of: one, two.\n",
         "manual");
  strbuf_done(&out);
}

int main(void)
{
  check_all();
  check_rings();
  check_old_names();
  check_test();
  check_man();
  return TAP_EXIT();
}
