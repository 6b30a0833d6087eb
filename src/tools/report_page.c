/*
 * report_page.c - the report of results: an HTML page with charts, or the same
 * figures as Markdown or text.
 */
#include "tools/report_page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tools/html.h"
#include "tools/knee.h"
#include "tools/table.h"
#include "tools/view.h"
#include "tools/view_charts.h"

struct page {
  const struct view *v;
  enum report_format format;
  bool in_part; /* headings are below that of a part */
  struct strbuf out;
};

static void add_text(struct page *p, const char *before, const char *text,
                     const char *after)
{
  strbuf_adds(&p->out, before);
  table_add_text(&p->out, text,
                 p->format == REPORT_MARKDOWN ? TABLE_MARKDOWN : TABLE_TEXT);
  strbuf_adds(&p->out, after);
}

static void heading(struct page *p, const char *text)
{
  if (p->format == REPORT_HTML && p->in_part)
    html_subheading(&p->out, text);
  else if (p->format == REPORT_HTML)
    html_heading(&p->out, text);
  else if (p->format == REPORT_MARKDOWN)
    add_text(p, p->in_part ? "\n### " : "\n## ", text, "\n\n");
  else
    add_text(p, "\n", text, ":\n");
}

static void put_table(struct page *p, struct table *t)
{
  if (p->format == REPORT_HTML)
    html_table(&p->out, t);
  else
    table_print(t, p->format == REPORT_MARKDOWN ? TABLE_MARKDOWN : TABLE_TEXT,
                &p->out);
  table_done(t);
}

/* A part with a table; nothing if the table has no rows. */
static void part(struct page *p, const char *title,
                 void (*fill)(const struct view *v, struct table *t))
{
  struct table t = { 0 };

  fill(p->v, &t);
  if (t.n > t.columns) {
    heading(p, title);
    put_table(p, &t);
  }
  table_done(&t);
}

/* A table for each run. */
static void of_runs(struct page *p, const char *what,
                    void (*fill)(const struct view_run *r, struct table *t))
{
  for (size_t i = 0; i < p->v->n_runs && i < VIEW_RUNS_MAX; i++) {
    struct table t = { 0 };
    struct strbuf title = { 0 };

    fill(&p->v->runs[i], &t);
    strbuf_adds(&title, what);
    if (p->v->n_runs > 1)
      strbuf_addf(&title, " of %s", p->v->runs[i].label);
    if (t.n > t.columns) {
      heading(p, strbuf_str(&title));
      put_table(p, &t);
    }
    table_done(&t);
    strbuf_done(&title);
  }
}

/* The figures of each interval; pages only. */
static void intervals(struct page *p)
{
  for (size_t i = 0; i < p->v->n_runs && i < VIEW_RUNS_MAX; i++) {
    struct table t = { 0 };
    struct strbuf title = { 0 };

    view_intervals(&p->v->runs[i], &t);
    strbuf_adds(&title, "Intervals");
    if (p->v->n_runs > 1)
      strbuf_addf(&title, " of %s", p->v->runs[i].label);
    if (t.n > t.columns)
      html_numbers(&p->out, &t, strbuf_str(&title));
    table_done(&t);
    strbuf_done(&title);
  }
}

/* A part with charts; nothing when nothing is drawn. */
static void charts(struct page *p, const char *title,
                   void (*draw)(const struct view *v, struct strbuf *out))
{
  struct strbuf drawn = { 0 };

  draw(p->v, &drawn);
  if (drawn.len > 0) {
    heading(p, title);
    strbuf_adds(&p->out, "<div class=\"charts\">\n");
    strbuf_adds(&p->out, strbuf_str(&drawn));
    strbuf_adds(&p->out, "</div>\n");
  }
  p->out.failed = p->out.failed || drawn.failed;
  strbuf_done(&drawn);
}

static void sweep_part(struct page *p)
{
  struct strbuf text = { 0 };
  bool repeats = false;

  for (size_t i = 0; i < p->v->n_runs; i++)
    repeats = repeats || p->v->runs[i].group->n > 1;
  heading(p, "Sweep");
  view_charts_sweep(p->v, &p->out);
  strbuf_addf(&text,
              "%sThe best step has the highest throughput; the knee is the "
              "smallest value that reaches %.0f %% of it.",
              repeats ? "Points are medians of the repeats, vertical lines "
                        "their ranges. "
                      : "",
              100 * KNEE_SHARE);
  strbuf_adds(&p->out, "<p class=\"dim\">");
  html_add(&p->out, strbuf_str(&text));
  strbuf_adds(&p->out, "</p>\n");
  strbuf_done(&text);
}

/* The answer of a search, with its steps. */
static void find_part(struct page *p)
{
  struct strbuf answers = { 0 };
  const char *line;
  size_t len;

  if (!p->v->has_find)
    return;
  heading(p, "Search");
  view_find_answers(p->v, &answers);
  line = strbuf_str(&answers);
  for (; (len = strcspn(line, "\n")) > 0; line += len + 1) {
    struct strbuf one = { 0 };

    strbuf_add(&one, line, len);
    if (p->format == REPORT_HTML)
      html_paragraph(&p->out, strbuf_str(&one));
    else
      add_text(p, "", strbuf_str(&one),
               p->format == REPORT_MARKDOWN ? "\n\n" : "\n");
    strbuf_done(&one);
  }
  p->out.failed = p->out.failed || answers.failed;
  strbuf_done(&answers);
  if (p->format == REPORT_HTML)
    charts(p, "Latency by load", view_charts_find);
  part(p, "Steps", view_find_steps);
}

