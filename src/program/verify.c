/*
 * verify.c - `bench verify FILE`: the kind of the file, and the database that
 * the options name.
 */
#include "verify/verify.h"

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
  struct db_process db = { 0 };
  const struct verify_input in = {
    .path = args->files[0],
    .cfg = args->cfg,
    .db = kind->uses_database ? &db : NULL,
    .out = stdout,
  };
  int status;

  if (!kind->uses_database)
    return kind->judge(&in, err);
  if (program_settle_target(p) != EXIT_OK || program_check_driver(p) != EXIT_OK)
    return VERIFY_BAD_INPUT; /* which was printed */
  if (program_start_database(p, &plan, &db, err) < 0)
    return VERIFY_BAD_INPUT;
  status = kind->judge(&in, err);
  (void)process_done(&db); /* no thread was started that could stay */
  return status;
}

int program_verify(struct program *p, const struct tool_args *args,
                   struct err *err)
{
  const struct verify_kind *kind;

  if (args->n_files != 1) {
    (void)err_set(err, -1, "verify needs one file, not %zu", args->n_files);
    return VERIFY_BAD_INPUT;
  }
  if (verify_find(verify_kinds, args->files[0], &kind, err) < 0 ||
      check_options(p, kind, err) < 0)
    return VERIFY_BAD_INPUT;
  return judge(p, kind, args, err);
}
