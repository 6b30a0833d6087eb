/*
 * report_options.c - options of reports.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/parse.h"
#include "opt/optset.h"
#include "stats/report.h"

static const char *report_options_advise_percentile(const char *text)
{
  return strchr(text, ',') ? "for several, use --percentiles" : NULL;
}

static bool report_options_is_percentile(const char *text)
{
  double p;

  return parse_double(text, &p) == 0 && p > 0 && p <= 100;
}

static int parse_slo(const char *text, void *ret, struct err *why)
{
  return slo_parse(text, ret, why);
}

const struct opt report_opts[] = {
  {
    OPT_LIST(struct report_setup, percentile_list),
    .name = "percentiles",
    .group = "Report",
    .flags = OPT_NO_GAPS | OPT_OWN,
    .def = "",
    .check = report_options_is_percentile,
    .expected = "a comma-separated list of numbers greater than 0 and at most "
                "100",
    .show_as = "=P,...",
    .help = "latency percentiles shown at the very end of the report",
    .man = "Without this option, p50, p95, p99 and p99.9 follow the block of "
           "latencies, as far as events are beyond them; not under the name "
           "sysbench.",
  },
  {
    OPT_PARSED(struct report_setup, slo, parse_slo),
    .name = "slo",
    .flags = OPT_OWN | OPT_COMMON,
    .show_as = "=TERMS",
    .help = "objective of the run, such as p99<=10ms,errors<=0.1%",
    .man = "The terms are pNN, avg and max with a limit of time, errors with a "
           "share, tps and qps with a number per second; a comma is between "
           "them, and a run has to keep them all. A verdict with the value of "
           "each follows the report. If a term does not hold, or there are too "
           "few events to say it, the exit status is 4. With --rate, "
           "latencies count from the due time, and arrivals that never began "
           "and failed attempts are late.",
  },
  {
    OPT_STRING(struct report_setup, label),
    .name = "label",
    .flags = OPT_OWN,
    .show_as = "=TEXT",
    .help = "a name for the result, such as a commit, shown by compare",
    .man = "The text is in the document of --json, among the options.",
  },
  {
    OPT_BOOL(struct report_setup, class_table),
    .name = "report-classes",
    .aliases = "report-statements",
    .flags = OPT_OWN,
    .def = "off",
    .help = "print a table of the kinds of operations at the end of the report",
    .man = "The kinds are SQL statements, the requests of fileio (read, write, "
           "fsync, trim, commit), or the kernels of the cpu test. Each has its "
           "share of the time, its count and its latencies: the average, "
           "--percentile, those of --percentiles, and the maximum.",
  },
  {
    OPT_BOOL(struct report_setup, progress),
    .name = "progress",
    .flags = OPT_OWN,
    .def = "on",
    .help = "status line on a terminal, without --report-interval",
    .man = "The line is on the standard error and has the time left, the "
           "events per second, the latency and the errors; in a sweep it "
           "begins with the step and the time that the whole has left. It is "
           "removed before the report. A pipe or a file never gets it.",
  },
  OPT_END,
};

const struct opt report_latency_opts[] = {
  {
    OPT_DOUBLE(struct report_setup, percentile),
    .name = "percentile",
    .group = "Report",
    .flags = OPT_COMMON,
    .def = "95",
    .fmax = 100,
    .advise = report_options_advise_percentile,
    .show_as = "=P",
    .help = "latency percentile shown in reports; 0 = none",
  },
  {
    OPT_BOOL(struct report_setup, histogram),
    .name = "histogram",
    .flags = OPT_COMMON,
    .def = "off",
    .help = "print the latency histogram at the end",
  },
  OPT_END,
};

int report_options_check(const struct report_setup *setup,
                         const struct optset *set, struct err *err)
{
  if (setup->percentile_list.n > REPORT_PERCENTILES_MAX)
    return opt_refuse(optset_find(set, "percentiles"), NULL,
                      "at most 100 numbers", err);
  if (setup->histogram && setup->percentile == 0)
    return err_set(err, -EINVAL,
                   "--histogram cannot be used with --percentile=0");
  return 0;
}

size_t report_percentiles(const struct report_setup *setup, double *ret)
{
  const struct opt_list *list = &setup->percentile_list;

  for (size_t i = 0; i < list->n; i++)
    (void)parse_double(list->items[i], &ret[i]); /* checked by the row */
  return list->n;
}
