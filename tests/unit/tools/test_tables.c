/*
 * test_tables.c - tables, figures with units, axes and parts of pages.
 */
#include <math.h>

#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "tools/axis.h"
#include "tools/chart.h"
#include "tools/html.h"
#include "tools/table.h"
#include "tools/units.h"

static void fill(struct table *t)
{
  table_cell(t, "name");
  table_cell(t, "n");
  table_cell(t, "note");
  table_end_row(t);
  table_cell(t, "a,\"b\"");
  table_cell(t, "1.50");
  table_end_row(t);
  table_cell(t, "c|d");
  table_cell(t, "-");
  table_cell(t, "x\ny");
  table_end_row(t);
}

static void test_table(void)
{
  static const char *const want[] = {
    "name      n  note\na,\"b\"  1.50\nc|d       -  x y\n",
    ("| name | n | note |\n|---|---:|---|\n| a,\"b\" | 1.50 |  |\n"
     "| c\\|d | - | x y |\n"),
    "name,n,note\n\"a,\"\"b\"\"\",1.50,\nc|d,-,\"x\ny\"\n",
  };
  struct table t = { 0 };

  fill(&t);
  for (int i = TABLE_TEXT; i <= TABLE_CSV; i++) {
    struct strbuf out = { 0 };

    table_print(&t, (enum table_format)i, &out);
    OK_STR(strbuf_str(&out), want[i], "a table");
    strbuf_done(&out);
  }
  table_done(&t);
}

static void test_markup(void)
{
  struct strbuf out = { 0 };
  struct table t = { 0 };

  table_cell(&t, "statement");
  table_end_row(&t);
  table_cell(&t, "SELECT COUNT(*), SUM(*) FROM `a` WHERE x <b AND c> 1");
  table_end_row(&t);
  table_print(&t, TABLE_MARKDOWN, &out);
  OK_STR(strbuf_str(&out),
         "| statement |\n|---|\n| SELECT COUNT(\\*), SUM(\\*) FROM \\`a\\` "
         "WHERE x \\<b AND c> 1 |\n",
         "statements are no markup");
  strbuf_done(&out);
  table_done(&t);
}

/*
 * The time of a table is proportional to its cells.  Otherwise this one would
 * take minutes.
 */
static void test_long_table(void)
{
  enum {
    ROWS = 50000
  };
  struct strbuf out = { 0 };
  struct table t = { 0 };
  size_t lines = 0;

  table_cell(&t, "step");
  table_cell(&t, "note");
  table_end_row(&t);
  for (int i = 1; i <= ROWS; i++) {
    table_cellf(&t, "%d", i);
    table_cell(&t, i == ROWS ? "the last" : "");
    table_end_row(&t);
  }
  table_print(&t, TABLE_TEXT, &out);
  for (const char *p = strbuf_str(&out); *p; p++)
    lines += *p == '\n';
  OK(lines == ROWS + 1 && table_right_aligned(&t, 0) &&
       strstr(strbuf_str(&out), "\n50000  the last\n"),
     "a long table");
  strbuf_done(&out);
  table_done(&t);
}

static void test_units(void)
{
  static const struct {
    double ns;
    const char *want;
  } times[] = {
    { 0, "0.000 ns" },    { 12.5, "12.50 ns" },   { 999.9, "999.9 ns" },
    { 1000, "1.000 us" }, { 999960, "1.000 ms" }, { 1234567, "1.235 ms" },
    { 5e9, "5.000 s" },   { 4.5e12, "4500 s" },   { NAN, "-" },
  };
  char text[UNIT_SIZE];

  for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
    OK_STR(unit_time(text, times[i].ns), times[i].want, "a time");
  OK_STR(unit_count(text, 7), "7", "a count");
  OK_STR(unit_count(text, 1234.56), "1235", "a rate");
  OK_STR(unit_count(text, 12345678), "12.35M", "a large one");
  OK_STR(unit_change(text, 0.9), "-10.0 %", "a slowdown");
  OK_STR(unit_change(text, 1.0125), "+1.25 %", "a small gain");
  OK_STR(unit_change(text, 102), "> +10000 %", "more than a factor of 100");
  OK_STR(unit_share(text, 1e9), "> 10000 %", "a share like that");
  OK_STR(unit_share(text, 0.031), "3.10 %", "a share");
}

