/*
 * test_text_reporter.c - the order of the calls, and where the output goes.
 *
 * Standard output and standard error go to one file, so that their order can be
 * seen.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/leave.h"
#include "base/log.h"
#include "db/figures/sql_form.h"
#include "report/reporter.h"
#include "report/text_reporter.h"
#include "stats/report.h"
#include "tests/fileio/form.h"
#include "tests/tests.h"
#include "tests/unit/tap.h"

/* A file that replaces both streams. */
struct capture {
  FILE *file;
  int stderr_fd; /* the real one */
  char text[8192];
};

static void capture_begin(struct capture *c)
{
  c->file = tmpfile();
  if (!c->file) {
    printf("Bail out! no temporary file\n");
    exit(1);
  }
  (void)setvbuf(c->file, NULL, _IONBF, 0);
  log_set_text(c->file);
  c->stderr_fd = dup(STDERR_FILENO);
  (void)dup2(fileno(c->file), STDERR_FILENO);
}

static const char *capture_end(struct capture *c)
{
  size_t len;

  log_flush();
  (void)dup2(c->stderr_fd, STDERR_FILENO);
  (void)close(c->stderr_fd);
  log_set_text(NULL);
  rewind(c->file);
  len = fread(c->text, 1, sizeof(c->text) - 1, c->file);
  c->text[len] = '\0';
  (void)fclose(c->file);
  return c->text;
}

#define CPU      \
  "CPU speed:\n" \
  "    events per second:     1.00\n"

#define LATENCY                                             \
  "\n"                                                      \
  "General statistics:\n"                                   \
  "    total time:                          2.0000s\n"      \
  "    total number of events:              2\n"            \
  "\n"                                                      \
  "Latency (ms):\n"                                         \
  "         min:                                    1.00\n" \
  "         avg:                                    1.00\n" \
  "         max:                                    1.00\n" \
  "         95th percentile:                        1.00\n" \
  "         sum:                                    2.00\n"

#define FAIRNESS                                     \
  "\n"                                               \
  "Threads fairness:\n"                              \
  "    events (avg/stddev):           2.0000/0.00\n" \
  "    execution time (avg/stddev):   0.0020/0.00\n" \
  "\n"

/* The usual percentiles; with --percentiles the list is elsewhere. */
#define USUAL "         p50 1.00\n"
#define COMMON LATENCY USUAL FAIRNESS
#define LISTED LATENCY FAIRNESS

#define SQL                                                           \
  "SQL statistics:\n"                                                 \
  "    queries performed:\n"                                          \
  "        read:                            0\n"                      \
  "        write:                           0\n"                      \
  "        other:                           0\n"                      \
  "        total:                           0\n"                      \
  "    transactions:                        2      (1.00 per sec.)\n" \
  "    queries:                             0      (0.00 per sec.)\n" \
  "    ignored errors:                      0      (0.00 per sec.)\n" \
  "    reconnects:                          0      (0.00 per sec.)\n"

#define TIMES                                                \
  "DEBUG: \n"                                                \
  "DEBUG: Query execution statistics:\n"                     \
  "DEBUG:     min:                                0.0000s\n" \
  "DEBUG:     avg:                                0.0000s\n" \
  "DEBUG:     max:                                0.0000s\n" \
  "DEBUG:   total:                                0.0000s\n" \
  "DEBUG: Results fetching statistics:\n"                    \
  "DEBUG:     min:                                0.0000s\n" \
  "DEBUG:     avg:                                0.0000s\n" \
  "DEBUG:     max:                                0.0000s\n" \
  "DEBUG:   total:                                0.0000s\n"

#define THREADS                                                            \
  "DEBUG: Verbose per-thread statistics:\n"                                \
  "\n"                                                                     \
  "DEBUG:     thread #  0: min: 0.0010s  avg: 0.0010s  max: 0.0010s  "     \
  "events: 2\n"                                                            \
  "DEBUG:                  total time taken by event execution: 0.0020s\n" \
  "\n"

