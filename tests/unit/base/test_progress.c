/*
 * test_progress.c - lines of progress: their words, width and times.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/progress.h"
#include "tests/unit/tap.h"

static const struct progress_point half = {
  .verb = "Loaded",
  .unit = PROGRESS_ROWS,
  .total = 400000,
  .done = 123640,
  .bytes = UINT64_C(24) << 20,
};

static const struct {
  unsigned columns;
  const char *line;
} widths[] = {
  { 0,
    "Loaded 123640 of 400000 rows (31%), 61820 rows/s, 12.0 MiB/s, 4 s left; "
    "sbtest1 31%, sbtest2 30%" },
  { 97,
    "Loaded 123640 of 400000 rows (31%), 61820 rows/s, 12.0 MiB/s, 4 s left; "
    "sbtest1 31%, sbtest2 30%" },
  { 96,
    "Loaded 123640 of 400000 rows (31%), 61820 rows/s, 12.0 MiB/s, 4 s left" },
  { 80,
    "Loaded 123640 of 400000 rows (31%), 61820 rows/s, 12.0 MiB/s, 4 s left" },
  { 70, "Loaded 123640 of 400000 rows (31%), 61820 rows/s, 4 s left" },
  { 50, "Loaded 123640 of 400000 rows (31%), 4 s left" },
  { 40, "123640 of 400000 rows (31%), 4 s left" },
  { 20, "31%, 4 s left" },
  { 8, "31%, 4 " },
  { 1, "" },
};

static void test_widths(void)
{
  for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
    struct strbuf line = { 0 };

    progress_line(&line, &half, 2 * NS_PER_S, "sbtest1 31%, sbtest2 30%",
                  widths[i].columns);
    OK_STR(strbuf_str(&line), widths[i].line, "what fits into the width");
    OK(widths[i].columns == 0 || line.len < widths[i].columns,
       "the last column stays free");
    strbuf_done(&line);
  }
}

static const struct {
  struct progress_point at;
  uint64_t passed_ns;
  const char *line, *sum;
} cases[] = {
  { { "Loaded", PROGRESS_ROWS, 1000, 500, 100, 0 },
    2 * NS_PER_S,
    "Loaded 500 of 1000 rows (50%), 200 rows/s, 3 s left",
    "Loaded 400 rows in 2.0 s, 200 rows/s" },
  { { "Loaded", PROGRESS_ROWS, 1000, 1000, 0, 0 },
    2 * NS_PER_S,
    "Loaded 1000 of 1000 rows (100%), 500 rows/s",
    "Loaded 1000 rows in 2.0 s, 500 rows/s" },
  { { "Loaded", PROGRESS_ROWS, 1000, 0, 0, 0 },
    0,
    "Loaded 0 of 1000 rows (0%)",
    "Loaded 0 rows in 0.0 s" },
  { { "Checked", PROGRESS_ROWS, 0, 0, 0, 0 },
    NS_PER_S,
    "Checked 0 of 0 rows (100%), 0 rows/s",
    "Checked 0 rows in 1.0 s, 0 rows/s" },
  { { "Wrote", PROGRESS_BYTES, UINT64_C(1) << 40, UINT64_C(1) << 30, 0, 0 },
    10 * NS_PER_S,
    "Wrote 1024 of 1048576 MiB (0%), 102.4 MiB/s, 2 h 50 min left",
    "Wrote 1024 MiB in 10.0 s, 102.4 MiB/s" },
  { { "Wrote", PROGRESS_BYTES, UINT64_C(1) << 30, UINT64_C(1) << 24, 0, 0 },
    2 * NS_PER_S,
    "Wrote 16 of 1024 MiB (2%), 8.0 MiB/s, 2 min 6 s left",
    "Wrote 16 MiB in 2.0 s, 8.0 MiB/s" },
  { { "Warmed up", PROGRESS_TABLES, 8, 3, 0, 0 },
    64 * NS_PER_S,
    "Warmed up 3 of 8 tables (38%), 1 min 4 s so far",
    "Warmed up 3 tables in 64.0 s" },
  { { "Loaded", PROGRESS_ROWS, 100000, 99999, 0, 0 },
    NS_PER_S,
    "Loaded 99999 of 100000 rows (100%), 99999 rows/s, 1 s left",
    "Loaded 99999 rows in 1.0 s, 99999 rows/s" },
};

static void test_words(void)
{
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    struct strbuf line = { 0 }, sum = { 0 };

    progress_line(&line, &cases[i].at, cases[i].passed_ns, "", 0);
    progress_sum(&sum, &cases[i].at, cases[i].passed_ns);
    OK_STR(strbuf_str(&line), cases[i].line, "a line");
    OK_STR(strbuf_str(&sum), cases[i].sum, "the sum");
    strbuf_done(&line);
    strbuf_done(&sum);
  }
}

/* The terminal and the clock of the test. */
struct scene {
  uint64_t now;
  unsigned columns;
  char shown[128];
  int lines, staying, removed;
};

