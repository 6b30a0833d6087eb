/*
 * details.c - adds the figures of a script, its database and its errors to the
 * results.
 */
#include "lua/engine/details.h"

#include "db/figures/db_figures.h"
#include "lua/engine/shared.h"
#include "report/life.h"

/* The figures of the script itself; the result takes them over. */
static void add_figures(struct script *script, struct facts *to)
{
  *to = script->figures;
  script->figures = (struct facts){ 0 };
}

void details_fill(void *run, struct test_details *ret)
{
  struct script *script = run;

  add_figures(script, &ret->test);
  db_figures_details(script->setup.db, ret);
}

void details_whole(void *run, const struct test_details *whole)
{
  const struct script *script = run;

  db_figures_whole(script->setup.db, whole);
}

void details_doubts(void *run, const struct report *total, struct warnings *to)
{
  const struct script *script = run;

  db_figures_doubts(script->setup.db, script->setup.plan, total, to);
}

void details_tally(void *run, struct tally *to)
{
  struct script *script = run;

  measures_tally(&script->measures, to);
  db_figures_tally(script->setup.db, to);
}

void details_statement_times(void *run, struct report *r)
{
  const struct script *script = run;

  db_figures_statement_times(script->setup.db, r);
}
