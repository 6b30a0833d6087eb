/*
 * test_view.c - what reports show of hand-made documents.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "tools/page_data.h"
#include "tools/table.h"
#include "tools/view.h"

enum {
  FILES_MAX = 3
};

/* Files with results, and the view of them. */
struct rig {
  char folder[32];
  char path[FILES_MAX][64];
  const char *paths[FILES_MAX];
  struct err err;
  struct view v;
};

static bool write_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "w");

  return f && fputs(text, f) >= 0 && fclose(f) == 0;
}

/* NULL ends the texts.  The files are removed after they were read. */
static int show(struct rig *r, const char *const *texts)
{
  size_t n = 0;
  int rc;

  *r = (struct rig){ .folder = "/tmp/bench-view-XXXXXX" };
  if (!mkdtemp(r->folder))
    return -1;
  for (; texts[n]; n++) {
    (void)snprintf(r->path[n], sizeof(r->path[n]), "%s/%zu.json", r->folder, n);
    r->paths[n] = r->path[n];
    if (!write_file(r->path[n], texts[n]))
      return -1;
  }
  rc = view_init(&r->v, r->paths, n, &r->err);
  if (rc < 0)
    printf("# %s\n", r->err.text);
  while (n-- > 0)
    (void)unlink(r->path[n]);
  (void)rmdir(r->folder);
  return rc;
}

/* Makes steps with the given values, all about equally fast. */
static void sweep(struct strbuf *out, const char *const *values)
{
  strbuf_adds(out, "{\"schema\": \"bench-sweep/1\", \"steps\": [");
  for (size_t i = 0; values[i]; i++)
    strbuf_addf(out,
                "%s{\"values\": {%s}, \"exit_status\": 0, \"result\": {"
                "\"run\": {\"test\": \"cpu\"}, \"totals\": {\"events\": 10, "
                "\"events_per_s\": %zu}}}",
                i > 0 ? "," : "", values[i], 100 - i);
  strbuf_adds(out, "]}");
}

/* What the page of a report draws. */
static json_t *drawn(struct rig *r, struct strbuf *out)
{
  json_t *page;

  strbuf_clear(out);
  page_data(&r->v, out);
  MUST(!out->failed && !strchr(strbuf_str(out), '<'));
  page = json_loads(strbuf_str(out), 0, NULL);
  MUST(page);
  return page;
}

static void test_uneven_sweeps(void)
{
  static const char *const of[][4] = {
    { "\"threads\": \"1\", \"x\": \"2\"", "\"threads\": \"2\"", NULL },
    { "\"threads\": \"2\"", "\"x\": \"2\", \"threads\": \"1\"", NULL },
    { "\"threads\": \"1\", \"x\": 7", "\"y\": \"8\"", NULL },
    { "\"x\": \"2\", \"threads\": \"1\"", "\"threads\": \"2\", \"x\": \"1\"",
      "\"x\": \"1\", \"threads\": \"3\"", NULL },
  };

  for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
    struct strbuf text = { 0 }, out = { 0 };
    struct rig r;
    json_t *page;

    sweep(&text, of[i]);
    OK(show(&r, (const char *const[]){ strbuf_str(&text), NULL }) == 0,
       "a sweep whose steps do not have the same values, or not in one order");
    page = drawn(&r, &out);
    OK(json_array_size(result_at(page, "runs")) == r.v.n_runs &&
         r.v.n_runs == i / 3 + 2,
       "is drawn whole");
    OK(result_number_at(page, "runs.0.repeats.0.0") == 100 &&
         result_number_at(page, "runs.1.repeats.0.0") == 99,
       "with its throughput");
    json_decref(page);
    strbuf_done(&out);
    view_done(&r.v);
    strbuf_done(&text);
  }
}

/* Makes a document of --memory-test with its results. */
static void memory_run(struct strbuf *out, const char *test)
{
  strbuf_addf(out,
              "{\"schema\": \"bench/1\", \"run\": {\"test\": \"memory\"}, "
              "\"totals\": {\"events\": 9, \"events_per_s\": 9}, \"test\": "
              "{%s}}",
              test);
}

