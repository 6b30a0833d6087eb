/*
 * test_csv.c - comma-separated values: as many in each line as there are names.
 */
#include "base/strbuf.h"
#include "report/marks.h"
#include "results/csv.h"
#include "results/shared.h"
#include "stats/report.h"
#include "tests/unit/tap.h"

static unsigned commas(const struct strbuf *b)
{
  unsigned n = 0;

  for (const char *p = strbuf_str(b); *p; p++)
    n += *p == ',';
  return n;
}

static void test_columns(void)
{
  static const double asked[] = { 99.999, 10 };
  const struct report r = { 0 };

  for (int i = 0; i < 32; i++) {
    const struct report_setup setup = { .rate = i & 1,
                                        .n_percentiles = i & 2 ? 2 : 0,
                                        .percentiles = asked };
    const struct results_shared shared = {
      .sys = { .has_cpu = i & 4, .has_disk = i & 8, .has_net = i & 16 }
    };
    struct strbuf head = { 0 }, row = { 0 };

    csv_header(&head, &setup, &shared);
    csv_interval(&row, &setup, &r, &shared);
    OK(commas(&head) == commas(&row), "a value for each name");
    OK(strchr(strbuf_str(&row), '\n') == row.text + row.len - 1, "one line");
    strbuf_done(&head);
    strbuf_done(&row);
  }
}

/* Counts columns whose names contain `what`. */
static unsigned columns(const char *head, const char *what)
{
  unsigned n = 0;

  for (; (head = strstr(head, what)) != NULL; head++)
    n++;
  return n;
}

static void test_percentiles(void)
{
  static const double asked[] = { 95, 12.5, 99.9, 12.5, 7 };
  const struct report_setup setup = { .n_percentiles = 5,
                                      .percentiles = asked };
  const struct report r = { 0 };
  const struct results_shared shared = { 0 };
  struct strbuf head = { 0 }, row = { 0 };

  csv_header(&head, &setup, &shared);
  csv_interval(&row, &setup, &r, &shared);
  OK(columns(strbuf_str(&head), "_p95_") == 1 &&
       columns(strbuf_str(&head), "_p99.9_") == 1,
     "usual ones once, where they are in all files");
  OK(strstr(strbuf_str(&head), ",latency_p12.5_ns,latency_p7_ns\n") &&
       columns(strbuf_str(&head), "_p12.5_") == 1,
     "others at the end, once");
  OK(commas(&head) == commas(&row), "a value for each name");
  strbuf_done(&head);
  strbuf_done(&row);
}

static void test_values(void)
{
  const struct report_setup setup = { .rate = true };
  const struct results_shared shared = { .sys = { .has_cpu = true,
                                                  .user = 0.5,
                                                  .idle = 0.5,
                                                  .switches_per_s = 1234.5 } };
  struct report r = { .elapsed_ns = 1500000000,
                      .period_ns = 500000000,
                      .partial = true,
                      .threads_running = 3,
                      .events = 4,
                      .sum_ns = 10,
                      .min_ns = 1,
                      .max_ns = 5,
                      .counter = { 1, 2, 3, 4, 5, 6, 7, 8 },
                      .queue_length = 11,
                      .concurrency = 12,
                      .arrivals = 13,
                      .has_stalled = true };
  struct strbuf b = { 0 };

  csv_interval(&b, &setup, &r, &shared);
  OK_STR(strbuf_str(&b),
         "1.500,0.500000,1,3,4,8.0000,2,3,1,7,8,5,6,11,12,1,2.5,5,"
         "0,0,0,0,0,0,0,0.5000,0.0000,0.0000,0.5000,1234.5,,,,,,,,13,26.0000,0."
         "000000\n",
         "a line");
  strbuf_clear(&b);
  r.has_stalled = false;
  csv_interval(&b, &setup, &r, &shared);
  OK(strstr(strbuf_str(&b), ",26.0000,\n"), "stalls that are not known");
  strbuf_done(&b);
}

/* Each figure of the machine is different. */
static void test_machine(void)
{
  static const char columns[] =
    ",cpu_user_ratio,cpu_system_ratio,cpu_iowait_ratio,cpu_idle_ratio,"
    "context_switches_per_s,disk_reads,disk_writes,disk_read_bytes,"
    "disk_written_bytes,disk_utilisation_ratio,network_received_bytes,"
    "network_sent_bytes,";
  static const char values[] =
    ",0.0100,0.0200,0.0300,0.0400,5.0,6,7,8,9,0.1000,11,12,";
  const struct report_setup setup = { 0 };
  const struct results_shared shared = { .sys = { .has_cpu = true,
                                                  .has_disk = true,
                                                  .has_net = true,
                                                  .user = 0.01,
                                                  .system = 0.02,
                                                  .iowait = 0.03,
                                                  .idle = 0.04,
                                                  .switches_per_s = 5,
                                                  .reads = 6,
                                                  .writes = 7,
                                                  .read_bytes = 8,
                                                  .written_bytes = 9,
                                                  .busy = 0.1,
                                                  .received_bytes = 11,
                                                  .sent_bytes = 12 } };
  const struct report r = { 0 };
  struct strbuf head = { 0 }, row = { 0 };

  csv_header(&head, &setup, &shared);
  csv_interval(&row, &setup, &r, &shared);
  OK(strstr(strbuf_str(&head), columns) && strstr(strbuf_str(&row), values),
     "the figures of the machine are below their names");
  strbuf_done(&head);
  strbuf_done(&row);
}

static void test_marks(void)
{
  static const char first[] = "killed \"db1\", at last", second[] = "x";
  const struct report_setup setup = { .rate = false };
  const struct report r = { 0 };
  struct marks *m = marks_new();
  struct results_shared shared = { .marks = m };
  struct strbuf head = { 0 }, row = { 0 };

  marks_begin(m, 1000000000);
  (void)marks_add(m, first, strlen(first), 500000000);
  (void)marks_add(m, second, strlen(second), 2250000000);
  csv_header(&head, &setup, &shared);
  OK(strstr(strbuf_str(&head), ",marks\n"), "a column at the end");
  csv_interval(&row, &setup, &r, &shared);
  OK(strstr(strbuf_str(&row), ",\"\"\n"), "no mark");
  strbuf_clear(&row);
  shared.marks_to = 2;
  csv_interval(&row, &setup, &r, &shared);
  OK(strstr(strbuf_str(&row),
            ",\"-0.500 killed \"\"db1\"\", at last; 1.250 x\"\n"),
     "two, quoted");
  strbuf_done(&head);
  strbuf_done(&row);
  marks_free(m);
}

int main(void)
{
  test_columns();
  test_percentiles();
  test_values();
  test_machine();
  test_marks();
  return TAP_EXIT();
}