/* 1 ms is nearest to value 384 of the grid, 0.001 * 1e8^(384/1023). */
#define HISTOGRAM                                                  \
  "Latency histogram (values are in milliseconds)\n"               \
  "       value  ------------- distribution ------------- count\n" \
  "       1.007 |**************************************** 2\n"     \
  " \n"

#define DISTRIBUTION             \
  "\n"                           \
  "Latency distribution (ms):\n" \
  "         p50                               1.00\n"

enum {
  HISTOGRAMS = 1,
  LIST = 2,
  PER_THREAD = 4,
  TIMED = 8,
  FILEIO_1_1 = 16,
};

static const struct {
  const char *what;
  enum report_kind kind;
  const struct report_form *form;
  enum log_level level;
  unsigned with;
  const char *want;
} output[] = {
  { "interval", REPORT_INTERVAL, &tests_cpu_form, LOG_NOTICE,
    HISTOGRAMS | LIST | PER_THREAD,
    "[ 2s ] thds: 1 eps: 1.00 lat (ms,95%): 1.00\n" },
  { "checkpoint: no histogram, no list", REPORT_CHECKPOINT, &tests_cpu_form,
    LOG_NOTICE, HISTOGRAMS | LIST, "[ 2s ] Checkpoint report:\n" CPU LISTED },
  { "final", REPORT_FINAL, &tests_cpu_form, LOG_NOTICE, 0, CPU COMMON },
  { "histogram first, list last", REPORT_FINAL, &tests_cpu_form, LOG_NOTICE,
    HISTOGRAMS | LIST, HISTOGRAM CPU LISTED DISTRIBUTION },
  { "no histogram at a forced shutdown", REPORT_FORCED, &tests_cpu_form,
    LOG_NOTICE, HISTOGRAMS | LIST, CPU LISTED DISTRIBUTION },
  { "threads", REPORT_FINAL, &tests_cpu_form, LOG_DEBUG, PER_THREAD | LIST,
    CPU LISTED THREADS DISTRIBUTION },
  { "times between results and the rest", REPORT_FINAL, &sql_form, LOG_DEBUG,
    TIMED, SQL TIMES COMMON },
  { "no times below the level of debug messages", REPORT_FINAL, &sql_form,
    LOG_NOTICE, TIMED, SQL COMMON },
  { "no times but for SQL", REPORT_FINAL, &tests_cpu_form, LOG_DEBUG, TIMED,
    CPU COMMON },
  { "nothing but warnings", REPORT_FINAL, &tests_cpu_form, LOG_WARNING,
    HISTOGRAMS | LIST, "" },
  { "no threads with fileio, 1.1", REPORT_FINAL, &fileio_form, LOG_DEBUG,
    PER_THREAD | FILEIO_1_1,
    "\n"
    "Throughput:\n"
    "         read:  IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n"
    "         write: IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n"
    "         fsync: IOPS=0.00\n"
    "\n"
    "Latency (ms):\n"
    "         min:                                  1.00\n"
    "         avg:                                  1.00\n"
    "         max:                                  1.00\n"
    "         95th percentile:                      1.00\n"
    "         sum:                                  2.00\n" USUAL "\n" },
};

static const struct report_thread one_thread = {
  .events = 2, .sum_ns = 2000000, .min_ns = 1000000, .max_ns = 1000000
};

static struct report a_report(enum report_kind kind,
                              const struct report_form *form,
                              const struct hist_sum *hist)
{
  return (struct report){
    .kind = kind,
    .form = form,
    .elapsed_ns = UINT64_C(2000000000),
    .period_ns = UINT64_C(2000000000),
    .threads = 1,
    .threads_running = 1,
    .events = 2,
    .sum_ns = 2000000,
    .min_ns = 1000000,
    .max_ns = 1000000,
    .percentile_ns = 1000000,
    .hist = hist,
    .events_mean = 2,
    .time_mean_s = 0.002,
    .thread = &one_thread,
  };
}