static uint64_t scene_now(void *ctx)
{
  return ((struct scene *)ctx)->now;
}

static unsigned scene_columns(void *ctx)
{
  return ((struct scene *)ctx)->columns;
}

static void scene_show(void *ctx, const char *line, bool stays)
{
  struct scene *s = ctx;

  if (!line) {
    s->removed++;
    return;
  }
  (void)snprintf(s->shown, sizeof(s->shown), "%s", line);
  s->lines++;
  s->staying += stays;
}

static void scene_look(void *ctx, struct progress_point *ret,
                       struct strbuf *detail)
{
  (void)ctx;
  *ret = half;
  strbuf_adds(detail, "a detail");
}

static const struct progress_io scene_io = { scene_now, scene_columns,
                                             scene_show };

static void test_terminal(void)
{
  struct scene s = { .now = NS_PER_S, .columns = 81 };
  struct progress p;
  uint64_t due;

  progress_init(&p, &scene_io, &s, scene_look, NULL);
  due = progress_tick(&p);
  OK(s.lines == 0 && due == NS_PER_S + NS_PER_S / 4, "not at once");
  s.now = due;
  due = progress_tick(&p);
  OK(s.lines == 1 && s.staying == 0, "then a line that is replaced");
  OK(due == s.now + NS_PER_S / 4, "and the next one soon");
  s.columns = 40;
  s.now = due;
  (void)progress_tick(&p);
  OK(s.lines == 2 && strlen(s.shown) < 40, "the terminal was made smaller");
  s.columns = 200;
  s.now += NS_PER_S;
  (void)progress_tick(&p);
  OK(strstr(s.shown, "; a detail") != NULL, "and larger");
  progress_print_sum(&p);
  OK(s.staying == 1, "the sum stays");
}

static void test_pipe(void)
{
  struct scene s = { .now = NS_PER_S };
  struct progress p;

  progress_init(&p, &scene_io, &s, scene_look, NULL);
  s.now = 11 * NS_PER_S - 1;
  (void)progress_tick(&p);
  OK(s.lines == 0, "not before ten seconds have passed");
  s.now = 11 * NS_PER_S;
  OK(progress_tick(&p) == 21 * NS_PER_S, "the next one ten seconds later");
  OK(s.lines == 1 && s.staying == 1, "a line for good");
  OK(strstr(s.shown, "; a detail") != NULL, "as long as it wants");
}

static void test_thread(void)
{
  struct scene s = { .now = NS_PER_S, .columns = 80 };
  struct progress p;

  progress_init(&p, &scene_io, &s, scene_look, NULL);
  progress_start(&p);
  progress_stop(&p);
  OK(s.removed == 1, "stopping removes the line");
  progress_stop(&p);
  OK(s.removed == 1, "once");
}

int main(void)
{
  test_widths();
  test_words();
  test_terminal();
  test_pipe();
  test_thread();
  return TAP_EXIT();
}
