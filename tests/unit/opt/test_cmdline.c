/*
 * test_cmdline.c - whole command lines: what they ask for, what they set,
 * and the first thing that is wrong with them.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "tests/unit/opt_fixture.h"
#include "tests/unit/tap.h"

#define THREADS_WHAT "(expected an integer from 1 to 1000000)"
#define TYPES_WHAT \
  "(expected one of: uniform, gaussian, special, pareto, zipfian)"
#define MOMENTS_WHAT                                                      \
  "(expected a comma-separated list of times from 1 to 4294967295 whole " \
  "seconds, such as 60, 5m or 1h)"
#define FORCED_WHAT \
  "(expected off, a time such as 30 or 5m, or a percentage of --time)"

/*
 * Refused before anything starts; the code says whether the text gets a prefix.
 */
static const struct {
  const char *line;
  int rc;
  const char *text;
} refused[] = {
  { "bench cpu run extra", -E2BIG,
    "Unrecognized command line argument: extra" },
  { "bench cpu run -x", -E2BIG,
    "Unrecognized command line argument: -x\noptions are written --NAME=VALUE, "
    "as in --threads=4" },
  { "bench cpu run - --threads=0", -E2BIG,
    "Unrecognized command line argument: -" },
  { "bench cpu --threads 4 run", -E2BIG,
    "Unrecognized command line argument: 4\ndid you mean --threads=4?" },
  { "bench cpu --debug on run", -E2BIG,
    "Unrecognized command line argument: run" },
  { "bench cpu --their-own 4 run", -E2BIG,
    "Unrecognized command line argument: 4\ndid you mean --their-own=4?" },
  { "bench cpu --their-own word run", -E2BIG,
    "Unrecognized command line argument: run" },
  { "bench cpu -threads=4 run", -E2BIG,
    "Unrecognized command line argument: -threads=4\ndid you mean "
    "--threads=4?" },
  { "bench --test=cpu run cpu", -E2BIG,
    "Unrecognized command line argument: cpu" },
  { "bench cpu --threads=0 run", -EINVAL,
    "Invalid value for --threads: '0' " THREADS_WHAT },
  { "bench cpu --threads run", -EINVAL,
    "Invalid value for --threads: '' " THREADS_WHAT },
  { "bench cpu --num-threads=-1 run", -EINVAL,
    "Invalid value for --num-threads: '-1' " THREADS_WHAT },
  { "bench cpu --rand-type=zzz run", -EINVAL,
    "Invalid value for --rand-type: 'zzz' " TYPES_WHAT },
  { "bench cpu --report-checkpoints=1,a run", -EINVAL,
    "Invalid value for --report-checkpoints: 'a' " MOMENTS_WHAT },
  { "bench cpu --report_checkpoints=0 run", -EINVAL,
    "Invalid value for --report-checkpoints: '0' " MOMENTS_WHAT },
  { "bench cpu --percentile=101 run", -EINVAL,
    "Invalid value for --percentile: '101' (expected a number from 0 to "
    "100)" },
  { "bench cpu --report-interval=0.001 run", -EINVAL,
    "Invalid value for --report-interval: '0.001' (expected 0, or a time "
    "from 0.01 to 4294967295 seconds, such as 10, 0.5, 500ms or 1m)" },
  { "bench cpu --rate=-5 run", -EINVAL,
    "Invalid value for --rate: '-5' (expected a number from 0 to 4294967295)" },
  { "bench cpu --rand-pareto-h=foo run", -EINVAL,
    "Invalid value for --rand-pareto-h: 'foo' (expected a number greater "
    "than 0 and less than 1)" },
  { "bench cpu --debug=maybe run", -EINVAL,
    "Invalid value for --debug: 'maybe' (expected on or off)" },
  { "bench cpu --validate= run", -EINVAL,
    "Invalid value for --validate: '' (expected on or off)" },
  { "bench cpu --compat=2 run", -EINVAL,
    "Invalid value for --compat: '2' (expected one of: 1.0, 1.1)" },
  { "bench cpu --forced-shutdown=1.5x run", -EINVAL,
    "Invalid value for --forced-shutdown: '1.5x' " FORCED_WHAT },
  { "bench cpu --forced-shutdown=1234567890 run", -EINVAL,
    "Invalid value for --forced-shutdown: '1234567890' " FORCED_WHAT },
  { "bench cpu --forced-shutdown=5%% run", -EINVAL,
    "Invalid value for --forced-shutdown: '5%%' " FORCED_WHAT },
  { "bench cpu --percentiles=50,0 run", -EINVAL,
    "Invalid value for --percentiles: '0' (expected a comma-separated list "
    "of numbers greater than 0 and at most 100)" },
  { "bench --test cpu run", -EINVAL,
    "Invalid value for --test: '' (expected the name or the path of a "
    "test)" },
  { "bench cpu --config-file=/nonexistent run", -EINVAL,
    "Invalid value for --config-file: '/nonexistent' (expected a readable "
    "file: No such file or directory)" },
  { "bench cpu --config-file run", -EINVAL,
    "Invalid value for --config-file: '' (expected a readable file: No such "
    "file or directory)" },
  { "bench cpu --histogram --percentile=0 run", -EINVAL,
    "--histogram cannot be used with --percentile=0" },
  { "bench cpu --time=x --threads=0 --histogram --percentile=0", -EINVAL,
    "Invalid value for --time: 'x' (expected 0, or a time from 0.001 "
    "to 4294967295 seconds, such as 10, 0.5, 30s, 5m or 1h)" },
  { "bench cpu --threads=0 --threads=4 run", -EINVAL,
    "Invalid value for --threads: '0' " THREADS_WHAT },
};

