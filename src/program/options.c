#include "program/options.h"

#include <stdint.h>

#include "base/log.h"
#include "base/parse.h"
#include "opt/optset.h"
#include "run/load_curve.h"

static const struct opt program_opts[] = {
  {
    OPT_INT(struct program_cfg, verbosity),
    .name = "verbosity",
    .group = "General",
    .def = "3",
    .max = 5,
    .show_as = "=0..5",
    .help = "highest message level shown {5 - debug, 0 - only fatal errors}",
  },
  OPT_END,
};

#define ROWS(table, m) \
  .rows = (table), .off = offsetof(struct program_options, m)

const struct program_table program_tables[PROGRAM_TABLES] = {
  { OPT_SECTION_GENERAL, ROWS(run_opts, run) },
  { OPT_SECTION_GENERAL, ROWS(mix_opts, mix) },
  { OPT_SECTION_GENERAL, ROWS(cmdline_opts, cmdline) },
  { OPT_SECTION_GENERAL, ROWS(setup_opts, script) },
  { OPT_SECTION_GENERAL, ROWS(run_old_opts, run) },
  { OPT_SECTION_GENERAL, ROWS(cmdline_test_opts, cmdline) },
  { OPT_SECTION_GENERAL, ROWS(report_opts, report) },
  { OPT_SECTION_GENERAL, ROWS(db_class_opts, db) },
  { OPT_SECTION_GENERAL, ROWS(nodes_opts, ranks) },
  { OPT_SECTION_RANDOM, ROWS(rand_opts, rand) },
  { OPT_SECTION_LOG_LEVEL, ROWS(program_opts, own) },
  { OPT_SECTION_LOG, ROWS(report_latency_opts, report) },
  { OPT_SECTION_DATABASE, ROWS(db_opts, db) },
  { OPT_SECTION_DATABASE, ROWS(load_opts, load) },
  { OPT_SECTION_DATABASE, ROWS(ack_opts, ack) },
  { OPT_SECTION_DATABASE, ROWS(monitor_opts, monitor) },
  { OPT_SECTION_GENERAL, ROWS(results_opts, results) },
  { OPT_SECTION_GENERAL, ROWS(sweep_opts, sweep) },
};

const char *const program_groups[] = {
  "Load",
  "Connections",
  "Server",
  "MySQL and MariaDB",
  "PostgreSQL",
  "SQLite",
  "The null driver",
  "Tables",
  "Random numbers",
  "Report",
  "Result files",
  "Server statistics",
  "Checks",
  "Sweeps and searches",
  "General",
  NULL,
};

int program_options_add(struct optset *set, struct program_options *opts,
                        struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < PROGRAM_TABLES && rc == 0; i++) {
    const struct program_table *t = &program_tables[i];

    rc = optset_add(set, t->section, NULL, t->rows, (char *)opts + t->off, err);
  }
  return rc == 0 ? run_options_settle(set, &opts->run, err) : rc;
}

int program_options_check(void *arg, struct cmdline *c, struct err *err)
{
  const struct program_options *opts = arg;
  const char *warnings[RUN_WARNINGS_MAX];
  size_t n;
  int rc = run_options_check(&opts->run, c->set, err);

  if (rc == 0)
    rc = load_profile_settle(&opts->run, c->set, err);
  if (rc == 0)
    rc = report_options_check(&opts->report, c->set, err);
  if (rc < 0)
    return rc;
  n = run_options_warnings(&opts->run, warnings);
  for (size_t i = 0; i < n && rc == 0; i++)
    rc = cmdline_warn(c, err, "%s", warnings[i]);
  return rc;
}

int program_log_level(const struct program_options *opts)
{
  return opts->run.debug ? LOG_DEBUG : (int)opts->own.verbosity;
}

const char *program_value(const struct optset *set, const char *name)
{
  const struct opt_entry *e = optset_find(set, name);
  const char *text = e ? opt_get_string(e) : NULL;

  return text ? text : "";
}

uint64_t program_size(const struct optset *set, const char *name)
{
  uint64_t n = 0;

  return parse_size(program_value(set, name), &n) == 0 ? n : 0;
}
