/*
 * options.c - the options that name the files of results.
 */
#include "results/options.h"

#include <errno.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "results/address.h"

static bool is_address(const char *text)
{
  struct address where;

  return address_parse(text, &where) == 0 && address_port(&where) != 0;
}

const struct opt results_opts[] = {
  {
    OPT_STRING(struct results_cfg, json),
    .name = "json",
    .flags = OPT_NOT_EMPTY,
    .expected = "the name of a file, or - for the standard output",
    .show_as = "=FILE",
    .help = "write all results to a JSON document",
    .man = "The document is written when the run has ended, whatever ended "
           "it, and takes the place of an older file in one step. With \"-\" "
           "it goes to the standard output, and the text to the standard "
           "error.",
  },
  {
    OPT_STRING(struct results_cfg, stream),
    .name = "stream",
    .flags = OPT_NOT_EMPTY,
    .expected = "the name of a file, or - for the standard output",
    .show_as = "=FILE",
    .help = "write one JSON object per interval, as the run goes on",
    .man = "Intervals are those of --report-interval; without it, files have "
           "one per second.",
  },
  {
    OPT_STRING(struct results_cfg, csv),
    .name = "csv",
    .flags = OPT_NOT_EMPTY,
    .expected = "the name of a file, or - for the standard output",
    .show_as = "=FILE",
    .help = "write one line of comma-separated values per interval",
  },
  {
    OPT_STRING(struct results_cfg, hdr_log),
    .name = "hdr-log",
    .flags = OPT_NOT_EMPTY,
    .expected = "the name of a file, or - for the standard output",
    .show_as = "=FILE",
    .help = "write an HdrHistogram log of the latencies of each interval",
    .man = "Format 1.3, values in nanoseconds. Classes of operations have "
           "their names as tags.",
  },
  {
    OPT_STRING(struct results_cfg, event_log),
    .name = "event-log",
    .flags = OPT_NOT_EMPTY,
    .expected = "the name of a file, or - for the standard output",
    .show_as = "=FILE",
    .help = "write one line per event",
    .man = "Start and latency in nanoseconds, thread, class and error. "
           "Workers never wait for the file: what it cannot take is dropped, "
           "and the number of dropped events is reported.",
  },
  {
    OPT_STRING(struct results_cfg, prometheus),
    .name = "prometheus",
    .flags = OPT_NOT_EMPTY,
    .check = is_address,
    .expected = "a port, or an address and a port as in 127.0.0.1:9100",
    .show_as = "=[ADDR:]PORT",
    .help = "serve live metrics over HTTP (OpenMetrics)",
    .man = "Metrics are at /metrics, on the loopback address unless another "
           "is given. Counters include the warm-up.",
  },
  OPT_END,
};

static bool is_stdout(const char *name)
{
  return strcmp(name, "-") == 0;
}

/* The files of a configuration, in one list. */
enum {
  FILES = 5
};

static void list_files(const struct results_cfg *cfg, const char *ret[FILES])
{
  ret[0] = cfg->json;
  ret[1] = cfg->stream;
  ret[2] = cfg->csv;
  ret[3] = cfg->hdr_log;
  ret[4] = cfg->event_log;
}

bool results_wanted(const struct results_cfg *cfg)
{
  const char *file[FILES];

  list_files(cfg, file);
  for (int i = 0; i < FILES; i++) {
    if (file[i][0] != '\0')
      return true;
  }
  return cfg->prometheus[0] != '\0';
}

bool results_on_stdout(const struct results_cfg *cfg)
{
  const char *file[FILES];

  list_files(cfg, file);
  for (int i = 0; i < FILES; i++) {
    if (is_stdout(file[i]))
      return true;
  }
  return false;
}

int results_check(const struct results_cfg *cfg, struct err *err)
{
  static const char *const names[FILES] = { "json", "stream", "csv", "hdr-log",
                                            "event-log" };
  const char *file[FILES];

  list_files(cfg, file);
  for (int i = 0; i < FILES; i++) {
    for (int k = 0; k < i; k++) {
      if (file[i][0] != '\0' && strcmp(file[i], file[k]) == 0 &&
          strcmp(file[i], "/dev/null") != 0)
        return err_set(err, -EINVAL,
                       "--%s and --%s cannot both write to '%s' (expected a "
                       "file for each)",
                       names[k], names[i], file[i]);
    }
  }
  return 0;
}
