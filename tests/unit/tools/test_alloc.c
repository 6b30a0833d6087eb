/*
 * test_alloc.c - the n-th allocation fails while a sweep is planned and
 * while results are read, compared and shown.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "opt/optset.h"
#include "tests/unit/tap.h"
#include "tests/unit/torture.h"
#include "tools/compare.h"
#include "tools/compare_print.h"
#include "tools/groups.h"
#include "tools/result.h"
#include "tools/sweep_plan.h"
#include "tools/table.h"
#include "tools/view.h"

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "the test's own");
}

static int plan_sweep(void *set, struct err *err)
{
  struct sweep_plan plan = { .n_specs = 0 };
  struct strbuf text = { 0 };
  int rc = sweep_plan_init(&plan, set, NULL,
                           "a:1..4*2\nb-c:x,y\nthreads:2..6+2", 2, err);

  if (rc < 0)
    return rc;
  if (plan.n_combinations != 3 * 2 * 3)
    rc = -EIO;
  sweep_plan_describe(&plan, 0, &text);
  if (rc == 0 && text.failed)
    rc = no_memory(err);
  if (rc == 0 && strcmp(strbuf_str(&text), "a=1, b-c=x, threads=2") != 0)
    rc = -EIO;
  strbuf_done(&text);
  sweep_plan_done(&plan);
  return rc;
}

/* A sweep of two runs of four intervals each. */
static void write_results(FILE *f)
{
  (void)fprintf(f, "{\"schema\":\"bench-sweep/1\",\"steps\":[");
  for (int step = 0; step < 2; step++) {
    (void)fprintf(
      f,
      "%s{\"values\":{\"n\":\"%d\"},\"exit_status\":0,\"result\":{\"schema\":"
      "\"bench/1\",\"tool\":{\"version\":\"1\"},\"run\":{\"test\":\"cpu\","
      "\"threads\":1},\"options\":{\"n\":{\"value\":%d,\"source\":"
      "\"default\"},\"words\":{\"value\":[\"a\",\"b\"]}},\"totals\":"
      "{\"period_s\":4.0,\"events\":400,\"events_per_s\":100.0,\"errors\":0,"
      "\"latency_ns\":{\"min\":5,\"mean\":7.5,\"max\":9,\"percentiles\":"
      "{\"95\":8}}},\"intervals\":[",
      step ? "," : "", step, step);
    for (int i = 0; i < 8; i++)
      (void)fprintf(f,
                    "%s{\"elapsed_s\":%d.0,\"period_s\":1.0,\"events\":%d,"
                    "\"errors\":0,\"latency_ns\":{\"mean\":7.5}}",
                    i ? "," : "", i + 1, 100 + i % 3);
    (void)fprintf(f, "]}}");
  }
  (void)fprintf(f, "]}\n");
}

static int compare(const struct groups *g, struct err *err)
{
  struct comparisons c = { 0 };
  struct compare_summary summary = { .share = 0.05, .gated = true };
  struct strbuf text = { 0 };
  int rc = comparisons_init(&c, &g->of[0], &g->of[1], err);

  if (rc < 0)
    return rc;
  compare_print_group(&g->of[0], "base", false, &text);
  compare_print(&c, 0.05, false, &text);
  compare_summary_add(&summary, &c);
  compare_summary_print(&summary, &text);
  if (c.failed || text.failed)
    rc = no_memory(err);
  else if (c.n_differences != 1 || summary.all != 1)
    rc = -EIO;
  compare_summary_done(&summary);
  strbuf_done(&text);
  comparisons_done(&c);
  return rc;
}

/*
 * The parser's own allocations do not fail here, because it reports a lack of
 * memory in the same words as a bad file.
 */
static int read_results(void *path, struct err *err)
{
  struct result_file f = { 0 };
  struct groups g = { 0 };
  struct strbuf words = { 0 };
  int rc = result_load(&f, path, err);

  if (rc < 0)
    return rc;
  if (f.n_steps != 2 || f.steps[0].run->n_intervals != 8)
    rc = -EIO;
  if (rc == 0 && !result_option(f.steps[0].run, "words", &words))
    rc = -EIO;
  if (rc == 0 && words.failed)
    rc = no_memory(err);
  strbuf_done(&words);
  if (rc == 0)
    rc = groups_init(&g, &f, err);
  if (rc == 0)
    rc = g.n == 2 ? compare(&g, err) : -EIO;
  groups_done(&g);
  result_file_done(&f);
  return rc;
}

static int show_results(void *path, struct err *err)
{
  const char *const paths[] = { path };
  struct table t = { 0 };
  struct view v = { 0 };
  int rc = view_init(&v, paths, 1, err);

  if (rc < 0)
    return rc;
  rc = v.n_runs == 2 ? 0 : -EIO;
  view_summary(&v, &t);
  if (rc == 0 && t.failed)
    rc = no_memory(err);
  table_done(&t);
  view_done(&v);
  return rc;
}

struct other_cfg {
  uint64_t threads;
};

static const struct opt other_opts[] = {
  { OPT_INT(struct other_cfg, threads), .name = "threads", .def = "1" },
  OPT_END,
};

int main(void)
{
  char path[] = "/tmp/bench-alloc-XXXXXX";
  const int fd = mkstemp(path);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
  struct other_cfg other = { 0 };
  struct err err = { "" };
  struct optset set;

  if (!f)
    return 1;
  write_results(f);
  OK(fclose(f) == 0, "makes a file");
  optset_init(&set, COMPAT_1_0);
  OK(optset_add(&set, OPT_SECTION_GENERAL, NULL, other_opts, &other, &err) == 0,
     "options");
  OK(torture(plan_sweep, &set) > 10, "the plan of a sweep");
  OK(torture(read_results, path) > 20, "results, read and compared");
  OK(torture(show_results, path) > 20, "results, shown");
  optset_done(&set);
  (void)unlink(path);
  return TAP_EXIT();
}
