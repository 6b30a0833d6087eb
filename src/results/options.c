#include "results/options.h"

#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "results/address.h"
#include "results/http.h"
#include "results/outname.h"

static bool options_is_address(const char *text)
{
  struct address where;

  return address_parse(text, &where) == 0 && address_port(&where) != 0;
}

#define SUMMARY "markdown:"

/* "": none. */
static const char *summary_file(const char *text)
{
  if (strncmp(text, SUMMARY, strlen(SUMMARY)) == 0)
    return text + strlen(SUMMARY);
  return text_ends_with(text, ".md") ? text : "";
}

static bool options_is_summary(const char *text)
{
  return *summary_file(text) && !outname_is_stdout(summary_file(text));
}

const char *results_summary(const struct results_cfg *cfg)
{
  return summary_file(cfg->summary);
}

static const char *options_advise_port(const char *text)
{
  return *text && strspn(text, "0123456789") == strlen(text)
           ? "ports are 1 to 65535"
           : NULL;
}

/* Common part of file rows. */
#define FILE_OPT(field, more_flags)                                 \
  OPT_STRING(struct results_cfg, field),                            \
    .flags = OPT_NOT_EMPTY | OPT_OWN | OPT_PATH | (more_flags),     \
    .expected = "the name of a file, or - for the standard output", \
    .show_as = "=FILE"

const struct opt results_opts[] = {
  {
    FILE_OPT(json, OPT_COMMON),
    .name = "json",
    .group = "Result files",
    .help = "write all results to a JSON document",
    .man = "The document is written when the run has ended, however it ended, "
           "and replaces an older file in one step. With \"-\" "
           "it goes to the standard output, and the text to the standard "
           "error.",
  },
  {
    FILE_OPT(stream, 0),
    .name = "stream",
    .aliases = "jsonl",
    .help = "write one JSON object per interval, as the run goes on",
    .man = "Intervals are those of --report-interval; without it, files have "
           "one per second.",
  },
  {
    FILE_OPT(csv, OPT_COMMON),
    .name = "csv",
    .help = "write one line of comma-separated values per interval",
  },
  {
    FILE_OPT(hdr_log, 0),
    .name = "hdr-log",
    .help = "write an HdrHistogram log of the latencies of each interval",
    .man = "The log has format 1.3 and values in nanoseconds. Classes of "
           "operations have their names as tags.",
  },
  {
    FILE_OPT(event_log, 0),
    .name = "event-log",
    .help = "write one line per event",
    .man = "A line has start and latency in nanoseconds, thread, class and "
           "error. Workers never wait for the file: events that it cannot take "
           "are dropped, and their number is reported.",
  },
  {
    OPT_STRING(struct results_cfg, prometheus),
    .name = "prometheus",
    .flags = OPT_NOT_EMPTY | OPT_OWN,
    .check = options_is_address,
    .advise = options_advise_port,
    .expected = "a port, or an address and a port as in 127.0.0.1:9100",
    .show_as = "=[ADDR:]PORT",
    .help = "serve live metrics over HTTP for Prometheus",
    .man = "Metrics are at /metrics, on the loopback address unless another "
           "is given. They have Prometheus's text format, or OpenMetrics for "
           "readers that ask for it. Counters include the warm-up.",
  },
  {
    OPT_STRING(struct results_cfg, live),
    .name = "live",
    .flags = OPT_NOT_EMPTY | OPT_OWN | OPT_COMMON,
    .bare = "8080",
    .check = options_is_address,
    .advise = options_advise_port,
    .expected = "a port, or an address and a port as in 127.0.0.1:8080",
    .show_as = "[=[ADDR:]PORT]",
    .help = "serve a page that follows the run, port 8080 by default",
    .man = "The page has throughput, latencies, errors, machine and servers, "
           "classes of operations, marks and the time left, once per second, "
           "and ends as the page of report, which can be saved. It is on the "
           "loopback address unless another is given. The end of a run waits "
           "for viewers that take the report, up to two seconds for one that "
           "takes nothing.",
  },
  {
    OPT_STRING(struct results_cfg, live_host),
    .name = "live-host",
    .flags = OPT_NOT_EMPTY | OPT_OWN | OPT_EXPERT,
    .check = http_host_are_names,
    .expected = "names of hosts with commas between them, without ports",
    .show_as = "=NAME[,NAME]...",
    .help = "host names that --live and --prometheus answer to",
    .man = "A request whose Host header is neither an address nor localhost, "
           "nor the name of this machine, is refused with 403, so that no "
           "page of another site can read the run through a name of its own "
           "(DNS rebinding). Give the other names that readers use.",
  },
  {
    OPT_STRING(struct results_cfg, summary),
    .name = "summary",
    .flags = OPT_NOT_EMPTY | OPT_OWN,
    .check = options_is_summary,
    .expected = "FILE.md, or markdown:FILE",
    .show_as = "=FILE.md|markdown:FILE",
    .help = "write a short summary, for the pages of build servers",
    .man = "The result, the verdict of --slo, what an event has cost the "
           "servers, warnings and the machine, as Markdown. A sweep has one "
           "with its table, and compare one with its verdicts. The file is "
           "replaced.",
  },
  OPT_END,
};

_Static_assert(ARRAY_SIZE(results_opts) == RESULTS_FILES + 5,
               "all rows but --prometheus, --live, --live-host, --summary and "
               "the end name a file");

static const char *value_of(const struct results_cfg *cfg,
                            const struct opt *row)
{
  return *(const char *const *)(const void *)((const char *)cfg + row->off);
}

void results_none(struct results_cfg *ret)
{
  for (const struct opt *row = results_opts; row->type != OPT_TYPE_END; row++)
    *(const char **)(void *)((char *)ret + row->off) = "";
}

void results_files(const struct results_cfg *cfg,
                   struct results_file ret[RESULTS_FILES])
{
  size_t n = 0;

  for (const struct opt *row = results_opts; row->type != OPT_TYPE_END; row++) {
    if (!row->check) /* not only a file name */
      ret[n++] = (struct results_file){ row->name, value_of(cfg, row) };
  }
}

bool results_wanted(const struct results_cfg *cfg)
{
  for (const struct opt *row = results_opts; row->type != OPT_TYPE_END; row++) {
    if (value_of(cfg, row)[0] != '\0' &&
        row->off != offsetof(struct results_cfg, live_host))
      return true;
  }
  return false;
}

bool results_on_stdout(const struct results_cfg *cfg)
{
  struct results_file f[RESULTS_FILES];

  results_files(cfg, f);
  for (int i = 0; i < RESULTS_FILES; i++) {
    if (outname_is_stdout(f[i].path))
      return true;
  }
  return false;
}