/* Whatever numbers a document has, those of the page are JSON. */
static void test_far_numbers(void)
{
  static const char *const rates[] = { "1.7e308", "-1.7e308", "5e-324",
                                       "0",       "null",     "123456.5" };
  struct strbuf text = { 0 }, out = { 0 };
  struct rig r;
  json_t *page;

  strbuf_adds(&text, "{\"schema\": \"bench/1\", \"run\": {\"test\": "
                     "\"</script>\"}, \"totals\": {\"events_per_s\": 9, "
                     "\"hdr_histogram\": \"x\"}, \"intervals\": [");
  for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
    strbuf_addf(&text,
                "%s{\"elapsed_s\": %zu, \"period_s\": 1, \"events\": 1, "
                "\"events_per_s\": %s}",
                i > 0 ? "," : "", i + 1, rates[i]);
  strbuf_adds(&text, "]}");
  MUST(show(&r, (const char *const[]){ strbuf_str(&text), NULL }) == 0);
  page = drawn(&r, &out);
  OK(json_array_size(result_at(page, "runs.0.series.events_per_s.y")) == 6,
     "a column has a number for each interval");
  OK(json_is_null(result_at(page, "runs.0.series.events_per_s.y.4")),
     "and null where there is none");
  OK(!result_at(page, "runs.0.doc.totals.hdr_histogram"),
     "what is not drawn is not there");
  json_decref(page);
  view_done(&r.v);
  strbuf_done(&text);
  strbuf_done(&out);
}

/* Two machines side by side. */
static void test_figures(void)
{
  struct strbuf a = { 0 }, b = { 0 };
  struct table t = { 0 };
  struct rig r;

  memory_run(&a, "\"figures\": {\"read\": {\"value\": 1048576000, \"unit\": "
                 "\"bytes_per_s\"}, \"far\": {\"value\": 150, \"unit\": "
                 "\"ns\"}}");
  memory_run(&b, "\"figures\": {\"read\": {\"value\": 2097152000, \"unit\": "
                 "\"bytes_per_s\"}}");
  MUST(show(&r, (const char *const[]){ strbuf_str(&a), strbuf_str(&b),
                                       NULL }) == 0);
  view_figures(&r.v, &t);
  OK(t.columns == 3 && t.n == 9, "a row for each figure of the first");
  OK_STR(t.cells[4], "1000 MiB/s", "bandwidth");
  OK_STR(t.cells[5], "2000 MiB/s", "of both");
  OK_STR(t.cells[7], "150.0 ns", "times");
  OK_STR(t.cells[8], "-", "what the other one does not have");
  table_done(&t);
  view_done(&r.v);
  strbuf_done(&a);
  strbuf_done(&b);
}

/* Returns the cell of a column in a row; row 0 has the names of the columns. */
static const char *cell(const struct table *t, size_t row, const char *column)
{
  for (size_t c = 0; c < t->columns; c++) {
    if (strcmp(t->cells[c], column) == 0 && row * t->columns + c < t->n)
      return t->cells[row * t->columns + c];
  }
  return NULL;
}

static void test_percentiles(void)
{
  static const char run[] =
    "{\"schema\": \"bench/1\", \"run\": {\"test\": \"cpu\"}, \"options\": {"
    "\"percentile\": {\"value\": %s}, \"percentiles\": {\"value\": [%s]}}, "
    "\"totals\": {\"events\": 9, \"events_per_s\": 9, \"latency_ns\": "
    "{\"percentiles\": {%s}}}}";
  struct strbuf a = { 0 }, b = { 0 }, asked = { 0 }, has = { 0 };
  struct table t = { 0 };
  struct rig r;

  /* There are more of them than a reader would look at. */
  for (int i = 1; i <= 30; i++) {
    strbuf_addf(&asked, "%s\"%d.50\"", i > 1 ? "," : "", i);
    strbuf_addf(&has, "\"%d.5\": %d, ", i, i);
  }
  strbuf_adds(&has, "\"99.9\": 100, \"50\": 51, \"75\": 80");
  strbuf_addf(&a, run, "0", strbuf_str(&asked), strbuf_str(&has));
  strbuf_addf(&b, run, "42", "\"97.50\"",
              "\"97.5\": 98, \"42\": 43, \"50\": 52");
  OK(show(&r, (const char *const[]){ strbuf_str(&a), strbuf_str(&b), NULL }) ==
       0,
     "results with percentiles");
  view_summary(&r.v, &t);
  OK_STR(cell(&t, 1, "p1.5"), "1.000 ns", "all that were asked for are shown");
  OK_STR(cell(&t, 1, "p30.5"), "30.00 ns", "to the last one");
  OK_STR(cell(&t, 1, "p50"), "51.00 ns", "with the usual ones");
  OK_STR(cell(&t, 1, "p99.9"), "100.0 ns", "as far as they are there");
  OK(!cell(&t, 0, "p99") && !cell(&t, 0, "p75"), "and no others");
  OK_STR(cell(&t, 2, "p97.5"), "98.00 ns", "those of the second result too");
  OK_STR(cell(&t, 2, "p42"), "43.00 ns", "with that of its report");
  OK_STR(cell(&t, 1, "p97.5"), "-", "which the first one does not have");
  table_done(&t);
  view_done(&r.v);
  strbuf_done(&a);
  strbuf_done(&b);
  strbuf_done(&asked);
  strbuf_done(&has);
}

