#include "run/options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "opt/optset.h"

/* Where large registers or pages make PTHREAD_STACK_MIN larger than 64K. */
#define LARGER_STACK "512K"

static int64_t options_smallest_stack(void)
{
  return PTHREAD_STACK_MIN;
}

static int parse_clients(const char *text, void *ret, struct err *why)
{
  unsigned *clients = ret;
  int64_t n = 0;

  (void)why;
  if (strcmp(text, "off") != 0 &&
      (parse_int(text, &n) < 0 || n < 1 || n > RUN_CLIENTS_MAX))
    return -EINVAL;
  *clients = (unsigned)n;
  return 0;
}

OPT_PARSER(parse_forced_shutdown, forced_shutdown_parse)
OPT_PARSER(parse_settle, writeback_wish_parse)
OPT_PARSER(parse_idle_clients, idle_share_parse)
OPT_PARSER(parse_storm, storm_plan_parse)
OPT_PARSER(parse_think_time, think_parse)

static bool options_is_zero_or(const char *text, double min, double max)
{
  double s;

  return parse_seconds(text, &s) == 0 && (s == 0 || (s >= min && s <= max));
}

static bool options_is_interval(const char *text)
{
  return options_is_zero_or(text, 0.01, INFINITY);
}

static bool options_is_stall(const char *text)
{
  return options_is_zero_or(text, 0.001, 3600);
}

static bool options_is_duration(const char *text)
{
  return options_is_zero_or(text, 0.001, INFINITY);
}

/* Reports show whole seconds. */
static bool options_is_moment(const char *text)
{
  double s;

  return parse_seconds(text, &s) == 0 && s >= 1 && s <= UINT32_MAX &&
         s == floor(s);
}

#define DURATION                                                             \
  "0, or a time from 0.001 to 4294967295 seconds, such as 10, 0.5, 30s, 5m " \
  "or 1h"

static const char *const off_words[] = { "off", NULL };
static const char *const shutdown_words[] = { "auto", "off", NULL };
static const char *const order_words[] = { "latest", "arrival", NULL };
/* In the order of enum loop_engine. */
static const char *const engine_words[] = { "auto", "epoll", "io_uring", NULL };
static const char *const overload_words[] = { "queue", "abort", NULL };