static void check_refused(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
    struct fixture f;
    char words[512];

    (void)fixture_init(&f);
    OK(fixture_scan(&f, refused[i].line, NULL, words) == refused[i].rc,
       refused[i].line);
    OK_STR(f.err.text, refused[i].text, "is refused");
    OK(cmdline_is_usage_error(refused[i].rc) == (refused[i].rc != -EINVAL),
       "with or without a prefix");
    fixture_done(&f);
  }
}

static const struct {
  const char *line;
  enum cmdline_action action;
  const char *test, *command;
} accepted[] = {
  { "bench cpu run", CMDLINE_TEST, "cpu", "run" },
  { "bench --threads=2 cpu --time=1 run --events=5", CMDLINE_TEST, "cpu",
    "run" },
  { "bench cpu", CMDLINE_TEST, "cpu", NULL },
  { "bench - prepare", CMDLINE_TEST, "-", "prepare" },
  { "bench -x run", CMDLINE_TEST, "-x", "run" },
  { "bench --unknown", CMDLINE_TEST, NULL, NULL },
  { "bench", CMDLINE_TEST, NULL, NULL },
  { "bench --", CMDLINE_TEST, NULL, NULL },
  { "bench run --test=cpu", CMDLINE_TEST, "cpu", "run" },
  { "bench --test=x --test=cpu run", CMDLINE_TEST, "cpu", "run" },
  { "bench compare a b c d", CMDLINE_TOOL, "compare", NULL },
  { "bench --test=compare a", CMDLINE_TEST, "compare", "a" },
  { "bench ./compare run", CMDLINE_TEST, "./compare", "run" },
  { "bench --version", CMDLINE_VERSION, NULL, NULL },
  { "bench --help --version", CMDLINE_HELP, NULL, NULL },
  { "bench cpu --threads=0 --help", CMDLINE_HELP, "cpu", NULL },
  { "bench a b c d --help", CMDLINE_HELP, "a", NULL },
  { "bench cpu --help=all", CMDLINE_HELP, NULL, NULL },
  { "sysbench cpu --help", CMDLINE_HELP, NULL, NULL },
  { "bench -h", CMDLINE_HELP, NULL, NULL },
  { "bench cpu -h run", CMDLINE_HELP, "cpu", NULL },
  { "bench help", CMDLINE_HELP, NULL, NULL },
  { "bench help cpu", CMDLINE_HELP, "cpu", NULL },
  { "bench help cpu --help", CMDLINE_HELP, "cpu", NULL },
  { "bench -V", CMDLINE_VERSION, NULL, NULL },
  { "bench list", CMDLINE_LIST, NULL, NULL },
  { "bench list --help", CMDLINE_HELP, NULL, NULL },
  { "bench list run", CMDLINE_TEST, "list", "run" },
  { "sysbench -h", CMDLINE_TEST, "-h", NULL },
  { "sysbench help cpu", CMDLINE_TEST, "help", "cpu" },
  { "sysbench list", CMDLINE_TEST, "list", NULL },
  { "bench --help --help=off cpu", CMDLINE_TEST, "cpu", NULL },
  { "bench --config-file=/nonexistent --version=yes", CMDLINE_VERSION, NULL,
    NULL },
};