static void test_long_names(void)
{
  struct strbuf text = { 0 };
  struct table t = { 0 };
  struct rig r;

  strbuf_adds(
    &text, "{\"schema\": \"bench/1\", \"run\": {\"test\": \"t\"}, \"totals\": "
           "{\"events_per_s\": 9}, \"classes\": [{\"name\": \"");
  for (int i = 0; i < 299; i++)
    strbuf_adds(&text, "x");
  strbuf_adds(&text, "\xc3\xa4\"}]}");
  OK(show(&r, (const char *const[]){ strbuf_str(&text), NULL }) == 0,
     "a long statement");
  view_statements(&r.v.runs[0], &t);
  OK(strspn(cell(&t, 1, "operation"), "x") == 299 &&
       strlen(cell(&t, 1, "operation")) == 299,
     "is cut between characters");
  table_done(&t);
  view_done(&r.v);
  strbuf_done(&text);
}

static void test_repeats(void)
{
  static const char *const errors[] = {
    "",
    "{\"source\": \"mysql\", \"code\": \"1213\", \"count\": 3, \"text\": "
    "\"a\"}",
    "{\"source\": \"mysql\", \"code\": \"1205\", \"count\": 1, \"text\": "
    "\"b\"}, "
    "{\"source\": \"mysql\", \"code\": \"1213\", \"count\": 1, \"text\": \"c\"}"
  };
  static const int throughput[] = { 100, 90, 110 }, mean[] = { 7, 8, 9 };
  static const int error_sums[] = { 0, 3, 2 };
  struct strbuf text = { 0 };
  struct table t = { 0 };
  struct rig r;

  strbuf_adds(&text, "{\"schema\": \"bench-sweep/1\", \"steps\": [");
  for (int i = 0; i < 3; i++)
    strbuf_addf(&text,
                "%s{\"values\": {}, \"exit_status\": 0, \"result\": {"
                "\"run\": {\"test\": \"t\"}, \"totals\": {\"events\": 9, "
                "\"events_per_s\": %d, \"errors\": %d, \"latency_ns\": "
                "{\"mean\": %d, \"percentiles\": {\"95\": %d}}}, "
                "\"errors\": [%s]}}",
                i > 0 ? "," : "", throughput[i], error_sums[i], mean[i],
                10 * mean[i], errors[i]);
  strbuf_adds(&text, "]}");
  OK(show(&r, (const char *const[]){ strbuf_str(&text), NULL }) == 0,
     "repeats");
  view_summary(&r.v, &t);
  OK_STR(cell(&t, 1, "events/s"), "100", "have a median");
  OK_STR(cell(&t, 1, "mean"), "8.000 ns", "of each figure");
  OK_STR(cell(&t, 1, "p95"), "80.00 ns", "of percentiles, too");
  OK_STR(cell(&t, 1, "errors"), "5", "and all errors");
  table_done(&t);
  view_errors(&r.v, &t);
  OK_STR(cell(&t, 1, "code"), "1213", "by their codes");
  OK_STR(cell(&t, 1, "count"), "4", "added up");
  OK_STR(cell(&t, 2, "code"), "1205", "each once");
  OK_STR(cell(&t, 2, "count"), "1", "with its count");
  OK(!cell(&t, 3, "code"), "and no more");
  table_done(&t);
  view_done(&r.v);
  strbuf_done(&text);
}

