/*
 * test_sweep_plan.c - options that collect their values, and the combinations
 * of a sweep.
 */
#include <errno.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "tests/unit/tap.h"
#include "tools/sweep_opts.h"
#include "tools/sweep_plan.h"

struct other_cfg {
  uint64_t threads;
};

static const struct opt other_opts[] = {
  { OPT_INT(struct other_cfg, threads), .name = "threads", .def = "1" },
  { .type = OPT_TYPE_INT, .name = "num-threads", .alias_of = "threads" },
  OPT_END,
};

static void set(struct optset *set, const char *text, int want)
{
  const struct opt_given given = { .name = "sweep",
                                   .arg = "--sweep",
                                   .text = text,
                                   .source = OPT_SOURCE_CMDLINE };
  struct err err = { "" };

  OK(opt_set(optset_find(set, "sweep"), &given, &err) == want, text);
}

static void test_collect(struct optset *s, const struct sweep_cfg *cfg)
{
  static const char *const items[] = { "b:3", "4" };
  const struct opt_list list = { 2, items };
  const struct opt_given line = { .name = "sweep",
                                  .arg = "sweep = b:3,4",
                                  .text = "b:3,4",
                                  .source = OPT_SOURCE_FILE,
                                  .items = &list,
                                  .where = "f:1" };
  struct err err = { "" };

  OK_STR(cfg->sweeps, "", "nothing at first");
  OK(!sweep_wanted(cfg), "no sweep is wanted");
  set(s, "a:1,2", 0);
  OK_STR(cfg->sweeps, "a:1,2", "the first one");
  set(s, "nonsense", -EINVAL);
  OK_STR(cfg->sweeps, "a:1,2", "a refused one changes nothing");
  OK(opt_set(optset_find(s, "sweep"), &line, &err) == 0, "a line of a file");
  set(s, "num_threads:5", 0);
  OK_STR(cfg->sweeps, "a:1,2\nb:3,4\nnum_threads:5", "all of them, in order");
  OK(sweep_wanted(cfg), "a sweep is wanted");
}

static void test_plan(const struct optset *s, const char *sweeps)
{
  struct sweep_plan plan = { .n_specs = 0 };
  struct strbuf all = { 0 };
  struct err err = { "" };

  OK(sweep_plan_init(&plan, s, "cpu", sweeps, 3, &err) == 0, "a plan");
  OK(plan.n_combinations == 4 && plan.repeats == 3 && !plan.shapes_data,
     "of all combinations");
  for (size_t i = 0; i < plan.n_combinations; i++) {
    sweep_plan_describe(&plan, i, &all);
    strbuf_adds(&all, ";");
  }
  OK_STR(strbuf_str(&all),
         "a=1, b=3, threads=5;a=1, b=4, threads=5;a=2, b=3, threads=5;"
         "a=2, b=4, threads=5;",
         "the last one changes fastest, and aliases are resolved");
  strbuf_done(&all);
  sweep_plan_done(&plan);
}

static void refused(const struct optset *s, const char *sweeps, size_t repeats,
                    const char *says)
{
  struct sweep_plan plan = { .n_specs = 0 };
  struct err err = { "" };

  OK(sweep_plan_init(&plan, s, "cpu", sweeps, repeats, &err) == -EINVAL &&
       strstr(err.text, says) && plan.n_specs == 0,
     sweeps);
}

int main(void)
{
  struct sweep_cfg cfg = { 0 };
  struct other_cfg other = { 0 };
  struct sweep_plan plan = { .n_specs = 0 };
  struct optset s;
  struct err err = { "" };

  optset_init(&s, COMPAT_1_0);
  OK(optset_add(&s, OPT_SECTION_GENERAL, NULL, other_opts, &other, &err) == 0 &&
       optset_add(&s, OPT_SECTION_GENERAL, NULL, sweep_opts, &cfg, &err) == 0,
     "the options");
  test_collect(&s, &cfg);
  test_plan(&s, cfg.sweeps);
  refused(&s, "threads:1\nnum-threads:2", 1, "twice");
  refused(&s, "a_b:1\na-b:2", 1, "twice");
  refused(&s, "json:a", 1, "cannot be swept");
  refused(&s, "sweep_role:step", 1, "cannot be swept");
  refused(&s, "a:1..200\nb:1..51", 1, "more than 10000");
  refused(&s, "a:1..200\nb:1..10", 6, "more than 10000");
  OK(sweep_plan_init(&plan, &s, "cpu", "", 2, &err) == 0 &&
       plan.n_combinations == 1,
     "repeats of the same");
  OK(sweep_shapes_data("x.lua", "table_size") &&
       sweep_shapes_data(NULL, "file-num") &&
       !sweep_shapes_data("tpcc", "threads"),
     "what shapes the data");
  OK(sweep_shapes_data("tpcc", "warehouses") &&
       sweep_shapes_data("tpcc", "history_key") &&
       sweep_shapes_data("secondary", "rows_per_key") &&
       sweep_shapes_data("counter", "rows") &&
       !sweep_shapes_data("ack", "rows") && !sweep_shapes_data(NULL, "rows"),
     "what shapes the data of one script");
  sweep_plan_done(&plan);
  optset_done(&s);
  return TAP_EXIT();
}
