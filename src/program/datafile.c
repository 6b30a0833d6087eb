/*
 * datafile.c - what a run needs of its database, as far as that shows before
 * it connects.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "run/runner.h"

enum {
  ONE_PAGE = 4096 /* of SQLite: a table has at least one of its own */
};

bool program_misses_file(const struct program *p)
{
  const char *file = program_value(&p->set, "sqlite-db");

  return strcmp(p->opts.db.driver, "sqlite") == 0 &&
         strncmp(file, "file:", 5) != 0 && access(file, F_OK) != 0;
}

void program_remove_empty_file(const struct program *p)
{
  const char *file = program_value(&p->set, "sqlite-db");
  struct strbuf log = { 0 };
  struct stat st;

  strbuf_addf(&log, "%s-wal", file);
  if (lstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= ONE_PAGE &&
      access(strbuf_str(&log), F_OK) != 0)
    (void)unlink(file);
  strbuf_done(&log);
}

static void complain_of_file(const struct program *p)
{
  log_msg(LOG_FATAL, "the database file '%s' does not exist",
          program_value(&p->set, "sqlite-db"));
  log_msg(LOG_FATAL, "did you run the prepare command?");
}

bool program_lacks_data(struct program *p, const struct run_facts *facts)
{
  if (facts->rows_option && p->cmdline.identity == IDENTITY_BENCH &&
      program_size(&p->set, "table-size") == 0) {
    log_msg(LOG_FATAL, "--table-size=0 is for prepare: a run needs rows");
    return true;
  }
  if (!program_misses_file(p))
    return false;
  complain_of_file(p);
  return true;
}

bool program_lacks_file(struct program *p, int *status)
{
  const char *command = p->cmdline.command;

  if (!command || strcmp(command, "prepare") == 0 || !program_misses_file(p))
    return false;
  if (strcmp(command, "cleanup") == 0) {
    log_msg(LOG_NOTICE, "The database file '%s' does not exist\n",
            program_value(&p->set, "sqlite-db"));
    *status = EXIT_OK;
  } else {
    complain_of_file(p);
    *status = EXIT_FAILED;
  }
  return true;
}
