/*
 * test_text.c - cumulative reports byte by byte.
 *
 * Expected texts are outputs of sysbench 1.0.20 and 1.1.0; the reports contain
 * their numbers.  Where sysbench divided by another time than the one that it
 * printed, these reports do so, too: period_ns is a count divided by the rate
 * in the text, elapsed_ns is the total time.
 */

#include "db/figures/sql_form.h"
#include "report/form.h"
#include "tests/fileio/form.h"
#include "tests/memory/classic.h"
#include "tests/tests.h"
#include "tests/unit/report_golden.h"

static const struct memory_moved moved = { 1024, true };
static const struct memory_moved not_moved = { 1024, false };
static const struct report_setup v10 = { .percentile = 95 };
static const struct report_setup v11 = { .percentile = 95, .layout_1_1 = true };
static const struct report_setup v10_none = { .percentile = 0 };
static const struct report_setup v10_memory = { .percentile = 95,
                                                .of_test = &moved };
static const struct report_setup v11_no_memory = { .percentile = 95,
                                                   .layout_1_1 = true,
                                                   .of_test = &not_moved };

static const struct golden golden[] = {
  {
    "cpu, 1.0",
    &v10,
    {
      .kind = REPORT_FINAL,
      .form = &tests_cpu_form,
      .elapsed_ns = S(2.0042),
      .period_ns = 2006904623,
      EVENTS(9586),
      LATENCY(0.19, 28.25, 2.07, 3998.69),
      FAIRNESS(4793, 43, 1.9993, 0.001),
    },
    "CPU speed:\n"
    "    events per second:  4776.51\n"
    "\n" GENERAL_LINES("2.0042", "9586") LATENCY_LINES(
      "     0.19", "     0.42", "    28.25", "     2.07", "  3998.69")
      FAIRNESS_LINES("4793.0000/43.00", "1.9993/0.00"),
  },
  {
    "cpu, 1.1",
    &v11,
    {
      .kind = REPORT_FINAL,
      .form = &tests_cpu_form,
      .elapsed_ns = S(2.0024),
      .period_ns = 2002439504,
      EVENTS(10150),
      LATENCY(0.18, 80.22, 0.23, 3997.83),
      FAIRNESS(5075, 467, 1.9989, 0),
    },
    "CPU speed:\n"
    "    events per second:  5068.82\n"
    "\n" THROUGHPUT_LINES("5068.8173", "2.0024", "10150") LATENCY_LINES(
      "     0.18", "     0.39", "    80.22", "     0.23", "  3997.83")
      FAIRNESS_LINES("5075.0000/467.00", "1.9989/0.00"),
  },
  {
    "cpu, 1.0, --percentile=0",
    &v10_none,
    {
      .kind = REPORT_FINAL,
      .form = &tests_cpu_form,
      .elapsed_ns = S(1.0002),
      .period_ns = 1001393957,
      EVENTS(4885),
      LATENCY(0.20, 2.27, 0, 999.79),
      FAIRNESS(4885, 0, 0.9998, 0),
    },
    "CPU speed:\n"
    "    events per second:  4878.20\n"
    "\n" GENERAL_LINES(
      "1.0002",
      "4885") "Latency (ms):\n"
              "         min:                                    0.20\n"
              "         avg:                                    0.20\n"
              "         max:                                    2.27\n"
              "         percentile stats:               disabled\n"
              "         sum:                                  999.79\n"
              "\n" FAIRNESS_LINES("4885.0000/0.00", "0.9998/0.00"),
  },
  {
    "memory, 1.0",
    &v10_memory,
    {
      .kind = REPORT_FINAL,
      .form = &memory_form,
      .elapsed_ns = S(2.0004),
      .period_ns = 2001109937,
      EVENTS(14477859),
      LATENCY(0, 16.26, 0, 789.25),
      FAIRNESS(14477859, 0, 0.7893, 0),
    },
    "Total operations: 14477859 (7234914.35 per second)\n"
    "\n"
    "14138.53 MiB transferred (7065.35 MiB/sec)\n"
    "\n"
    "\n" GENERAL_LINES("2.0004", "14477859") LATENCY_LINES(
      "     0.00", "     0.00", "    16.26", "     0.00", "   789.25")
      FAIRNESS_LINES("14477859.0000/0.00", "0.7893/0.00"),
  },
  {
    "memory without operation, 1.1",
    &v11_no_memory,
    {
      .kind = REPORT_FINAL,
      .form = &memory_form,
      .elapsed_ns = S(1.0019),
      .period_ns = 1001895896,
      EVENTS(9274327),
      LATENCY(0, 1.78, 0, 263.29),
      FAIRNESS(9274327, 0, 0.2633, 0),
    },
    "Total operations: 9274327 (9256777.11 per second)\n"
    "\n"
    "\n" THROUGHPUT_LINES("9256777.1133", "1.0019", "9274327") LATENCY_LINES(
      "     0.00", "     0.00", "     1.78", "     0.00", "   263.29")
      FAIRNESS_LINES("9274327.0000/0.00", "0.2633/0.00"),
  },
  {
    "threads, 1.0",
    &v10,
    {
      .kind = REPORT_FINAL,
      .form = &form_events,
      .elapsed_ns = S(2.0022),
      .period_ns = S(2.0022),
      EVENTS(2873),
      LATENCY(0.43, 20.24, 4.49, 8002.26),
      FAIRNESS(718.25, 7.01, 2.0006, 0.001),
    },
    "\n" GENERAL_LINES("2.0022", "2873")
      LATENCY_LINES("     0.43", "     2.79", "    20.24", "     4.49",
                    "  8002.26") FAIRNESS_LINES("718.2500/7.01", "2.0006/0.00"),
  },
  {
    "mutex, 1.1",
    &v11,
    {
      .kind = REPORT_FINAL,
      .form = &form_events,
      .elapsed_ns = S(0.2486),
      .period_ns = 248576897,
      EVENTS(2),
      LATENCY(239.89, 248.47, 248.83, 488.366),
      FAIRNESS(1, 0, 0.2442, 0),
    },
    "\n" THROUGHPUT_LINES("8.0458", "0.2486", "2")
      LATENCY_LINES("   239.89", "   244.18", "   248.47", "   248.83",
                    "   488.37") FAIRNESS_LINES("1.0000/0.00", "0.2442/0.00"),
  },
  {
    "fileio, 1.0", /* with 100 s, every rate with two decimals is a count */
    &v10,
    {
      .kind = REPORT_FINAL,
      .form = &fileio_form,
      .elapsed_ns = S(2.0162),
      .period_ns = S(100),
      EVENTS(39844),
      .counter[COUNTER_READ] = 1139730,
      .counter[COUNTER_WRITE] = 759836,
      .counter[COUNTER_OTHER] = 76157,
      .counter[COUNTER_BYTES_READ] = UINT64_C(17808) << 20,
      .counter[COUNTER_BYTES_WRITTEN] = UINT64_C(11872) << 20,
      LATENCY(0.004, 16.86, 0.01, 1987.55),
      FAIRNESS(39844, 0, 1.9875, 0),
    },
    "\n"
    "File operations:\n"
    "    reads/s:                      11397.30\n"
    "    writes/s:                     7598.36\n"
    "    fsyncs/s:                     761.57\n"
    "\n"
    "Throughput:\n"
    "    read, MiB/s:                  178.08\n"
    "    written, MiB/s:               118.72\n"
    "\n" GENERAL_LINES("2.0162", "39844") LATENCY_LINES(
      "     0.00", "     0.05", "    16.86", "     0.01", "  1987.55")
      FAIRNESS_LINES("39844.0000/0.00", "1.9875/0.00"),
  },
  {
    "fileio, 1.1",
    &v11,
    {
      .kind = REPORT_FINAL,
      .form = &fileio_form,
      .elapsed_ns = S(2),
      .period_ns = S(100),
      EVENTS(196000),
      .counter[COUNTER_READ] = 5609346,
      .counter[COUNTER_WRITE] = 3739564,
      .counter[COUNTER_OTHER] = 374006,
      .counter[COUNTER_BYTES_READ] = UINT64_C(5609346) * 16384,
      .counter[COUNTER_BYTES_WRITTEN] = UINT64_C(3739564) * 16384,
      LATENCY(0.001, 16.87, 0.003, 1962.95),
      FAIRNESS(196000, 0, 1.9, 0),
    },
    "\n"
    "Throughput:\n"
    "         read:  IOPS=56093.46 876.46 MiB/s (919.04 MB/s)\n"
    "         write: IOPS=37395.64 584.31 MiB/s (612.69 MB/s)\n"
    "         fsync: IOPS=3740.06\n"
    "\n"
    "Latency (ms):\n"
    "         min:                                  0.00\n"
    "         avg:                                  0.01\n"
    "         max:                                 16.87\n"
    "         95th percentile:                      0.00\n"
    "         sum:                               1962.95\n"
    "\n",
  },
  {
    "SQL, 1.0",
    &v10,
    {
      .kind = REPORT_FINAL,
      .form = &sql_form,
      .elapsed_ns = S(3.0058),
      .period_ns = 3006514143,
      EVENTS(3427),
      .counter[COUNTER_READ] = 48090,
      .counter[COUNTER_WRITE] = 13720,
      .counter[COUNTER_OTHER] = 6862,
      .counter[COUNTER_ERROR] = 8,
      LATENCY(0.51, 40.82, 4.91, 5995.57),
      FAIRNESS(1713.5, 299.5, 2.9978, 0),
    },
    "SQL statistics:\n"
    "    queries performed:\n"
    "        read:                            48090\n"
    "        write:                           13720\n"
    "        other:                           6862\n"
    "        total:                           68672\n"
    "    transactions:                        3427   (1139.86 per sec.)\n"
    "    queries:                             68672  (22841.07 per sec.)\n"
    "    ignored errors:                      8      (2.66 per sec.)\n"
    "    reconnects:                          0      (0.00 per sec.)\n"
    "\n" GENERAL_LINES("3.0058", "3427") LATENCY_LINES(
      "     0.51", "     1.75", "    40.82", "     4.91", "  5995.57")
      FAIRNESS_LINES("1713.5000/299.50", "2.9978/0.00"),
  },
  {
    "SQL, 1.1",
    &v11,
    {
      .kind = REPORT_FINAL,
      .form = &sql_form,
      .elapsed_ns = S(3.0258),
      .period_ns = 3025799026,
      EVENTS(148),
      .counter[COUNTER_READ] = 2072,
      .counter[COUNTER_WRITE] = 592,
      .counter[COUNTER_OTHER] = 296,
      LATENCY(0.62, 5.75, 1.70, 175.13),
      FAIRNESS(74, 1, 0.0876, 0.001),
    },
    "SQL statistics:\n"
    "    queries performed:\n"
    "        read:                            2072\n"
    "        write:                           592\n"
    "        other:                           296\n"
    "        total:                           2960\n"
    "    transactions:                        148    (48.91 per sec.)\n"
    "    queries:                             2960   (978.25 per sec.)\n"
    "    ignored errors:                      0      (0.00 per sec.)\n"
    "    reconnects:                          0      (0.00 per sec.)\n"
    "\n" THROUGHPUT_LINES("48.9127", "3.0258", "148")
      LATENCY_LINES("     0.62", "     1.18", "     5.75", "     1.70",
                    "   175.13") FAIRNESS_LINES("74.0000/1.00", "0.0876/0.00"),
  },
};

int main(void)
{
  check_golden(golden, ARRAY_SIZE(golden));
  return TAP_EXIT();
}