static void check_accepted(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
    struct fixture f;
    char words[512];

    (void)fixture_init(&f);
    OK(fixture_scan(&f, accepted[i].line, NULL, words) == 0 &&
         f.cmd.action == accepted[i].action,
       accepted[i].line);
    OK_STR(f.cmd.test ? f.cmd.test : "-none-",
           accepted[i].test ? accepted[i].test : "-none-", "the test");
    OK_STR(f.cmd.command ? f.cmd.command : "-none-",
           accepted[i].command ? accepted[i].command : "-none-", "the command");
    OK(f.err.text[0] == '\0', "no error text");
    fixture_done(&f);
  }
}

static void check_usage(void)
{
  char name[] = "bench";
  char *argv[] = { name, NULL };
  struct cmdline_input in = {
    .argc = 1, .argv = argv, .stdin_is_terminal = true, .compat_env = "bad"
  };
  struct fixture f;

  (void)fixture_init(&f);
  OK(cmdline_scan(&f.cmd, &in, &f.set, &f.opts.cmdline, &f.err) == 0 &&
       f.cmd.action == CMDLINE_USAGE,
     "no argument, and a terminal: usage");
  fixture_done(&f);

  (void)fixture_init(&f);
  in.argc = 0;
  argv[0] = NULL;
  OK(cmdline_scan(&f.cmd, &in, &f.set, &f.opts.cmdline, &f.err) == 0,
     "no argv[0]");
  fixture_done(&f);
}

/* Command lines, and the warnings that they cause, `|` between them. */
static const struct {
  const char *line, *warnings;
} warned[] = {
  { "bench cpu run", "" },
  { "bench --tx-rate=0 --max-time=1 --max-requests=9 --num-threads=2 cpu run",
    "--num-threads is deprecated, use --threads instead|"
    "--max-requests is deprecated, use --events instead|"
    "--max-time is deprecated, use --time instead|"
    "--tx-rate is deprecated, use --rate instead" },
  { "sysbench --tx-rate=0 --max-time=0 --max-requests=0 --num-threads=1 cpu "
    "run",
    "Both event and time limits are disabled, running an endless test" },
  { "sysbench --tx-rate=1 --max-time=1 --max-requests=1 --num-threads=2 cpu "
    "run",
    "--num-threads is deprecated, use --threads instead|"
    "--max-requests is deprecated, use --events instead|"
    "--max-time is deprecated, use --time instead|"
    "--tx-rate is deprecated, use --rate instead" },
  { "bench --num-threads=0 --test=cpu --test=mutex run",
    "--test is deprecated, give the name or the path of the test without an "
    "option|--num-threads is deprecated, use --threads instead" },
  { "bench --num-threads=1 --test=cpu --help",
    "--test is deprecated, give the name or the path of the test without an "
    "option" },
  { "bench --num-threads=1 a b c", "" },
  { "bench cpu --time=0 run",
    "Both event and time limits are disabled, running an endless test" },
  { "bench cpu --time=0 --events=1 run", "" },
  { "bench cpu --time=0 --events=1 --forced-shutdown run",
    "--forced-shutdown has no effect without a time limit" },
  { "bench cpu --time=0 --events=1 --forced-shutdown=OFF run", "" },
};