static void test_output(const struct hist_sum *hist)
{
  static const double median = 50;

  for (size_t i = 0; i < ARRAY_SIZE(output); i++) {
    const unsigned with = output[i].with;
    const struct report_setup setup = {
      .percentile = 95,
      .layout_1_1 = with & FILEIO_1_1,
      .histogram = with & HISTOGRAMS,
      .per_thread = with & PER_THREAD,
      .statement_times = with & TIMED,
      .n_percentiles = with & LIST ? 1 : 0,
      .percentiles = &median,
    };
    const struct report r = a_report(output[i].kind, output[i].form, hist);
    struct text_reporter text = { 0 };
    const struct reporter_use use = { &text_reporter, &text };
    struct capture c;
    struct err err;
    int rc;

    log_set_level(output[i].level);
    capture_begin(&c);
    rc = reporters_begin(&use, 1, &setup, &err);
    if (rc == 0)
      rc = reporters_report(&use, 1, &setup, &r, &err);
    if (rc == 0)
      rc = reporters_end(&use, 1, &err);
    OK_STR(capture_end(&c), output[i].want, output[i].what);
    OK(rc == 0, "without an error");
  }
  log_set_level(LOG_NOTICE);
}

/* A script's hooks, some of which may be missing. */
struct script {
  bool interval, cumulative;
};

static bool script_interval(void *arg, const struct report *r)
{
  const struct script *s = arg;

  if (s->interval)
    log_msg(LOG_NOTICE, "hook: interval of %u\n", (unsigned)r->events);
  return s->interval;
}

static bool script_cumulative(void *arg, const struct report *r)
{
  const struct script *s = arg;

  if (s->cumulative)
    log_msg(LOG_NOTICE, "hook: report of %u\n", (unsigned)r->events);
  return s->cumulative;
}

static void script_periods_over(void *arg)
{
  (void)arg;
  log_msg(LOG_NOTICE, "hook: no more periods\n");
}

static void test_hooks(const struct hist_sum *hist)
{
  static const struct {
    enum report_kind kind;
    struct script script;
    const char *want;
  } hooked[] = {
    { REPORT_INTERVAL, { true, false }, "hook: interval of 2\n" },
    { REPORT_INTERVAL,
      { false, true },
      "[ 2s ] thds: 1 eps: 1.00 lat (ms,95%): 1.00\n" },
    { REPORT_CHECKPOINT,
      { false, true },
      "[ 2s ] Checkpoint report:\nhook: report of 2\n" },
    { REPORT_FINAL,
      { false, true },
      "hook: no more periods\n" HISTOGRAM "hook: report of 2\n" },
    { REPORT_FORCED,
      { true, true },
      "hook: no more periods\nhook: report of 2\n" },
    { REPORT_FINAL,
      { true, false },
      "hook: no more periods\n" HISTOGRAM CPU COMMON },
  };
  const struct report_setup setup = { .percentile = 95, .histogram = true };

  for (size_t i = 0; i < ARRAY_SIZE(hooked); i++) {
    struct script script = hooked[i].script;
    const struct text_hooks hooks = { script_interval, script_cumulative,
                                      script_periods_over, &script };
    struct text_reporter text = { &hooks };
    const struct reporter_use use = { &text_reporter, &text };
    const struct report r = a_report(hooked[i].kind, &tests_cpu_form, hist);
    struct capture c;
    struct err err;

    capture_begin(&c);
    (void)reporters_report(&use, 1, &setup, &r, &err);
    OK_STR(capture_end(&c), hooked[i].want, "a script's hook");
  }
}

/* A reporter that notes its calls, and fails when the test asks for it. */
struct note {
  char calls[16];
  char fail_at;
};

static int note_call(struct note *n, char call, struct err *err)
{
  const size_t len = strlen(n->calls);

  n->calls[len] = call;
  n->calls[len + 1] = '\0';
  return n->fail_at == call ? err_set(err, -EIO, "cannot %c", call) : 0;
}

static int note_begin(void *ctx, const struct report_setup *setup,
                      struct err *err)
{
  (void)setup;
  return note_call(ctx, 'b', err);
}

