/*
 * core_opts.c - the rows of the options of the program itself.
 */
#include "opt/core_opts.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "opt/optset.h"

/* The default where the system does not allow 64K, as some with large
 * registers or large pages do not. */
#define LARGER_STACK "512K"

static int64_t smallest_stack(void)
{
  return PTHREAD_STACK_MIN;
}

static bool is_forced_shutdown(const char *text)
{
  struct forced_shutdown ignored;

  return forced_shutdown_parse(text, &ignored) == 0;
}

static bool is_interval(const char *text)
{
  double s;

  return parse_seconds(text, &s) == 0 && (s == 0 || s >= 0.01);
}

static bool is_duration(const char *text)
{
  double s;

  return parse_seconds(text, &s) == 0 && (s == 0 || s >= 0.001);
}

/* A moment of a checkpoint, whose report names it in whole seconds. */
static bool is_moment(const char *text)
{
  double s;

  return parse_seconds(text, &s) == 0 && s >= 1 && s <= UINT32_MAX &&
         s == floor(s);
}

static const char *advise_percentile(const char *text)
{
  return strchr(text, ',') ? "for several, use --percentiles" : NULL;
}

static bool is_percentile(const char *text)
{
  double p;

  return parse_double(text, &p) == 0 && p > 0 && p <= 100;
}

#define DURATION                                                             \
  "0, or a time from 0.001 to 4294967295 seconds, such as 10, 0.5, 30s, 5m " \
  "or 1h"

static const char *const shutdown_words[] = { "auto", "off", NULL };
static const char *const overload_words[] = { "queue", "abort", NULL };
static const char *const cluster_words[] = { "auto", "off", NULL };
static const char *const classes_words[] = { "merged", "table", NULL };
static const char *const compat_words[] = { "1.0", "1.1", NULL };