static void test_differences(void)
{
  static const char *const runs[] = {
    "{\"schema\": \"bench/1\", \"run\": {\"test\": \"cpu\", \"error\": null}, "
    "\"database\": null, \"environment\": {\"cpu\": {\"model\": \"A\"}}, "
    "\"options\": {\"old\": {\"value\": 1, \"source\": \"command_line\"}, "
    "\"threads\": {\"value\": 2, \"source\": \"command_line\"}}, "
    "\"totals\": {\"events_per_s\": 9}}",
    "{\"schema\": \"bench/1\", \"run\": {\"test\": \"cpu\"}, "
    "\"database\": {\"server\": {\"version\": 8}}, "
    "\"environment\": {\"cpu\": {\"governor\": \"powersave\", \"model\": "
    "\"A\"}}, \"options\": {\"new\": {\"value\": 3, \"source\": "
    "\"command_line\"}, \"word\": {\"secret\": true, \"source\": "
    "\"command_line\"}, \"threads\": {\"value\": 2, \"source\": "
    "\"command_line\"}}, \"totals\": {\"events_per_s\": 9}}",
    NULL
  };
  struct strbuf out = { 0 };
  struct table t = { 0 };
  struct rig r;

  OK(show(&r, runs) == 0, "results that do not have the same keys");
  view_other_options(&r.v, &t);
  table_print(&t, TABLE_CSV, &out);
  OK_STR(strbuf_str(&out), "option,0,1\nold,1,\nnew,,3\n",
         "options that only one has are different");
  table_done(&t);
  strbuf_clear(&out);
  view_same_options(&r.v, &t);
  table_print(&t, TABLE_CSV, &out);
  OK_STR(strbuf_str(&out), "option,value\nthreads,2\n", "others are not");
  table_done(&t);
  strbuf_clear(&out);
  view_other_environment(&r.v, &t);
  table_print(&t, TABLE_CSV, &out);
  OK_STR(strbuf_str(&out),
         "fact,0,1\nenvironment.cpu.governor,,powersave\n"
         "database.server.version,,8\n",
         "so are facts, but not what neither knows");
  table_done(&t);
  view_done(&r.v);
  strbuf_done(&out);
}

static void test_names(void)
{
  static const struct {
    const char *paths[FILES_MAX + 1], *labels[FILES_MAX];
  } of[] = {
    { { "a.json" }, { "a" } },
    { { "x/a.json", "y/b.json" }, { "a", "b" } },
    { { "base/result.json", "new/result.json" },
      { "base/result", "new/result" } },
    { { "x/base/a.json", "y/base/a.json", "new/a.json" },
      { "x/base/a", "y/base/a", "new/a" } },
    { { "base/a.json", "x/base/a.json" }, { "base/a", "x/base/a" } },
    { { "a.json", "x/a.json", "b.json" }, { "a", "x/a", "b" } },
    { { "x/a", "x/a.json" }, { "x/a", "x/a.json" } },
    { { "a.json", "a.json" }, { "a", "a" } },
  };

  static const char *const folders[] = { "x",      "x/base", "y",
                                         "y/base", "base",   "new" };
  const size_t n_folders = sizeof(folders) / sizeof(folders[0]);
  char top[] = "/tmp/bench-view-XXXXXX";
  bool made = mkdtemp(top) && chdir(top) == 0;

  for (size_t i = 0; made && i < n_folders; i++)
    made = mkdir(folders[i], 0700) == 0;
  OK(made, "makes folders");
  for (size_t i = 0; made && i < sizeof(of) / sizeof(of[0]); i++) {
    struct view v = { 0 };
    struct err err = { "" };
    size_t n = 0;

    for (; of[i].paths[n]; n++)
      made = made && write_file(of[i].paths[n],
                                "{\"schema\": \"bench/1\", \"run\": {\"test\": "
                                "\"cpu\"}, \"totals\": {\"events_per_s\": 9}}");
    OK(made && view_init(&v, of[i].paths, n, &err) == 0 && v.n_runs == n,
       "results in folders");
    for (size_t k = 0; k < v.n_runs; k++)
      OK_STR(v.runs[k].label, of[i].labels[k],
             "are called by what is not the same");
    view_done(&v);
    while (n-- > 0)
      (void)unlink(of[i].paths[n]);
  }
  for (size_t i = n_folders; i > 0; i--)
    (void)rmdir(folders[i - 1]);
  (void)rmdir(top);
}

int main(void)
{
  test_repeats();
  test_differences();
  test_long_names();
  test_percentiles();
  test_uneven_sweeps();
  test_far_numbers();
  test_figures();
  test_names();
  return TAP_EXIT();
}
