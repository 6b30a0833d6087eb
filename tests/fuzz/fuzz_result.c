/*
 * fuzz_result.c - whatever a file contains, reading it as results, comparing
 * and showing it does no harm; a result does not differ from itself.
 *
 * Input: the file.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "input.h"
#include "stats/hist_sum.h"
#include "tools/compare.h"
#include "tools/compare_print.h"
#include "tools/groups.h"
#include "tools/page_data.h"
#include "tools/result.h"
#include "tools/table.h"
#include "tools/view.h"

enum {
  INTERVALS_MAX = 64 /* bootstrapping more takes too long here */
};

static void check_run(const struct result *r)
{
  struct hist_sum *h = result_histogram(r);
  const char *key;
  struct strbuf value = { 0 };
  json_t *j;

  MUST(r->test);
  json_object_foreach((json_t *)(uintptr_t)result_at(r->json, "options"), key,
                      j)
  {
    strbuf_clear(&value);
    if (!result_option(r, key, &value))
      MUST(value.len == 0);
  }
  (void)result_percentile(r, "99.9");
  for (size_t i = 0; i < r->n_intervals; i++)
    (void)result_interval_percentile(&r->intervals[i], "95");
  hist_sum_free(h);
  strbuf_done(&value);
}

static void check_comparison(const struct group *g)
{
  struct compare_summary summary = { .share = 0.05, .gated = true };
  struct comparisons c = { 0 };
  struct strbuf out = { 0 };
  struct err err = { "" };
  json_t *j;

  for (size_t i = 0; i < g->n; i++) {
    if (g->runs[i]->n_intervals > INTERVALS_MAX)
      return;
  }
  if (comparisons_init(&c, g, g, &err) < 0) {
    MUST(err.text[0] != '\0');
    return;
  }
  MUST(c.n_differences == 0);
  MUST(gate_of(comparisons_decisive(&c), 0.05) != GATE_SLOWER);
  for (size_t i = 0; i < c.n; i++)
    MUST(!c.of[i].known || !c.of[i].r.differs);
  compare_print(&c, 0.05, false, &out);
  compare_summary_add(&summary, &c);
  compare_summary_print(&summary, &out);
  compare_summary_done(&summary);
  compare_print_group(g, "base", true, &out);
  MUST(!out.failed);
  j = compare_json(&c, 0.05, true);
  MUST(j);
  json_decref(j);
  strbuf_done(&out);
  comparisons_done(&c);
}

static void check_file(const struct result_file *f)
{
  struct groups groups = { 0 };
  struct err err = { "" };

  if (!f->is_sweep)
    check_run(&f->run);
  for (size_t i = 0; i < f->n_steps; i++) {
    MUST(f->steps[i].combination < f->n_combinations);
    if (f->steps[i].run)
      check_run(f->steps[i].run);
  }
  if (groups_init(&groups, f, &err) == 0) {
    check_comparison(&groups.of[0]);
    groups_done(&groups);
  } else {
    MUST(err.text[0] != '\0');
  }
}

static void check_view(const char *path)
{
  static void (*const tables[])(const struct view *v, struct table *t) = {
    view_summary,          view_errors,        view_warnings,
    view_same_options,     view_other_options, view_same_environment,
    view_other_environment
  };
  struct strbuf out = { 0 };
  struct err err = { "" };
  struct view v = { 0 };

  if (view_init(&v, &path, 1, &err) < 0) {
    MUST(err.text[0] != '\0');
    return;
  }
  for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
    struct table t = { 0 };

    tables[i](&v, &t);
    table_print(&t, TABLE_MARKDOWN, &out);
    table_done(&t);
  }
  MUST(!out.failed);
  strbuf_clear(&out);
  page_data(&v, &out);
  MUST(!out.failed && !strchr(strbuf_str(&out), '<'));
  strbuf_done(&out);
  view_done(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const int fd = memfd_create("fuzz", 0);
  struct result_file f = { 0 };
  struct err err = { "" };
  char path[64];

  MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  if (result_load(&f, path, &err) == 0) {
    check_file(&f);
    result_file_done(&f);
    check_view(path);
  } else {
    MUST(err.text[0] != '\0' && !strchr(err.text, '\n'));
    MUST(!f.json);
  }
  (void)close(fd);
  return 0;
}