const struct opt core_general_opts[] = {
  {
    OPT_INT(struct core_cfg, threads),
    .name = "threads",
    .flags = OPT_COMMON,
    .def = "1",
    .min = 1,
    .max = 1000000,
    .help = "number of worker threads",
  },
  {
    OPT_INT(struct core_cfg, events),
    .name = "events",
    .flags = OPT_COUNT | OPT_EMPTY_DEF | OPT_COMMON,
    .def = "0",
    .max = INT64_MAX,
    .help = "stop after this many events in total; 0 = no limit",
    .more = "; 1K = 1024",
    .man =
      "The limit counts the events of all threads together, and exactly "
      "this many are executed; after a warm-up, up to one extra event per "
      "thread may be counted (see --warmup-time). The suffixes K, M, G and T "
      "are those of sizes: 1M is 1048576. An event that is restarted after an "
      "ignored error counts once. The time limit stays in force. The "
      "tests memory and mutex have limits of their own.",
  },
  {
    OPT_TIME(struct core_cfg, time_s),
    .name = "time",
    .flags = OPT_EMPTY_DEF | OPT_COMMON,
    .def = "10",
    .fmax = UINT32_MAX,
    .check = is_duration,
    .expected = DURATION,
    .help = "stop after this many seconds; 0 = no limit",
    .more = "; or 500ms, 5m, 1h",
    .man = "A time is a number of seconds, which may have a fraction, or a "
           "number with one of the units ms, s, m and h. Events in progress "
           "are not interrupted: a run lasts until the "
           "last event that was started in time has ended. A run of at least "
           "eight seconds warns if its throughput is still changing at the "
           "end.",
  },
  {
    OPT_TIME(struct core_cfg, warmup_time_s),
    .name = "warmup-time",
    .def = "0",
    .fmax = UINT32_MAX,
    .check = is_duration,
    .expected = DURATION,
    .help = "seconds of load before statistics start",
    .man = "The time limit, intervals and checkpoints count from the end of "
           "the warm-up, and the event limit counts only events started after "
           "it. An event that begins in the warm-up and ends after it is in "
           "the results, so that they may have one event per thread more than "
           "--events.",
  },
  {
    OPT_STRING(struct core_cfg, forced_shutdown),
    .name = "forced-shutdown",
    .def = "auto",
    .check = is_forced_shutdown,
    .words = shutdown_words,
    .expected = "off, a time such as 30 or 5m, or a percentage of --time",
    .help = "how long after the time limit to end the run by force",
    .man = "The value is a time like that of --time, or a percentage of it "
           "such as 10%; the name alone means 5%. \"auto\" is the larger of 30 "
           "seconds and 5% "
           "of --time, and leaves the final fsyncs of fileio the time that "
           "they need; \"off\" waits forever.",
  },
  {
    OPT_SIZE(struct core_cfg, thread_stack_size),
    .name = "thread-stack-size",
    .def = "64K",
    .min_now = smallest_stack,
    .max = INT64_C(1) << 40,
    .help = "stack of each thread",
    .man = "The smallest size is that of the system, usually 16K, the largest "
           "is 1T.",
  },
  {
    OPT_TIME(struct core_cfg, thread_init_timeout_s),
    .name = "thread-init-timeout",
    .def = "30",
    .fmax = UINT32_MAX,
    .check = is_duration,
    .expected = DURATION,
    .help = "seconds allowed for starting the threads; 0 = no limit",
  },
  {
    OPT_DOUBLE(struct core_cfg, rate),
    .name = "rate",
    .flags = OPT_COMMON,
    .def = "0",
    .fmax = 1e9, /* gaps of a nanosecond, the unit of all times */
    .help = "average number of events started per second; 0 = as fast as "
            "possible",
    .man = "Events become due at random moments, whether a worker is free or "
           "not, and latency counts from the moment at which an event was due.",
  },
  {
    OPT_WORD(struct core_cfg, rate_overload),
    .name = "rate-overload",
    .flags = OPT_OWN,
    .def = "queue",
    .words = overload_words,
    .help = "what to do when workers cannot keep up with --rate {queue,abort}",
    .man = "\"queue\" lets the backlog grow and measures it, \"abort\" ends "
           "the run when 131072 arrivals wait.",
  },
  {
    OPT_TIME(struct core_cfg, report_interval_s),
    .name = "report-interval",
    .flags = OPT_COMMON,
    .def = "0",
    .fmax = UINT32_MAX,
    .check = is_interval,
    .expected = "0, or a time from 0.01 to 4294967295 seconds, such as 10, "
                "0.5, 500ms or 1m",
    .help = "seconds between interval lines; 0 = none",
  },
  {
    OPT_LIST(struct core_cfg, report_checkpoints),
    .name = "report-checkpoints",
    .def = "",
    .check = is_moment,
    .expected = "a comma-separated list of times from 1 to 4294967295 whole "
                "seconds, such as 60, 5m or 1h",
    .help = "moments (seconds after the start) of full reports with reset of "
            "the counters",
    .man = "The report of a moment at or after the time limit is the final "
           "one.",
  },
  {
    OPT_BOOL(struct core_cfg, debug),
    .name = "debug",
    .def = "off",
    .help = "debug output; sets verbosity 5",
    .man = "The report has the figures of each thread, and fileio logs each "
           "request.",
  },
  {
    OPT_BOOL(struct core_cfg, validate),
    .name = "validate",
    .def = "off",
    .help = "check data where the test can",
  },
  {
    OPT_BOOL(struct core_cfg, force),
    .name = "force",
    .flags = OPT_OWN,
    .def = "off",
    .help = "prepare although there is not enough free space",
    .man = "Before it writes, prepare compares the size of the files or tables "
           "with the free space of the file system. If that is kept in memory, "
           "the free memory of the machine and of its control group counts, "
           "too. A database is only checked if it is on this machine.",
  },
  {
    OPT_BOOL(struct core_cfg, help),
    .name = "help",
    .def = "off",
    .expected = "on, off or all",
    .help = "print the help and exit",
    .more = "; --help=all: every option",
    .man = "The help fits on one screen; --help=all prints all options. After "
           "the name of a test, only its options are printed.",
  },
  {
    OPT_BOOL(struct core_cfg, version),
    .name = "version",
    .def = "off",
    .help = "print the version and exit",
    .man = "The version is one line. With --debug, or --verbosity=5, a list of "
           "what is built in follows: "
           "Lua, database drivers, I/O modes of the fileio test, the plug-in "
           "for several machines.",
  },
  {
    OPT_FILE(struct core_cfg, config_file),
    .name = "config-file",
    .flags = OPT_COMMON,
    .help = "read options from a file",
    .man = "Each line is NAME = VALUE, or the name of a switch. A value that "
           "has blanks or commas, or begins with #, is put in quotes; # at "
           "the beginning of a line or after a blank begins a comment (see "
           "FILES). Options of other tests are skipped. Options before this "
           "one are overridden by the file, "
           "options after it override the file.",
  },
  {
    OPT_STRING(struct core_cfg, luajit_cmd),
    .name = "luajit-cmd",
    .help = "LuaJIT engine control command, as for luajit -j",
    .man = "The option is for Lua scripts only. Other tests have no LuaJIT and "
           "ignore it with a warning.",
  },
  {
    .type = OPT_TYPE_INT,
    .name = "tx-rate",
    .alias_of = "rate",
    .flags = OPT_DEPRECATED,
    .help = "deprecated alias of --rate",
  },
  {
    .type = OPT_TYPE_INT,
    .name = "max-requests",
    .alias_of = "events",
    .flags = OPT_DEPRECATED,
    .help = "deprecated alias of --events",
  },
  {
    .type = OPT_TYPE_INT,
    .name = "max-time",
    .alias_of = "time",
    .flags = OPT_DEPRECATED,
    .help = "deprecated alias of --time",
  },
  {
    .type = OPT_TYPE_INT,
    .name = "num-threads",
    .alias_of = "threads",
    .flags = OPT_DEPRECATED,
    .help = "deprecated alias of --threads",
  },
  {
    OPT_WORD(struct core_cfg, compat),
    .name = "compat",
    .flags = OPT_OWN,
    .def = "1.0",
    .words = compat_words,
    .help = "report layout and default random distribution {1.0,1.1}",
    .man = "The option selects the layout and wording of the reports and the "
           "default of --rand-type, nothing else. The environment variable "
           "BENCH_COMPAT "
           "sets the same value; the option wins over it.",
  },
  {
    OPT_STRING(struct core_cfg, test),
    .name = "test",
    .flags = OPT_HIDDEN | OPT_NOT_EMPTY,
    .expected = "the name or the path of a test",
    .help = "deprecated form of the test name",
  },
  {
    OPT_LIST(struct core_cfg, percentiles),
    .name = "percentiles",
    .flags = OPT_NO_GAPS | OPT_OWN | OPT_COMMON,
    .def = "",
    .check = is_percentile,
    .expected = "a comma-separated list of numbers greater than 0 and at most "
                "100",
    .help = "latency percentiles shown at the very end of the report",
  },
  {
    OPT_BOOL(struct core_cfg, report_statements),
    .name = "report-statements",
    .flags = OPT_OWN,
    .def = "off",
    .help = "print a table of SQL statements at the end of the report",
  },
  {
    OPT_WORD(struct core_cfg, statement_classes),
    .name = "statement-classes",
    .flags = OPT_OWN,
    .def = "merged",
    .words = classes_words,
    .help = "statements that differ in the number of a table only are one "
            "class, or one per table {merged,table}",
    .man = "With \"merged\", the digits at the end of a table's name are one "
           "\"#\" in reports and files of results: SELECT c FROM sbtest# "
           "WHERE id=?. Names of tables are those after FROM, JOIN, INTO, "
           "UPDATE and TABLE.",
  },
  {
    OPT_WORD(struct core_cfg, cluster),
    .name = "cluster",
    .flags = OPT_OWN,
    .def = "auto",
    .words = cluster_words,
    .help = "one run of all processes that mpirun has launched {auto,off}",
    .man =
      "If mpirun (Open MPI or MPICH) launches bench, all processes do one run: "
      "--threads is the number of threads of each process, --rate and "
      "--events are divided among them, and process 0 prints one report. "
      "With \"off\" each process does a separate run.",
  },
  {
    OPT_BOOL(struct core_cfg, report_ranks),
    .name = "report-ranks",
    .flags = OPT_OWN,
    .def = "off",
    .help = "print a table of the processes of a run at the end of the report",
    .man = "The option has no effect on a run of one process.",
  },
  OPT_END,
};

