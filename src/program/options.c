/*
 * options.c - the tables of options in the order of the help.
 */
#include "program/options.h"

/* Rows that fill in the member `m` of struct program_options. */
#define ROWS(table, m) \
  .rows = (table), .off = offsetof(struct program_options, m)

const struct program_table program_tables[PROGRAM_TABLES] = {
  { OPT_SECTION_GENERAL, "General options", ROWS(core_general_opts, core) },
  { OPT_SECTION_RANDOM, "Random numbers", ROWS(rand_opts, rand) },
  { OPT_SECTION_LOG_LEVEL, "Messages", ROWS(core_log_level_opts, core) },
  { OPT_SECTION_LOG, "Latency statistics", ROWS(core_log_opts, core) },
  { OPT_SECTION_DATABASE, "Databases", ROWS(db_opts, db) },
  { OPT_SECTION_DATABASE, "Databases", ROWS(load_opts, load) },
  { OPT_SECTION_GENERAL, "Result files", ROWS(results_opts, results) },
  { OPT_SECTION_GENERAL, "Sweeps", ROWS(sweep_opts, sweep) },
};

int program_options_add(struct optset *set, struct program_options *opts,
                        struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < PROGRAM_TABLES && rc == 0; i++) {
    const struct program_table *t = &program_tables[i];

    rc = optset_add(set, t->section, NULL, t->rows, (char *)opts + t->off, err);
  }
  return rc == 0 ? core_opts_settle(set, &opts->core, err) : rc;
}
