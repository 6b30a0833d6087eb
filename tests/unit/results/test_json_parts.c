/*
 * test_json_parts.c - parts of the results as JSON: their content, and that a
 * parser reads it back.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/facts.h"
#include "base/machine/sampler.h"
#include "db/figures/sql_form.h"
#include "opt/optset.h"
#include "report/life.h"
#include "results/jobj.h"
#include "results/json_parts.h"
#include "stats/report.h"
#include "tests/fileio/form.h"
#include "tests/unit/tap.h"

static struct hist_sum *hist;
static const double asked[] = { 99.9, 33.3 };
static struct report_setup setup = { .percentile = 95,
                                     .n_percentiles = 2,
                                     .percentiles = asked };

/* Writes and parses the value. */
static json_t *again(json_t *value)
{
  char *text = jobj_pretty(value);
  json_t *parsed = json_loads(text, JSON_DECODE_ANY, NULL);

  free(text);
  json_decref(value);
  return parsed;
}

/* Returns a member of members: "a.b"; missing: NULL. */
static json_t *at(json_t *o, const char *path)
{
  char name[64];
  const char *dot;

  while ((dot = strchr(path, '/')) != NULL) {
    (void)snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
    o = json_object_get(o, name);
    path = dot + 1;
  }
  return json_object_get(o, path);
}

static json_int_t int_at(json_t *o, const char *path)
{
  return json_integer_value(at(o, path));
}

static double real_at(json_t *o, const char *path)
{
  return json_number_value(at(o, path));
}

static void record(uint64_t ns, uint64_t n)
{
  hist_sum_put(hist, hist_index(ns), n);
}

static void test_latency(void)
{
  struct latency l = { 100, 100000, 100, 50000, hist };
  json_t *j;

  hist_sum_clear(hist);
  record(100, 50);
  record(200, 49);
  record(50000, 1);
  j = again(json_latency(&l, &setup));
  OK(int_at(j, "count") == 100 && int_at(j, "min") == 100 &&
       int_at(j, "max") == 50000,
     "exact numbers");
  OK(real_at(j, "mean") == 1000.0, "mean");
  OK(fabs(real_at(j, "stddev") - 4960.0) < 30.0, "stddev");
  OK(int_at(j, "percentiles/50") == 100 && int_at(j, "percentiles/95") == 200,
     "usual percentiles");
  OK(int_at(j, "percentiles/99.99") == 50000, "within the limits");
  OK(int_at(j, "percentiles/33.3") == 100 &&
       json_object_size(at(j, "percentiles")) == 8,
     "those asked for, each once");
  OK(strncmp(json_string_value(at(j, "hdr_histogram")), "HISTF", 5) == 0,
     "histogram");
  json_decref(j);

  hist_sum_clear(hist);
  l = (struct latency){ .hist = hist };
  j = again(json_latency(&l, &setup));
  OK(int_at(j, "percentiles/99") == 0 && real_at(j, "mean") == 0.0 &&
       real_at(j, "stddev") == 0.0,
     "all 0 without events");
  json_decref(j);
}

static void test_report(void)
{
  const struct class_report class = {
    "SELECT \"x\"\n\t", 3, 1, 2, 0, 30, 10, 10, hist
  };
  const struct system_use sys = { .has_disk = true, .reads = 8, .busy = 0.25 };
  struct report r = { .kind = REPORT_INTERVAL,
                      .form = &sql_form,
                      .elapsed_ns = 2500000000,
                      .period_ns = 500000000,
                      .threads = 4,
                      .threads_running = 3,
                      .counter = { 1, 20, 3, 10, 5, 6, 0, 0 },
                      .events = 10,
                      .hist = hist,
                      .partial = true,
                      .classes = { 1, &class } };
  json_t *j = again(json_report(&r, &setup, &sys, false));

  OK(real_at(j, "elapsed_s") == 2.5 && real_at(j, "period_s") == 0.5, "times");
  OK(int_at(j, "events") == 10 && real_at(j, "events_per_s") == 20.0, "events");
  OK(int_at(j, "queries/read") == 20 && int_at(j, "queries/total") == 24 &&
       real_at(j, "queries/total_per_s") == 48.0,
     "queries");
  OK(int_at(j, "errors") == 5 && int_at(j, "reconnects") == 6, "errors");
  OK(json_is_true(at(j, "partial")), "partial");
  OK_STR(json_string_value(
           json_object_get(json_array_get(at(j, "classes"), 0), "name")),
         "SELECT \"x\"\n\t", "the text of a class, as it is");
  OK(int_at(j, "system/disk/reads") == 8 &&
       real_at(j, "system/disk/utilisation_ratio") == 0.25 &&
       !at(j, "system/cpu"),
     "what is known of the system");
  OK(!at(j, "queue_length") && !at(j, "memory"), "nothing of other tests");
  json_decref(j);

  r.form = &fileio_form;
  r.kind = REPORT_FORCED;
  r.unfinished = 2;
  r.counter[COUNTER_BYTES_READ] = 4096;
  setup.rate = true;
  j = again(json_report(&r, &setup, NULL, false));
  OK(int_at(j, "file_operations/read/bytes") == 4096 &&
       int_at(j, "file_operations/fsync/count") == 1,
     "file operations");
  OK(int_at(j, "unfinished_events") == 2 && at(j, "queue_length") &&
       !at(j, "partial"),
     "a forced end with a rate");
  json_decref(j);
  setup.rate = false;
}