static int note_interval(void *ctx, const struct report_setup *setup,
                         const struct report *r, struct err *err)
{
  (void)setup, (void)r;
  return note_call(ctx, 'i', err);
}

static int note_checkpoint(void *ctx, const struct report_setup *setup,
                           const struct report *r, struct err *err)
{
  (void)setup, (void)r;
  return note_call(ctx, 'c', err);
}

static int note_final(void *ctx, const struct report_setup *setup,
                      const struct report *r, struct err *err)
{
  (void)setup, (void)r;
  return note_call(ctx, 'f', err);
}

static int note_end(void *ctx, struct err *err)
{
  return note_call(ctx, 'e', err);
}

static void test_calls(void)
{
  static const struct reporter all = {
    .name = "all",
    .begin = note_begin,
    .interval = note_interval,
    .checkpoint = note_checkpoint,
    .final = note_final,
    .end = note_end,
  };
  static const struct reporter few = { .name = "few", .final = note_final };
  static const enum report_kind kinds[] = { REPORT_INTERVAL, REPORT_CHECKPOINT,
                                            REPORT_INTERVAL, REPORT_FORCED,
                                            REPORT_FINAL };
  static const struct report_setup setup = { .percentile = 95 };

  for (const char *at = " bicfe"; *at; at++) {
    struct note first = { .fail_at = *at }, second = { .fail_at = *at },
                third = { "" };
    const struct reporter_use use[] = { { &all, &first },
                                        { &all, &second },
                                        { &few, &third } };
    struct err err = { "" };
    unsigned failures = 0;
    char want[32];

    failures += reporters_begin(use, 3, &setup, &err) == -EIO;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
      const struct report r = { .kind = kinds[i] };

      failures += reporters_report(use, 3, &setup, &r, &err) == -EIO;
    }
    failures += reporters_end(use, 3, &err) == -EIO;
    OK_STR(first.calls, "biciffe", "every reporter gets every call");
    OK_STR(second.calls, "biciffe", "also behind one that failed");
    OK_STR(third.calls, "ff", "and none that it does not have");
    OK(failures == (*at == ' '                 ? 0
                    : *at == 'i' || *at == 'f' ? 2
                                               : 1),
       "failures are told");
    (void)snprintf(want, sizeof(want), "all: cannot %c", *at);
    OK_STR(err.text, *at == ' ' ? "" : want, "with the name of the reporter");
  }
}

/*
 * The conductor leaves the report thread behind while it is in this reporter.
 */
static int end_steps(void *ctx, const struct report_setup *setup,
                     const struct report *r, struct err *err)
{
  (void)setup;
  leave_end_steps(r->leave);
  return note_call(ctx, 'i', err);
}

static void test_steps(void)
{
  static const struct reporter plain = { .name = "plain",
                                         .interval = note_interval };
  static const struct reporter last = { .name = "last", .interval = end_steps };
  static const struct report_setup setup = { .percentile = 95 };
  struct leave leave = { 0 };
  const struct report r = { .kind = REPORT_INTERVAL, .leave = &leave };
  struct note first = { "" }, second = { "" }, third = { "" };
  const struct reporter_use use[] = { { &plain, &first },
                                      { &last, &second },
                                      { &plain, &third } };
  struct err err = { "" };

  OK(leave_step(&leave), "the report thread may take a step");
  OK(reporters_report(use, 3, &setup, &r, &err) == 0, "a report in steps");
  OK_STR(first.calls, "i", "goes to reporters");
  OK_STR(second.calls, "i", "until the steps are ended");
  OK_STR(third.calls, "", "and to none after that");
  OK(!leave_step(&leave), "there is no other step");
  OK(!leave_any(&leave), "no thread is left behind yet");
  leave_thread(&leave);
  OK(leave_any(&leave), "now one is");
}

int main(void)
{
  struct hist_sum *hist = hist_sum_new();

  hist_sum_put(hist, hist_index(1000000), 2);
  test_output(hist);
  test_hooks(hist);
  test_calls();
  test_steps();
  hist_sum_free(hist);
  return TAP_EXIT();
}
