/*
 * test_help.c - the layout of the help and of the manual.
 */
#include <stdlib.h>

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
static const struct help_item tests[] = {
  { "fileio", "File I/O test" },
  { "cpu", "CPU performance test" },
};
static const struct help_lists lists = { drivers, 2, tests, 2 };

struct driver_cfg {
  const char *host;
  bool x;
};

static const struct opt mysql_rows[] = {
  { OPT_STRING(struct driver_cfg, host), .name = "mysql-host",
    .def = "localhost", .help = "server host" },
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
  help_all(&out, "sysbench", &f.set, &lists);
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
  help_all(&out, "sysbench", &f.set, &lists);
  OK(strstr(strbuf_str(&out), "zipfian} [uniform]\n"), "default at 1.1");

  OK(!strstr(strbuf_str(&out), "1K = 1024"), "the words of sysbench");

  strbuf_clear(&out);
  f.set.as_sysbench = false;
  help_all(&out, "bench", &f.set, &lists);
  OK(strstr(strbuf_str(&out), "0 = no limit; 1K = 1024 [0]\n"), "and more");
  p = strstr(strbuf_str(&out), "--num-threads");
  OK(p && strstr(strbuf_str(&out), "Old names of options:\n") < p,
     "old names are at the end");

  strbuf_clear(&out);
  help_screen(&out, "bench", &f.set, &lists);
  p = strbuf_str(&out);
  OK(strncmp(p, "Usage:\n  bench TEST [options]... COMMAND\n", 41) == 0 &&
       strstr(p, "\n\nTests:\n  fileio cpu\n\n") &&
       strstr(p, "\n  --threads=N") && !strstr(p, "--validate"),
     "one screen");

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
         "  --thread-yields=N lock-yield-unlock rounds per event [1000]\n"
         "  --thread-locks=N  number of mutexes [8]\n\n",
         "built-in test");
  fixture_done(&f);

  strbuf_clear(&out);
  (void)fixture_init(&f);
  for (size_t i = 0; script_rows[i].type != OPT_TYPE_END; i++)
    (void)optset_declare(&f.set, "x.lua", &script_rows[i], NULL, &f.err);
  help_test(&out, "x.lua", &f.set);
  OK_STR(strbuf_str(&out),
         "x.lua options:\n"
         "  --B[=on|off]      a switch [on]\n"
         "  --a-longer=STRING no default\n"
         "  --b=[LIST,...]    a list [x,y]\n\n",
         "script, sorted");

  strbuf_clear(&out);
  f.set.as_sysbench = true;
  help_test(&out, "x.lua", &f.set);
  OK(strstr(strbuf_str(&out), "\n  --a_longer=STRING no default\n"),
     "sysbench prints names as the script spells them");
  strbuf_done(&out);
  fixture_done(&f);
}

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
  OPT_END,
};

static void check_man(void)
{
  struct strbuf out = { 0 };

  help_man_options(&out, man_rows);
  OK_STR(strbuf_str(&out),
         ".TP\n.B \\-\\-a\\-b=N\nwhat it is.\n"
         "\\&.in the morning\n\\&'tis a \\e and a\\-b\n"
         "Allowed: an integer from 1 to 9.\n"
         "Default: 5; at compat level 1.1 6.\n"
         ".TP\n.B \\-\\-y=STRING\nany.\n"
         ".TP\n.B \\-\\-z=STRING\nwhere.\n"
         "Default: \\&. (the current folder).\n",
         "manual");
  strbuf_done(&out);
}

int main(void)
{
  check_all();
  check_test();
  check_man();
  return TAP_EXIT();
}
