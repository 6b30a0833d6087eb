/*
 * test_tables.c - tables, figures with units and parts of pages.
 */
#include <math.h>

#include "base/strbuf.h"
#include "results/page.h"
#include "tests/unit/tap.h"
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

static void test_html(void)
{
  struct strbuf out = { 0 };
  struct table t = { 0 };

  page_add(&out, "<a href='x'>\xff\x01 \xc3\xa4\"& \xe2\x80\xae");
  OK_STR(strbuf_str(&out),
         "&lt;a href=&#39;x&#39;&gt;?\\x01 \xc3\xa4&quot;&amp; \\u202e",
         "text is escaped, so that it shows and does nothing else");
  strbuf_clear(&out);
  table_cell(&t, "time");
  table_cell(&t, "count");
  table_end_row(&t);
  table_time(&t, 12500);
  table_cell(&t, "1234567");
  table_end_row(&t);
  html_table(&out, &t);
  OK(strstr(strbuf_str(&out), "<td class=\"n\">12.50 \u00b5s</td>") &&
       strstr(strbuf_str(&out), "<td class=\"n\">1,234,567</td>"),
     "microseconds and separators of thousands");
  table_done(&t);
  strbuf_done(&out);
}

int main(void)
{
  test_table();
  test_markup();
  test_long_table();
  test_units();
  test_html();
  return TAP_EXIT();
}