static bool ticks_are_inside(const struct axis *a, unsigned max)
{
  for (size_t i = 0; i < a->n_ticks; i++) {
    const double place = axis_place(a, a->ticks[i].value);

    if (place < -1e-6 || place > 1 + 1e-6 || !a->ticks[i].label[0])
      return false;
  }
  return a->n_ticks >= 1 && a->n_ticks <= max + 2;
}

static void test_axes(void)
{
  static const double spans[][2] = {
    { 0, 1 },         { 0, 0 },      { 3, 3 },
    { -5, 17 },       { 0, 123456 }, { 1e9, 2e9 },
    { 0.001, 0.009 }, { 100, 1e12 }, { 5.5e6, 6e6 },
  };

  for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
    struct axis linear = { .unit = AXIS_COUNT };
    struct axis log = { .kind = AXIS_LOG, .unit = AXIS_TIME };

    axis_fit(&linear, spans[i][0], spans[i][1], 6);
    OK(ticks_are_inside(&linear, 6) && linear.low <= spans[i][0] &&
         linear.high >= spans[i][1],
       "a linear axis holds its values");
    if (spans[i][0] <= 0)
      continue;
    axis_fit(&log, spans[i][0], spans[i][1], 6);
    OK(log.low <= spans[i][0] && log.high >= spans[i][1] && log.n_ticks <= 8,
       "so does a logarithmic one");
  }
}

/* Files may contain figures that no run has measured. */
static void test_far_axes(void)
{
  static const double spans[][2] = {
    { 1, 1.7e308 },      { -1.7e308, 1.7e308 }, { 1.7e308, 1.7e308 },
    { 5e-324, 1.7e308 }, { 5e-324, 1e-320 },    { 0, 5e-324 },
    { 1e16, 1e16 + 2 },
  };

  for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
    struct axis linear = { .unit = AXIS_COUNT };
    struct axis log = { .kind = AXIS_LOG, .unit = AXIS_TIME };
    bool finite = true;

    axis_fit(&linear, spans[i][0], spans[i][1], 6);
    axis_fit(&log, spans[i][0], spans[i][1], 6);
    for (size_t k = 0; k < linear.n_ticks; k++)
      finite = finite && isfinite(linear.ticks[k].value);
    for (size_t k = 0; k < log.n_ticks; k++)
      finite = finite && isfinite(log.ticks[k].value);
    OK(finite && isfinite(linear.low) && isfinite(linear.high) &&
         isfinite(log.low) && isfinite(log.high),
       "axes are finite");
    OK(linear.n_ticks <= 8 && log.n_ticks <= 8, "and not full of ticks");
  }
}

static void test_charts(void)
{
  const double x[] = { 1, 2, 3 }, y[] = { 10, NAN, 30 };
  const double none[] = { NAN, NAN, NAN };
  struct chart c = {
    .title = "T<1>",
    .x = { .label = "s" },
    .y = { .label = "n", .from_zero = true },
    .lines = { { .name = "a&b", .x = x, .y = y, .n = 3 },
               { .name = "c", .x = x, .y = y, .n = 3 } },
    .n_lines = 2,
  };
  struct strbuf out = { 0 };

  OK(chart_svg(&c, &out), "a chart");
  OK(strstr(strbuf_str(&out), "T&lt;1&gt;") &&
       strstr(strbuf_str(&out), "a&amp;b"),
     "its texts are escaped");
  OK(!strstr(strbuf_str(&out), "nan") && !strstr(strbuf_str(&out), "inf"),
     "gaps are gaps");
  strbuf_clear(&out);
  c.lines[0].y = c.lines[1].y = none;
  OK(!chart_svg(&c, &out) && out.len == 0, "nothing to draw, nothing drawn");
  c.n_lines = 0;
  OK(!chart_svg(&c, &out) && out.len == 0, "no lines");
  strbuf_clear(&out);
  html_add(&out, "<a href='x'>\xff\x01 \xc3\xa4\"&");
  OK_STR(strbuf_str(&out), "&lt;a href=&#39;x&#39;&gt;?? \xc3\xa4&quot;&amp;",
         "text is escaped, what is none becomes a question mark");
  strbuf_done(&out);
}

int main(void)
{
  test_table();
  test_markup();
  test_long_table();
  test_units();
  test_axes();
  test_far_axes();
  test_charts();
  return TAP_EXIT();
}