const struct opt core_log_level_opts[] = {
  {
    OPT_INT(struct core_cfg, verbosity),
    .name = "verbosity",
    .def = "3",
    .max = 5,
    .help = "highest message level shown {5 - debug, 0 - only fatal errors}",
  },
  OPT_END,
};

const struct opt core_log_opts[] = {
  {
    OPT_DOUBLE(struct core_cfg, percentile),
    .name = "percentile",
    .def = "95",
    .fmax = 100,
    .advise = advise_percentile,
    .help = "latency percentile shown in reports; 0 = none",
  },
  {
    OPT_BOOL(struct core_cfg, histogram),
    .name = "histogram",
    .def = "off",
    .help = "print the latency histogram at the end",
  },
  OPT_END,
};

static const char *const rand_words[] = { "uniform", "gaussian", "special",
                                          "pareto",  "zipfian",  NULL };

const struct opt core_rand_opts[] = {
  {
    OPT_WORD(struct rand_opts_cfg, type),
    .name = "rand-type",
    .def = "special",
    .def_1_1 = "uniform",
    .words = rand_words,
    .help = "default distribution {uniform,gaussian,special,pareto,zipfian}",
  },
  {
    OPT_INT(struct rand_opts_cfg, spec_iter),
    .name = "rand-spec-iter",
    .def = "12",
    .min = 1,
    .max = 1000000,
    .help = "how many uniform numbers are averaged for gaussian and special",
  },
  {
    OPT_INT(struct rand_opts_cfg, spec_pct),
    .name = "rand-spec-pct",
    .def = "1",
    .max = 100,
    .help = "special: width of the centre part, percent of the range",
  },
  {
    OPT_INT(struct rand_opts_cfg, spec_res),
    .name = "rand-spec-res",
    .def = "75",
    .max = 100,
    .help = "special: percent of the numbers that fall into the centre part",
  },
  {
    OPT_INT(struct rand_opts_cfg, seed),
    .name = "rand-seed",
    .def = "0",
    .min = INT64_MIN,
    .max = INT64_MAX,
    .help = "seed; 0 = from the clock with run, always the same otherwise",
  },
  {
    OPT_DOUBLE(struct rand_opts_cfg, pareto_h),
    .name = "rand-pareto-h",
    .def = "0.2",
    .flags = OPT_OPEN_MIN | OPT_OPEN_MAX,
    .fmax = 1,
    .help = "pareto: shape h",
  },
  {
    OPT_DOUBLE(struct rand_opts_cfg, zipfian_exp),
    .name = "rand-zipfian-exp",
    .def = "0.8",
    .fmax = INFINITY,
    .help = "zipfian: exponent",
  },
  OPT_END,
};

int core_opts_add(struct optset *set, struct core_cfg *core,
                  struct rand_opts_cfg *rand, struct db_cfg *db,
                  struct err *err)
{
  const struct {
    enum opt_section section;
    const struct opt *rows;
    void *cfg;
  } groups[] = {
    { OPT_SECTION_GENERAL, core_general_opts, core },
    { OPT_SECTION_RANDOM, core_rand_opts, rand },
    { OPT_SECTION_LOG_LEVEL, core_log_level_opts, core },
    { OPT_SECTION_LOG, core_log_opts, core },
    { OPT_SECTION_DATABASE, core_db_opts, db },
  };

  for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
    const int rc = optset_add(set, groups[i].section, NULL, groups[i].rows,
                              groups[i].cfg, err);

    if (rc < 0)
      return rc;
  }
  if (core->thread_stack_size < (uint64_t)smallest_stack())
    return optset_set_default(set, "thread-stack-size", LARGER_STACK, err);
  return 0;
}