static void check_warnings(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(warned); i++) {
    struct fixture f;
    char words[512], got[1024] = "";

    (void)fixture_init(&f);
    (void)fixture_scan(&f, warned[i].line, NULL, words);
    for (size_t k = 0; k < f.cmd.n_warnings; k++) {
      if (k > 0)
        strcat(got, "|");
      strcat(got, f.cmd.warnings[k]);
    }
    OK_STR(got, warned[i].warnings, warned[i].line);
    fixture_done(&f);
  }
}

static void check_values(void)
{
  uint64_t moments[RUN_CHECKPOINTS_MAX];
  double percentiles[REPORT_PERCENTILES_MAX];
  struct fixture f;
  char words[512];

  (void)fixture_init(&f);
  OK(fixture_scan(&f,
                  "/usr/bin/sysbench --events=5000000000 --time=7 --max-time=8 "
                  "--rand_seed=-3 --report-checkpoints=30,10,30,20 "
                  "--percentiles=99.9,50 --forced-shutdown=15% --debug cpu run",
                  "1.1", words) == 0,
     "many values");
  OK(f.opts.run.events == UINT64_C(5000000000) && f.opts.run.time_s == 8 &&
       f.opts.rand.seed == -3,
     "numbers");
  OK(run_checkpoints(&f.opts.run, moments) == 3 && moments[0] == 10 &&
       moments[2] == 30,
     "checkpoints are sorted, equal ones are one");
  OK(report_percentiles(&f.opts.report, percentiles) == 2 &&
       percentiles[0] == 99.9,
     "percentiles");
  OK(f.opts.run.forced_shutdown.kind == FORCED_PERCENT &&
       f.opts.run.forced_shutdown.percent == 15,
     "forced shutdown");
  OK(f.opts.cmdline.compat == COMPAT_1_1 && f.opts.rand.type == 0,
     "level of environment");
  OK(program_log_level(&f.opts) == 5, "--debug shows everything");
  OK(f.cmd.identity == IDENTITY_SYSBENCH, "called by the other name");
  OK_STR(identity_version(f.cmd.identity, COMPAT_1_1), "sysbench 1.1.0",
         "its version");
  OK_STR(identity_version(f.cmd.identity, COMPAT_1_0), "sysbench 1.0.20",
         "its older version");
  OK_STR(identity_version(IDENTITY_BENCH, COMPAT_1_1), "bench " PACKAGE_VERSION,
         "our own version");
  OK(opt_get_bool(optset_find(&f.set, "debug")) &&
       !opt_get_bool(optset_find(&f.set, "validate")) &&
       !opt_get_bool(optset_find(&f.set, "threads")),
     "switches by name");
  OK_STR(identity_name(IDENTITY_BENCH), "bench", "our own name");
  OK(identity_of("/x/sysbench2") == IDENTITY_BENCH &&
       identity_of("sysbench") == IDENTITY_SYSBENCH &&
       identity_of("sysbench/x") == IDENTITY_BENCH,
     "exactly this name");
  fixture_done(&f);
}

static void check_environment(void)
{
  struct fixture f;
  char words[512];

  (void)fixture_init(&f);
  OK(fixture_scan(&f, "bench cpu --threads=0 run", "1.2", words) == -EINVAL,
     "a bad level");
  OK_STR(f.err.text,
         "Invalid value for BENCH_COMPAT: '1.2' (expected one of: 1.0, 1.1)",
         "is reported first");
  fixture_done(&f);

  (void)fixture_init(&f);
  OK(fixture_scan(&f, "bench cpu --compat=1.0 run", "1.1", words) == 0 &&
       f.opts.cmdline.compat == COMPAT_1_0 && f.opts.rand.type == 2,
     "the option wins");
  fixture_done(&f);

  (void)fixture_init(&f);
  OK(fixture_scan(&f, "bench cpu run", "", words) == 0 &&
       f.opts.cmdline.compat == COMPAT_1_0,
     "empty is unset");
  fixture_done(&f);
}