static void test_facts(void)
{
  struct facts f = { 0 };
  json_t *j;

  facts_text(&f, "driver", "old");
  facts_text(&f, "driver", "mysql");
  facts_int(&f, "pool.size_bytes", 7);
  facts_bool(&f, "pool.warm", true);
  facts_real(&f, "pool.deep.ratio", 0.5);
  facts_text(&f, "version", "8.4");
  facts_text(&f, "odd", "caf\xe9 \x01");
  facts_int(&f, "caf\xe9.a", 1);
  facts_int(&f, "caf\xe9.b\xe9", 2);
  OK(!f.failed && facts_find(&f, "version") && !facts_find(&f, "none"), "find");
  j = again(json_facts(&f));
  OK_STR(json_string_value(at(j, "driver")), "mysql", "the last value counts");
  OK(int_at(j, "pool/size_bytes") == 7 && json_is_true(at(j, "pool/warm")) &&
       real_at(j, "pool/deep/ratio") == 0.5,
     "groups");
  OK_STR(json_string_value(at(j, "odd")), "caf\xc3\xa9 \x01",
         "what is no UTF-8 becomes it");
  OK(int_at(j, "caf\xc3\xa9/a") == 1 && int_at(j, "caf\xc3\xa9/b\xc3\xa9") == 2,
     "in keys, too");
  json_decref(j);
  facts_done(&f);
  facts_done(NULL);
}

struct cfg {
  const char *password, *name;
  uint64_t n;
  bool on;
  double real;
  struct opt_list list;
  uint64_t cafe;
};

static const struct opt rows[] = {
  { OPT_STRING(struct cfg, password), .name = "password", .flags = OPT_SECRET,
    .def = "" },
  { OPT_STRING(struct cfg, name), .name = "name", .def = "" },
  { OPT_INT(struct cfg, n), .name = "n", .def = "5", .max = INT64_MAX },
  { OPT_BOOL(struct cfg, on), .name = "on", .def = "off" },
  { OPT_DOUBLE(struct cfg, real), .name = "real", .def = "0.5" },
  { OPT_LIST(struct cfg, list), .name = "list", .def = "a,b" },
  { .type = OPT_TYPE_INT, .name = "old-n", .alias_of = "n" },
  { OPT_INT(struct cfg, cafe), .name = "caf\xe9", .def = "3", .max = 5 },
  OPT_END,
};

static void test_options(void)
{
  struct optset set;
  struct cfg cfg;
  struct err err;
  char *text;
  json_t *j;

  optset_init(&set, COMPAT_1_0);
  (void)optset_add(&set, OPT_SECTION_TEST, NULL, rows, &cfg, &err);
  (void)opt_set(optset_find(&set, "password"),
                &(struct opt_given){ .name = "password",
                                     .text = "sesame",
                                     .source = OPT_SOURCE_CMDLINE },
                &err);
  (void)opt_set(optset_find(&set, "old-n"),
                &(struct opt_given){ .name = "old-n",
                                     .text = "7",
                                     .source = OPT_SOURCE_FILE,
                                     .where = "x.cfg:3" },
                &err);
  j = json_options(&set);
  text = jobj_pretty(j);
  OK(!strstr(text, "sesame"), "a password is nowhere");
  free(text);
  j = again(j);
  OK(json_is_true(at(j, "password/secret")) && !at(j, "password/value"),
     "but that it was given is there");
  OK_STR(json_string_value(at(j, "password/source")), "command_line", "source");
  OK(int_at(j, "n/value") == 7, "set by its other name");
  OK_STR(json_string_value(at(j, "n/source")), "config_file", "from a file");
  OK_STR(json_string_value(at(j, "n/where")), "x.cfg:3", "and where");
  OK(!at(j, "old-n"), "the other name is no option of its own");
  OK(int_at(j, "caf\xc3\xa9/value") == 3, "a name that is no UTF-8");
  OK(json_is_false(at(j, "on/value")) && real_at(j, "real/value") == 0.5 &&
       json_array_size(at(j, "list/value")) == 2 &&
       json_is_null(at(j, "name/value")),
     "types");
  json_decref(j);
  optset_done(&set);
}

