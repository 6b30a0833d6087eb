#include "tools/sweep_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/suggest.h"
#include "results/options.h"

/* They determine the data of prepare in several tests. */
static const char *const data_options[] = { "tables",
                                            "table-size",
                                            "data-size",
                                            "auto-inc",
                                            "secondary",
                                            "create-secondary",
                                            "create-index",
                                            "create-table-options",
                                            "mysql-storage-engine",
                                            "mysql-table-engine",
                                            "mysql-create-options",
                                            "dialect",
                                            "pgsql-variant",
                                            "oltp-tables-count",
                                            "oltp-table-size",
                                            "oltp-auto-inc",
                                            "oltp-secondary",
                                            "oltp-create-secondary",
                                            "file-num",
                                            "file-total-size",
                                            "sqlite-page-size" };

/* Options of one bundled script, with another meaning elsewhere. */
enum {
  SCRIPT_OPTIONS_MAX = 6
};
static const struct {
  const char *test;
  const char *option[SCRIPT_OPTIONS_MAX]; /* padded with NULL */
} script_options[] = {
  { "bank", { "accounts", "balance" } },
  { "counter", { "hot-rows", "rows" } },
  { "json", { "documents", "groups", "body", "data-seed" } },
  { "secondary", { "keys", "rows-per-key", "data-seed" } },
  { "tpcb", { "scale" } },
  { "tpcc",
    { "warehouses", "scale", "districts", "customers", "items",
      "history-key" } },
  { "ycsb", { "records", "fields", "field-length", "key", "order" } },
};

/* Sweeps also refuse options for results and for sweeps. */
static const char *const fixed_options[] = { "help", "version", "test",
                                             "config-file" };

static bool sweep_plan_is_among(const char *const *list, size_t n,
                                const char *name)
{
  for (size_t i = 0; i < n; i++) {
    if (opt_name_equal(list[i], name))
      return true;
  }
  return false;
}

bool sweep_shapes_data(const char *test, const char *option)
{
  for (size_t i = 0; test && i < ARRAY_SIZE(script_options); i++) {
    size_t n = 0;

    if (strcmp(script_options[i].test, test) != 0)
      continue;
    while (n < SCRIPT_OPTIONS_MAX && script_options[i].option[n])
      n++;
    if (sweep_plan_is_among(script_options[i].option, n, option))
      return true;
  }
  return sweep_plan_is_among(data_options, ARRAY_SIZE(data_options), option);
}

static int sweep_plan_check_option(const struct sweep_plan *plan,
                                   const struct optset *set, const char *option,
                                   struct err *err)
{
  const struct opt_entry *e = optset_find(set, option);

  if (e && e->row->flags & OPT_SECRET) /* names of steps contain the values */
    return err_set(err, -EINVAL,
                   "--%.100s cannot be swept: results would show its values",
                   option);
  if (sweep_plan_is_among(fixed_options, ARRAY_SIZE(fixed_options), option) ||
      opt_rows_have(results_opts, option) || opt_rows_have(sweep_opts, option))
    return err_set(err, -EINVAL, "--%.100s cannot be swept", option);
  for (size_t i = 0; i < plan->n_specs; i++) {
    if (opt_name_equal(plan->spec[i].option, option))
      return err_set(err, -EINVAL, "--sweep names '%.100s' twice", option);
  }
  return 0;
}

static int sweep_plan_use_real_name(struct sweep_spec *spec,
                                    const struct optset *set, struct err *err)
{
  const struct opt_entry *e = optset_find(set, spec->option);
  char *name;

  if (!e || !e->real)
    return 0;
  name = mem_strdup(e->real->row->name);
  if (!name)
    return sweep_spec_no_memory(err);
  free(spec->option);
  spec->option = name;
  return 0;
}

static int sweep_plan_add_spec(struct sweep_plan *plan,
                               const struct optset *set, const char *test,
                               const char *line, struct err *err)
{
  struct sweep_spec *spec = &plan->spec[plan->n_specs];
  int rc;

  if (plan->n_specs == SWEEP_OPTIONS_MAX)
    return err_set(err, -EINVAL, "more than %d --sweep options",
                   SWEEP_OPTIONS_MAX);
  rc = sweep_spec_parse(spec, line, err);
  if (rc == 0)
    rc = sweep_plan_use_real_name(spec, set, err);
  if (rc == 0)
    rc = sweep_plan_check_option(plan, set, spec->option, err);
  if (rc < 0) {
    sweep_spec_done(spec);
    return rc;
  }
  plan->n_specs++;
  plan->n_combinations *= spec->n; /* at most 1000 x 10000 */
  plan->shapes_data = plan->shapes_data ||
                      sweep_shapes_data(test, spec->option);
  if (plan->n_combinations * plan->repeats > SWEEP_STEPS_MAX)
    return err_set(err, -EINVAL, "a sweep of more than %d steps",
                   SWEEP_STEPS_MAX);
  return 0;
}

int sweep_plan_init(struct sweep_plan *ret, const struct optset *set,
                    const char *test, const char *sweeps, size_t repeats,
                    struct err *err)
{
  struct sweep_plan plan = { .n_combinations = 1, .repeats = repeats };
  int rc = 0;

  while (*sweeps && rc == 0) {
    const size_t len = strcspn(sweeps, "\n");
    char *line = mem_strndup(sweeps, len);

    rc = line ? sweep_plan_add_spec(&plan, set, test, line, err)
              : sweep_spec_no_memory(err);
    free(line);
    sweeps += len + (sweeps[len] == '\n');
  }
  if (rc < 0)
    sweep_plan_done(&plan);
  else
    *ret = plan;
  return rc;
}

int sweep_plan_add(struct sweep_plan *plan, const char *option,
                   const char *value, struct err *err)
{
  struct sweep_spec *spec = &plan->spec[0];
  int rc;

  if (plan->n_specs == 0) {
    spec->option = mem_strdup(option);
    if (!spec->option)
      return sweep_spec_no_memory(err);
    plan->n_specs = plan->repeats = 1;
  }
  rc = sweep_spec_add_value(spec, mem_strdup(value), err);
  plan->n_combinations = spec->n;
  return rc;
}

void sweep_plan_done(struct sweep_plan *plan)
{
  if (!plan)
    return;
  for (size_t i = 0; i < plan->n_specs; i++)
    sweep_spec_done(&plan->spec[i]);
  *plan = (struct sweep_plan){ 0 };
}

const char *sweep_plan_value(const struct sweep_plan *plan, size_t combination,
                             size_t option)
{
  for (size_t i = plan->n_specs; i-- > option + 1;)
    combination /= plan->spec[i].n;
  return plan->spec[option].values[combination % plan->spec[option].n];
}

void sweep_plan_describe(const struct sweep_plan *plan, size_t combination,
                         struct strbuf *out)
{
  for (size_t i = 0; i < plan->n_specs; i++) {
    strbuf_addf(out, "%s%s=", i > 0 ? ", " : "", plan->spec[i].option);
    secret_redact(sweep_plan_value(plan, combination, i), out);
  }
}