static const struct {
  const char *text;
  int rc;
  struct forced_shutdown want;
} forced[] = {
  { "auto", 0, { FORCED_AUTO, 0, 0 } },
  { "oFF", 0, { FORCED_OFF, 0, 0 } },
  { "", 0, { FORCED_PERCENT, 0, 5 } },
  { "0", 0, { FORCED_SECONDS, 0, 0 } },
  { "999999999", 0, { FORCED_SECONDS, 999999999, 0 } },
  { "1.5", 0, { FORCED_SECONDS, 1.5, 0 } },
  { ".5h", 0, { FORCED_SECONDS, 1800, 0 } },
  { "250ms", 0, { FORCED_SECONDS, 0.25, 0 } },
  { "1.5%", -EINVAL, { FORCED_OFF, 42, 42 } },
  { "5x", -EINVAL, { FORCED_OFF, 42, 42 } },
  { "999999999%", 0, { FORCED_PERCENT, 0, 999999999 } },
  { "1000000000", -EINVAL, { FORCED_OFF, 42, 42 } },
  { "%", -EINVAL, { FORCED_OFF, 42, 42 } },
  { "-1", -EINVAL, { FORCED_OFF, 42, 42 } },
  { " 1", -EINVAL, { FORCED_OFF, 42, 42 } },
  { "5% ", -EINVAL, { FORCED_OFF, 42, 42 } },
  { "offf", -EINVAL, { FORCED_OFF, 42, 42 } },
};

static void check_forced(void)
{
  for (size_t i = 0; i < ARRAY_SIZE(forced); i++) {
    struct forced_shutdown got = { FORCED_OFF, 42, 42 };

    OK(forced_shutdown_parse(forced[i].text, &got) == forced[i].rc &&
         got.kind == forced[i].want.kind &&
         got.seconds == forced[i].want.seconds &&
         got.percent == forced[i].want.percent,
       forced[i].text);
  }
}

/* The lower limit is the system's. */
static void check_stack(void)
{
  char words[512], want[512];
  struct fixture f;

  (void)fixture_init(&f);
  OK(f.opts.run.thread_stack_size >= (uint64_t)PTHREAD_STACK_MIN,
     "the default stack is possible");
  OK(fixture_scan(&f, "bench cpu --thread-stack-size=1 run", NULL, words) ==
       -EINVAL,
     "a tiny stack is not");
  (void)snprintf(want, sizeof(want),
                 "Invalid value for --thread-stack-size: '1' (expected a size "
                 "from %ld to 1099511627776, such as 64K, 2M or 1G)",
                 (long)PTHREAD_STACK_MIN);
  OK_STR(f.err.text, want, "and the message names the limit");
  fixture_done(&f);
}

static void check_many_checkpoints(void)
{
  static char arg[2048] = "--report-checkpoints=1";
  char name[] = "bench";
  char *argv[] = { name, arg, NULL };
  uint64_t moments[RUN_CHECKPOINTS_MAX];
  struct fixture f;
  const struct cmdline_input in = { .argc = 2,
                                    .argv = argv,
                                    .check = program_options_check,
                                    .check_arg = &f.opts };

  for (int i = 0; i < 255; i++)
    strcat(arg, ",7");
  (void)fixture_init(&f);
  OK(cmdline_scan(&f.cmd, &in, &f.set, &f.opts.cmdline, &f.err) == 0 &&
       run_checkpoints(&f.opts.run, moments) == 2,
     "256 moments");
  fixture_done(&f);
  strcat(arg, ",8");
  (void)fixture_init(&f);
  OK(cmdline_scan(&f.cmd, &in, &f.set, &f.opts.cmdline, &f.err) == -EINVAL &&
       strstr(f.err.text, "(expected at most 256 moments)"),
     "257 are too many");
  fixture_done(&f);
}

int main(void)
{
  check_refused();
  check_accepted();
  check_usage();
  check_warnings();
  check_values();
  check_environment();
  check_forced();
  check_stack();
  check_many_checkpoints();
  return TAP_EXIT();
}