const struct opt run_opts[] = {
  {
    OPT_INT(struct run_cfg, threads),
    .name = "threads",
    .group = "Load",
    .flags = OPT_COMMON,
    .def = "1",
    .min = 1,
    .max = 1000000,
    .help = "number of worker threads",
  },
  {
    OPT_PARSED(struct run_cfg, clients, parse_clients),
    .name = "clients",
    .flags = OPT_COMMON,
    .def = "off",
    .words = off_words,
    .expected = "off, or a number from 1 to 1000000",
    .show_as = "=off|COUNT",
    .help = "clients that share the threads; scripts see each as a thread",
    .man =
      "Each client has connections, globals and random numbers of its own, "
      "like a thread without this option; while one waits for a server, its "
      "thread runs others. So two threads can carry thousands of clients. "
      "Without them (\"off\") each thread is one. Only the run of a script has "
      "clients.",
  },
  {
    OPT_INT(struct run_cfg, events),
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
    OPT_TIME(struct run_cfg, time_s),
    .name = "time",
    .flags = OPT_EMPTY_DEF | OPT_COMMON,
    .def = "10",
    .fmax = UINT32_MAX,
    .check = options_is_duration,
    .expected = DURATION,
    .help = "stop after this many seconds; 0 = no limit",
    .more = "; or 500ms, 5m, 1h",
    .man = "A time is a number of seconds, which may have a fraction, or a "
           "number with one of the units ms, s, m and h. Events in progress "
           "are not interrupted: a run lasts until the "
           "last event that was started in time has ended. A run of at least "
           "eight seconds warns if its throughput is still changing at the "
           "end. The default of the tool machine is 120 seconds.",
  },
  {
    OPT_TIME(struct run_cfg, warmup_time_s),
    .name = "warmup-time",
    .flags = OPT_COMMON,
    .def = "0",
    .fmax = UINT32_MAX,
    .check = options_is_duration,
    .expected = DURATION,
    .help = "seconds of load before statistics start",
    .man = "The time limit, intervals and checkpoints count from the end of "
           "the warm-up, and the event limit counts only events started after "
           "it. An event that begins in the warm-up and ends after it is in "
           "the results, so that they may have one event per thread more than "
           "--events. With --find the default is a tenth of --time.",
  },
  {
    OPT_PARSED(struct run_cfg, settle, parse_settle),
    .name = "settle",
    .flags = OPT_OWN,
    .def = "",
    .expected = "a time from 0.001 to 86400 seconds such as 60s, writeback, or "
                "writeback:TIME",
    .show_as = "=TIME|writeback[:TIME]",
    .help =
      "before the run, wait this long, or until earlier writes are on the disk",
    .man = "With a time, the run begins that much later. \"writeback\" waits "
           "until little is left to be written to the disks: Dirty and "
           "Writeback of /proc/meminfo together are at most 64 MiB, and change "
           "by at most 8 MiB, in five readings a second apart. After TIME "
           "(5m if it is not given) the run begins anyway, with a warning. In "
           "a sweep every step waits, after its reset and prepare.",
  },
  {
    OPT_PARSED(struct run_cfg, forced_shutdown, parse_forced_shutdown),
    .name = "forced-shutdown",
    .flags = OPT_EXPERT,
    .def = "auto",
    .words = shutdown_words,
    .expected = "off, a time such as 30 or 5m, or a percentage of --time",
    .show_as = "=auto|off|TIME|P%",
    .help =
      "grace period after --time before a run that hangs is ended by force",
    .man = "The value is a time like that of --time, or a percentage of it "
           "such as 10%; the name alone means 5%. \"auto\" is the larger of 30 "
           "seconds and 5% "
           "of --time, and leaves the final fsyncs of fileio the time that "
           "they need. Without --time, \"auto\" is a limit only after an "
           "error or a signal: events that began within the default time have "
           "the time that they need, also with a server that has frozen: use "
           "--db-query-timeout there. \"off\" waits forever.",
  },
  {
    OPT_SIZE(struct run_cfg, thread_stack_size),
    .name = "thread-stack-size",
    .flags = OPT_EXPERT,
    .def = "64K",
    .min_now = options_smallest_stack,
    .max = INT64_C(1) << 40,
    .help = "stack of each thread",
    .man = "The smallest size is that of the system, usually 16K, the largest "
           "is 1T. The stack of a thread has at least 64K, whatever the value "
           "is. The stack of each client (--clients) has this size, too, and "
           "at least 256K.",
  },
  {
    OPT_TIME(struct run_cfg, thread_init_timeout_s),
    .name = "thread-init-timeout",
    .flags = OPT_EXPERT,
    .def = "30",
    .fmax = UINT32_MAX,
    .check = options_is_duration,
    .expected = DURATION,
    .help = "seconds allowed for starting the threads; 0 = no limit",
    .man = "With --clients, at least one more client must get ready within "
           "this time.",
  },
  {
    OPT_DOUBLE(struct run_cfg, rate),
    .name = "rate",
    .flags = OPT_COMMON,
    .def = "0",
    .fmax = UINT32_MAX,
    .show_as = "=RATE",
    .help = "average number of events started per second; 0 = as fast as "
            "possible",
    .man = "Events become due at random moments, whether a worker is free or "
           "not, and latency counts from the moment at which an event was due.",
  },
  {
    OPT_STRING(struct run_cfg, load_profile),
    .name = "load-profile",
    .flags = OPT_OWN | OPT_PATH,
    .def = "",
    .show_as = "=PROFILE",
    .help =
      "a rate that changes, such as 100x60s,ramp:100..2000x5m, or FILE.csv",
    .man = "Like --rate, with a rate that follows a profile. Segments follow "
           "each other: 100x60s is a rate and how long it lasts, "
           "ramp:100..2000x5m goes from one rate to another, "
           "spike:100..5000x5s/60s is 5 seconds of 5000 and then 100 until 60 "
           "seconds are over (without \"100..\" it goes back to the rate "
           "before it), and sine:1000+-50%/20m is one wave. *N behind a "
           "segment repeats it. A profile begins with the measured part, "
           "after a warm-up with its first rate, and starts again when it "
           "has ended; a rate without a time, as the last segment, has no "
           "end. A run without --time ends with its profile. A name that "
           "ends with .csv is a file with lines SECONDS,RATE, and the rate "
           "goes straight from one to the next.",
  },
  {
    OPT_WORD(struct run_cfg, rate_overload),
    .name = "rate-overload",
    .flags = OPT_OWN,
    .def = "queue",
    .words = overload_words,
    .help = "what to do when workers cannot keep up with --rate or "
            "--load-profile {queue,abort}",
    .man = "\"queue\" lets the backlog grow and measures it, \"abort\" ends "
           "the run when 131072 arrivals wait.",
  },
  {
    OPT_PARSED(struct run_cfg, think_time, parse_think_time),
    .name = "think-time",
    .flags = OPT_OWN,
    .def = "0",
    .expected = "a time up to 24h such as 50ms or 2s, or a distribution "
                "such as exp:100ms or uniform:50ms:2s",
    .show_as = "=TIME|DIST:TIME",
    .help = "pause of each worker between two events, such as 50ms, exp:100ms "
            "or uniform:50ms:2s",
    .man = "\"exp:\" draws exponentially distributed pauses with this mean, "
           "\"uniform:\" any pause from the first time to the second. Pauses "
           "are not part of any latency, and their random numbers are not "
           "those of the workload. --rate sets the moments of events by "
           "itself, so they exclude each other.",
  },
  {
    OPT_WORD(struct run_cfg, client_order),
    .name = "client-order",
    .group = "Connections",
    .flags = OPT_OWN | OPT_HIDDEN,
    .words = order_words,
    .help = "has no effect",
  },
  {
    OPT_WORD(struct run_cfg, client_engine),
    .name = "client-engine",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "auto",
    .words = engine_words,
    .help = "how the threads of clients wait for servers {auto,epoll,io_uring}",
    .man = "With \"auto\" it is io_uring, or epoll where the system does not "
           "allow io_uring; if there are no more --clients than --threads, "
           "each has a thread of its own, which waits as it does without "
           "clients. The others are used for any number of clients, and the "
           "run fails if the system does not have them.",
  },
  {
    OPT_PARSED(struct run_cfg, idle_clients, parse_idle_clients),
    .name = "idle-clients",
    .flags = OPT_OWN,
    .def = "off",
    .words = off_words,
    .expected = "off, a number of clients such as 900, or a part of all "
                "above 0% and below 100% such as 90%",
    .show_as = "=off|COUNT|P%",
    .help = "clients that connect and then stay idle: N or P%",
    .man = "Idle clients are part of --clients (or --threads). They run "
           "thread_init() and thread_done() and begin no events; the server "
           "keeps their connections. The other clients do all events and are "
           "spread evenly over the threads. Means per thread in the report "
           "count only them.",
  },
  {
    OPT_TIME(struct run_cfg, idle_ping_s),
    .name = "idle-ping",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "30",
    .fmax = 86400,
    .help = "seconds between two pings of an idle client; 0 = never",
    .man = "A ping is SELECT 1 on each of its connections to a server, outside "
           "of transactions. It is excluded from latencies and counts. A ping "
           "that fails is treated like a statement that fails.",
  },
  {
    OPT_PARSED(struct run_cfg, storm, parse_storm),
    .name = "storm",
    .flags = OPT_OWN,
    .def = "off",
    .words = off_words,
    .expected = "off, or up to 32 storms of clients such as 500@10s or "
                "500@10s,800@20s, at most 100000 clients",
    .show_as = "=off|COUNT@TIME,...",
    .help =
      "extra clients that all connect at TIME, run one event and disconnect",
    .man = "Times count from the start of the measured part. The clients come "
           "in addition to --clients (or --threads), and scripts do not see "
           "them. The report has, for each storm, how many were served, how "
           "long they took to connect and to their first result, "
           "and why connections failed. Failed connections do not end the "
           "run.",
  },
  {
    OPT_TIME(struct run_cfg, stall_s),
    .name = "stall",
    .flags = OPT_OWN | OPT_EXPERT,
    .def = "100ms",
    .fmax = 3600,
    .check = options_is_stall,
    .expected = "0, or a time from 1ms to 1h such as 100ms or 2s",
    .help = "report an outage when no event succeeds for this long; 0 = off",
    .man = "An outage counts only while a client waits for an answer. A stall "
           "without errors must also last ten times the mean gap between "
           "events, so that slow events are not mistaken for stalls.",
  },
  {
    OPT_STRING(struct run_cfg, mark),
    .name = "mark",
    .group = "Report",
    .flags = OPT_NOT_EMPTY | OPT_OWN | OPT_PATH,
    .bare = "auto",
    .expected = "the name of a fifo",
    .show_as = "[=FIFO]",
    .help = "accept marks: \"bench mark TEXT\" puts TEXT on the time axis",
    .man =
      "Each line written to the fifo becomes a mark with its time, in the "
      "text, all result files, live metrics and charts. \"bench mark TEXT\" "
      "writes one, and so can any shell; with several runs, put the process "
      "before the text. Without a name the fifo is bench-PROCESS.mark in "
      "$XDG_RUNTIME_DIR, $TMPDIR or /tmp. A fifo that does not exist is "
      "made for this user alone, and removed at the end. The first 1000 "
      "marks are kept, each with at most 255 bytes.",
  },
  {
    OPT_TIME(struct run_cfg, report_interval_s),
    .name = "report-interval",
    .flags = OPT_COMMON,
    .def = "0",
    .fmax = UINT32_MAX,
    .check = options_is_interval,
    .expected = "0, or a time from 0.01 to 4294967295 seconds, such as 10, "
                "0.5, 500ms or 1m",
    .help = "seconds between interval lines; 0 = none",
  },
  {
    OPT_LIST(struct run_cfg, report_checkpoints),
    .name = "report-checkpoints",
    .def = "",
    .check = options_is_moment,
    .expected = "a comma-separated list of times from 1 to 4294967295 whole "
                "seconds, such as 60, 5m or 1h",
    .show_as = "=TIME,...",
    .help = "moments (seconds after the start) of full reports with reset of "
            "the counters",
    .man = "The report of a moment at or after the time limit is the final "
           "one.",
  },
  {
    OPT_BOOL(struct run_cfg, until_decided),
    .name = "slo-until-decided",
    .flags = OPT_OWN | OPT_HIDDEN,
    .def = "off",
    .help = "end the run as soon as the objective is decided",
  },
  {
    OPT_BOOL(struct run_cfg, debug),
    .name = "debug",
    .group = "General",
    .def = "off",
    .help = "debug output; sets verbosity 5",
    .man = "The report has the figures of each thread, and fileio logs each "
           "request.",
  },
  {
    OPT_BOOL(struct run_cfg, validate),
    .name = "validate",
    .def = "off",
    .help = "fileio: checksum each block, and verify it when it is read",
  },
  {
    OPT_BOOL(struct run_cfg, force),
    .name = "force",
    .group = "Tables",
    .flags = OPT_OWN | OPT_COMMON,
    .def = "off",
    .help = "let prepare and cleanup ignore low space and who made a "
            "table",
    .man =
      "cleanup and --table-exists=drop drop a table only if bench has made "
      "it: bench_tables names the table, and its columns are those of the "
      "workload. For tables sbtestN, which sysbench makes too, the columns "
      "are enough. With --force the name is enough. "
      "Files of fileio are changed and removed only if they look like its work "
      "and "
      "have one name. Before it writes, prepare "
      "compares the size of the files or tables "
      "with the free space of the file system. If that is kept in memory, "
      "the free memory of the machine and of its control group counts, "
      "too. A database is only checked if it is on this machine.",
  },
  OPT_END,
};

const struct opt run_old_opts[] = {
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
  OPT_END,
};

int run_options_settle(struct optset *set, const struct run_cfg *cfg,
                       struct err *err)
{
  if (cfg->thread_stack_size < (uint64_t)options_smallest_stack())
    return optset_set_default(set, "thread-stack-size", LARGER_STACK, err);
  return 0;
}
