/*
 * test_text_edges.c - cumulative reports byte by byte: without events, with
 * one, with errors only, with other labels, and for runs that were cut short.
 */

#include "db/figures/sql_form.h"
#include "tests/fileio/form.h"
#include "tests/tests.h"
#include "tests/unit/report_golden.h"

static const struct report_setup v10 = { .percentile = 95 };
static const struct report_setup v11 = { .percentile = 95, .layout_1_1 = true };
static const struct report_setup v11_none = { .percentile = 0,
                                              .layout_1_1 = true };
static const struct report_setup v10_p999 = { .percentile = 99.9 };
static const struct report_setup v11_p9999 = { .percentile = 99.99,
                                               .layout_1_1 = true };

static const struct golden golden[] = {
  {
    "SQL, errors only",
    &v10,
    {
      .kind = REPORT_FINAL,
      .form = &sql_form,
      .elapsed_ns = S(2),
      .period_ns = S(2),
      .counter[COUNTER_ERROR] = 1234567,
      .counter[COUNTER_RECONNECT] = 5,
    },
    "SQL statistics:\n"
    "    queries performed:\n"
    "        read:                            0\n"
    "        write:                           0\n"
    "        other:                           0\n"
    "        total:                           0\n"
    "    transactions:                        0      (0.00 per sec.)\n"
    "    queries:                             0      (0.00 per sec.)\n"
    "    ignored errors:                      1234567 (617283.50 per sec.)\n"
    "    reconnects:                          5      (2.50 per sec.)\n"
    "\n" GENERAL_LINES("2.0000", "0")
      LATENCY_LINES("     0.00", "     0.00", "     0.00", "     0.00",
                    "     0.00") FAIRNESS_LINES("0.0000/0.00", "0.0000/0.00"),
  },
  {
    "no time and no events, 1.1",
    &v11,
    { .kind = REPORT_FINAL, .form = &tests_cpu_form },
    "CPU speed:\n"
    "    events per second:     0.00\n"
    "\n" THROUGHPUT_LINES("0.0000", "0.0000", "0")
      LATENCY_LINES("     0.00", "     0.00", "     0.00", "     0.00",
                    "     0.00") FAIRNESS_LINES("0.0000/0.00", "0.0000/0.00"),
  },
  {
    "one event, a label of four characters",
    &v10_p999,
    {
      .kind = REPORT_FINAL,
      .form = &tests_cpu_form,
      .elapsed_ns = S(0.5),
      .period_ns = S(0.5),
      EVENTS(1),
      LATENCY(1.5, 1.5, 1.5, 1.5),
      FAIRNESS(1, 0, 0.0015, 0),
    },
    "CPU speed:\n"
    "    events per second:     2.00\n"
    "\n" GENERAL_LINES(
      "0.5000", "1") "Latency (ms):\n"
                     "         min:                                    1.50\n"
                     "         avg:                                    1.50\n"
                     "         max:                                    1.50\n"
                     "        99.9th percentile:                       1.50\n"
                     "         sum:                                    1.50\n"
                     "\n" FAIRNESS_LINES("1.0000/0.00", "0.0015/0.00"),
  },
  {
    "fileio, 1.1, a label of five characters",
    &v11_p9999,
    {
      .kind = REPORT_CHECKPOINT,
      .form = &fileio_form,
      .elapsed_ns = S(2),
      .period_ns = S(1),
      EVENTS(1),
      LATENCY(2.25, 2.25, 2.25, 2.25),
    },
    "\n"
    "Throughput:\n"
    "         read:  IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n"
    "         write: IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n"
    "         fsync: IOPS=0.00\n"
    "\n"
    "Latency (ms):\n"
    "         min:                                  2.25\n"
    "         avg:                                  2.25\n"
    "         max:                                  2.25\n"
    "        99.99th percentile:                    2.25\n"
    "         sum:                                  2.25\n"
    "\n",
  },
  {
    "fileio, 1.1, --percentile=0 and a forced shutdown",
    &v11_none,
    {
      .kind = REPORT_FORCED,
      .form = &fileio_form,
      .elapsed_ns = S(2),
      .period_ns = S(2),
      .unfinished = 2,
    },
    "\n"
    "Throughput:\n"
    "         read:  IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n"
    "         write: IOPS=0.00 0.00 MiB/s (0.00 MB/s)\n"
    "         fsync: IOPS=0.00\n"
    "\n"
    "Number of unfinished transactions on forced shutdown: 2\n"
    "\n"
    "Latency (ms):\n"
    "         min:                                  0.00\n"
    "         avg:                                  0.00\n"
    "         max:                                  0.00\n"
    "         percentile stats:               disabled\n"
    "         sum:                                  0.00\n"
    "\n",
  },
  {
    "forced shutdown without unfinished events",
    &v10,
    {
      .kind = REPORT_FORCED,
      .form = &tests_cpu_form,
      .elapsed_ns = S(2),
      .period_ns = S(2),
    },
    "CPU speed:\n"
    "    events per second:     0.00\n"
    "\n" GENERAL_LINES("2.0000", "0")
      LATENCY_LINES("     0.00", "     0.00", "     0.00", "     0.00",
                    "     0.00") FAIRNESS_LINES("0.0000/0.00", "0.0000/0.00"),
  },
  {
    "forced shutdown, SQL, 1.1: after the results",
    &v11,
    {
      .kind = REPORT_FORCED,
      .form = &sql_form,
      .elapsed_ns = S(2),
      .period_ns = S(2),
      .unfinished = 3,
    },
    "SQL statistics:\n"
    "    queries performed:\n"
    "        read:                            0\n"
    "        write:                           0\n"
    "        other:                           0\n"
    "        total:                           0\n"
    "    transactions:                        0      (0.00 per sec.)\n"
    "    queries:                             0      (0.00 per sec.)\n"
    "    ignored errors:                      0      (0.00 per sec.)\n"
    "    reconnects:                          0      (0.00 per sec.)\n"
    "\n"
    "Number of unfinished transactions on forced shutdown: 3\n"
    "\n" THROUGHPUT_LINES("0.0000", "2.0000", "0")
      LATENCY_LINES("     0.00", "     0.00", "     0.00", "     0.00",
                    "     0.00") FAIRNESS_LINES("0.0000/0.00", "0.0000/0.00"),
  },
};

int main(void)
{
  check_golden(golden, ARRAY_SIZE(golden));
  return TAP_EXIT();
}