static void pictures(struct page *p)
{
  char text[128];

  if (p->v->has_sweep && !p->v->has_find)
    sweep_part(p);
  if (p->v->n_runs > VIEW_RUNS_MAX) {
    (void)snprintf(text, sizeof(text),
                   "The charts below show the first %d of %zu results.",
                   VIEW_RUNS_MAX, p->v->n_runs);
    html_paragraph(&p->out, text);
  }
  if (view_has_samples(p->v)) {
    charts(p, "Memory", view_charts_memory);
    return;
  }
  charts(p, "Kernels", view_charts_kernels);
  charts(p, "Over time", view_charts_over_time);
  charts(p, "Members over time", view_charts_members);
  charts(p, "Distribution of latencies", view_charts_distribution);
  charts(p, "Distribution of fsync", view_charts_fsync);
}

/* What the results have measured, and how. */
static void write_results(struct page *p)
{
  find_part(p);
  part(p, "Summary", view_summary);
  part(p, "Members", view_members);
  part(p, "Options that differ", view_other_options);
  part(p, "Warnings", view_warnings);
  part(p, "Dips", view_coincidences);
  part(p, "Marks", view_marks);
  if (p->format == REPORT_HTML)
    pictures(p);
  part(p, "Figures", view_figures);
  of_runs(p, "Operations", view_statements);
  of_runs(p, "What sessions waited for", view_server_waits);
  of_runs(p, "Statements as the server counts them", view_server_statements);
  part(p, "Errors", view_errors);
  if (p->format == REPORT_HTML)
    charts(p, "System", view_charts_system);
  if (p->format == REPORT_HTML && !view_has_samples(p->v))
    intervals(p);
  part(p, "Options", view_same_options);
}

static void write_environment(struct page *p)
{
  part(p, "Environment that differs", view_other_environment);
  part(p, "Environment", view_same_environment);
}

/* One section for each part.  The environment is that of the first one. */
static int write_parts(struct page *p, struct err *err)
{
  const struct view *all = p->v;
  struct view first = { 0 };
  int rc = 0;

  part(p, "Parts that failed", view_failed);
  for (size_t i = 0; i < all->n_runs && rc >= 0; i++) {
    struct view one;

    rc = view_part(all, i, &one, err);
    if (rc <= 0)
      continue;
    p->v = &one;
    heading(p, view_part_name(&one));
    p->in_part = true;
    write_results(p);
    p->in_part = false;
    if (i == 0)
      first = one;
    else
      view_part_done(&one);
  }
  p->v = &first;
  if (rc >= 0)
    write_environment(p);
  view_part_done(&first);
  p->v = all;
  return rc < 0 ? rc : 0;
}

static int write_page(struct page *p, struct err *err)
{
  /* There is one.
   * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  const struct result *r = p->v->runs[0].run;
  const char *when = result_text_at(r->json, "run.start_time");
  const bool html = p->format == REPORT_HTML;
  struct strbuf title = { 0 };
  int rc = 0;

  strbuf_addf(&title, "bench report: %s",
              p->v->has_parts ? "machine" : r->test);
  if (html)
    html_begin(&p->out, strbuf_str(&title));
  else
    add_text(p, p->format == REPORT_MARKDOWN ? "# " : "", strbuf_str(&title),
             "\n");
  strbuf_clear(&title);
  strbuf_addf(&title, "bench %s, %s", r->version ? r->version : "?",
              when ? when : "not started");
  if (html) {
    strbuf_adds(&p->out, "<p class=\"dim\">");
    html_add(&p->out, strbuf_str(&title));
    strbuf_adds(&p->out, "</p>\n");
  } else {
    add_text(p, "\n", strbuf_str(&title), "\n");
  }
  strbuf_done(&title);

  if (p->v->has_parts) {
    rc = write_parts(p, err);
  } else {
    write_results(p);
    write_environment(p);
  }
  if (html)
    html_end(&p->out);
  return rc;
}

int report_write(const struct view *v, enum report_format format,
                 struct strbuf *ret, struct err *err)
{
  struct page p = { .v = v, .format = format };
  int rc = write_page(&p, err);

  if (rc == 0 && p.out.failed)
    rc = err_set(err, -ENOMEM, "not enough memory for the report");
  if (rc < 0)
    strbuf_done(&p.out);
  else
    *ret = p.out;
  return rc;
}

int report_page(const char *text, size_t len, struct strbuf *ret,
                struct err *err)
{
  struct view v = { 0 };
  int rc = view_init_text(&v, "run", text, len, err);

  if (rc == 0)
    rc = report_write(&v, REPORT_HTML, ret, err);
  view_done(&v);
  return rc;
}