/* Each member has a number of its own, so that two that change places differ.
 */
static void test_system(void)
{
  static const struct system_use use = {
    .has_cpu = true,
    .has_disk = true,
    .has_net = true,
    .user = 0.01,
    .system = 0.02,
    .iowait = 0.03,
    .idle = 0.04,
    .steal = 0.05,
    .switches_per_s = 6,
    .reads = 7,
    .writes = 8,
    .read_bytes = 9,
    .written_bytes = 10,
    .busy = 0.11,
    .received_bytes = 12,
    .sent_bytes = 13,
    .loopback_bytes = 14,
    .pressure = { .has = { true, true, true, true, true },
                  .stopped = { 0.15, 0.16, 0.17, 0.18, 0.19 },
                  .has_faults = true,
                  .has_retransmits = true,
                  .has_dirty = true,
                  .major_faults = 20,
                  .retransmits = 21,
                  .dirty_bytes = 22,
                  .writeback_bytes = 23,
                  .throttled = 0.24,
                  .mhz = 25 }
  };
  static const struct {
    const char *path;
    double value;
  } want[] = {
    { "cpu/user_ratio", 0.01 },
    { "cpu/system_ratio", 0.02 },
    { "cpu/iowait_ratio", 0.03 },
    { "cpu/idle_ratio", 0.04 },
    { "cpu/steal_ratio", 0.05 },
    { "cpu/context_switches_per_s", 6 },
    { "disk/reads", 7 },
    { "disk/writes", 8 },
    { "disk/read_bytes", 9 },
    { "disk/written_bytes", 10 },
    { "disk/utilisation_ratio", 0.11 },
    { "network/received_bytes", 12 },
    { "network/sent_bytes", 13 },
    { "network/loopback_bytes", 14 },
    { "pressure/cpu_some_ratio", 0.15 },
    { "pressure/io_some_ratio", 0.16 },
    { "pressure/io_full_ratio", 0.17 },
    { "pressure/memory_some_ratio", 0.18 },
    { "pressure/memory_full_ratio", 0.19 },
    { "memory/major_faults", 20 },
    { "network/retransmits", 21 },
    { "memory/dirty_bytes", 22 },
    { "memory/writeback_bytes", 23 },
    { "cpu/throttled_ratio", 0.24 },
    { "cpu/clock_mhz", 25 },
  };
  struct report r = { .form = &sql_form, .kind = REPORT_INTERVAL };
  json_t *j = again(json_report(&r, &setup, &use, true));

  for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
    OK(real_at(at(j, "system"), want[i].path) == want[i].value, want[i].path);
  json_decref(j);
}

static void test_run(void)
{
  const struct run_start start = { .wall_ns = UINT64_C(1700000000123456789),
                                   .threads = 2,
                                   .seed = (uint64_t)-5 };
  struct run_end end = { .reason = END_SIGNAL,
                         .signal = 2,
                         .status = 130,
                         .started = true,
                         .error = "it \"broke\"" };
  json_t *j = again(json_run(&start, &end, "cpu"));

  OK_STR(json_string_value(at(j, "start_time")), "2023-11-14T22:13:20.123Z",
         "wall clock");
  OK_STR(json_string_value(at(j, "end_reason")), "signal", "reason");
  OK_STR(json_string_value(at(j, "error")), "it \"broke\"", "error");
  OK(int_at(j, "signal") == 2 && int_at(j, "exit_status") == 130 &&
       int_at(j, "seed") == -5,
     "numbers");
  json_decref(j);
  end = (struct run_end){ .reason = END_NOT_STARTED, .status = 1 };
  j = again(json_run(&start, &end, "cpu"));
  OK(!at(j, "threads") && !at(j, "error"), "a run that did not take place");
  json_decref(j);
}

/* What JSON cannot express, and what a reader would take for infinite. */
static void test_numbers(void)
{
  static const struct {
    double value;
    bool is_null;
    const char *what;
  } numbers[] = {
    { 0, false, "0 is a number" },
    { -1.5e308, false, "a large one" },
    { INFINITY, true, "infinity is none" },
    { -INFINITY, true, "nor is its opposite" },
    { NAN, true, "nor is what no number is" },
    { 1.7976931348623157e308, true, "nor is what is read back as infinity" },
  };

  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
    json_t *j = jobj_number(numbers[i].value);

    OK(numbers[i].is_null ? json_is_null(j)
                          : json_real_value(j) == numbers[i].value,
       numbers[i].what);
    json_decref(j);
  }
}

int main(void)
{
  hist = hist_sum_new();
  test_numbers();
  test_latency();
  test_report();
  test_facts();
  test_options();
  test_system();
  test_run();
  hist_sum_free(hist);
  return TAP_EXIT();
}
