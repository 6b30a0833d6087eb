/*
 * verify.c - `bench verify FILE...`: the kind of the file, and the database
 * that the options name.
 */
#include "verify/verify.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "db/env.h"
#include "opt/optset.h"
#include "program/drivers.h"
#include "program/internal.h"
#include "run/plan.h"
#include "run/runner.h"
#include "tools/tool.h"

/* An option of another kind would have no effect. */
static int check_options(const struct program *p,
                         const struct verify_kind *kind, struct err *err)
{
  for (const struct opt *o = verify_opts; o->type != OPT_TYPE_END; o++) {
    const struct opt_entry *e = optset_find(&p->set, o->name);

    if (e && e->given && !verify_has_option(kind, o->name))
      return err_set(err, -1, "--%s has no effect: the file is %s", o->name,
                     kind->title);
  }
  return 0;
}

static int judge(struct program *p, const struct verify_kind *kind,
                 const struct tool_args *args, struct err *err)
{
  const struct plan plan = { .threads = 1 };
  struct db_process db = { .one_server = true };
  const struct verify_input in = {
    .paths = args->files,
    .n_paths = args->n_files,
    .cfg = args->cfg,
    .db = kind->uses_database ? &db : NULL,
    .out = stdout,
  };
  int status;

  if (!kind->uses_database)
    return kind->judge(&in, err);
  if (program_settle_target(p) != EXIT_OK || program_check_driver(p) != EXIT_OK)
    return VERIFY_BAD_INPUT; /* which was printed */
  if (program_misses_file(p)) {
    (void)err_set(err, -ENOENT,
                  "the database file '%s' does not exist (expected that of "
                  "the run in --sqlite-db)",
                  program_value(&p->set, "sqlite-db"));
    return VERIFY_BAD_INPUT;
  }
  if (program_start_database(p, &plan, &db, err) < 0)
    return VERIFY_BAD_INPUT;
  status = kind->judge(&in, err);
  (void)process_done(&db); /* no thread was started that could stay */
  return status;
}

/* All files are of one kind. */
static int find_kind(const struct tool_args *args,
                     const struct verify_kind **ret, struct err *err)
{
  int rc = 0;

  if (args->n_files == 0)
    return err_set(err, -EINVAL, "verify needs a file");
  for (size_t i = 0; i < args->n_files && rc == 0; i++) {
    const struct verify_kind *kind = NULL;

    rc = verify_find(verify_kinds, args->files[i], &kind, err);
    if (rc == 0 && i > 0 && kind != *ret)
      rc = err_set(err, -EINVAL, "'%.400s' is %s, and '%.400s' is %s",
                   args->files[0], (*ret)->title, args->files[i], kind->title);
    if (rc == 0)
      *ret = kind;
  }
  if (rc == 0 && args->n_files > 1 && !(*ret)->takes_several)
    rc = err_set(err, -EINVAL, "verify takes one file that is %s, not %zu",
                 (*ret)->title, args->n_files);
  return rc;
}

int program_verify(struct program *p, const struct tool_args *args,
                   struct err *err)
{
  const struct verify_kind *kind = NULL;

  if (find_kind(args, &kind, err) < 0 || check_options(p, kind, err) < 0)
    return VERIFY_BAD_INPUT;
  return judge(p, kind, args, err);
}
