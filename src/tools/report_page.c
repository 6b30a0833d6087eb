#include "tools/report_page.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tools/compare.h"
#include "tools/compare_print.h"
#include "tools/html.h"
#include "tools/table.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"
#include "tools/view.h"

struct page {
  const struct view *v;
  enum report_format format;
  const char *part; /* [opt] headings are below its heading */
  bool in_section;  /* of HTML */
  struct strbuf out;
};

static void report_page_add_text(struct page *p, const char *before,
                                 const char *text, const char *after)
{
  strbuf_adds(&p->out, before);
  table_add_text(&p->out, text,
                 p->format == REPORT_MARKDOWN ? TABLE_MARKDOWN : TABLE_TEXT);
  strbuf_adds(&p->out, after);
}

/* The script of the page finds sections by their kinds. */
static void report_page_heading(struct page *p, const char *kind,
                                const char *text)
{
  if (p->format == REPORT_HTML) {
    html_section_end(&p->out, &p->in_section);
    html_section(&p->out, kind, text, p->part);
    p->in_section = true;
  } else if (p->format == REPORT_MARKDOWN) {
    report_page_add_text(p, p->part ? "\n### " : "\n## ", text, "\n\n");
  } else {
    report_page_add_text(p, "\n", text, ":\n");
  }
}

static void report_page_put_table(struct page *p, struct table *t)
{
  if (p->format == REPORT_HTML)
    html_table(&p->out, t);
  else
    table_print(t, p->format == REPORT_MARKDOWN ? TABLE_MARKDOWN : TABLE_TEXT,
                &p->out);
  table_done(t);
}

/* Nothing if the table has no rows. */
static void report_page_part(struct page *p, const char *title,
                             void (*fill)(const struct view *v,
                                          struct table *t))
{
  struct table t = { 0 };

  fill(p->v, &t);
  if (t.n > t.columns) {
    report_page_heading(p, title, title);
    report_page_put_table(p, &t);
  }
  table_done(&t);
}

static void report_page_of_runs(struct page *p, const char *what,
                                void (*fill)(const struct view_run *r,
                                             struct table *t))
{
  for (size_t i = 0; i < p->v->n_runs && i < VIEW_RUNS_MAX; i++) {
    struct table t = { 0 };
    struct strbuf title = { 0 };

    fill(&p->v->runs[i], &t);
    strbuf_adds(&title, what);
    if (p->v->n_runs > 1)
      strbuf_addf(&title, " of %s", p->v->runs[i].label);
    if (t.n > t.columns) {
      report_page_heading(p, what, strbuf_str(&title));
      report_page_put_table(p, &t);
    }
    table_done(&t);
    strbuf_done(&title);
  }
}

static void report_page_paragraphs(struct page *p, const char *text)
{
  size_t len;

  for (; (len = strcspn(text, "\n")) > 0; text += len + (text[len] != '\0')) {
    struct strbuf one = { 0 };

    strbuf_add(&one, text, len);
    if (p->format == REPORT_HTML)
      html_paragraph(&p->out, strbuf_str(&one));
    else
      report_page_add_text(p, "", strbuf_str(&one),
                           p->format == REPORT_MARKDOWN ? "\n\n" : "\n");
    p->out.failed = p->out.failed || one.failed;
    strbuf_done(&one);
  }
}

/* Pages only: the verdicts of bench compare; the first file is the base. */
static void report_page_comparison(struct page *p)
{
  const struct view *v = p->v;
  struct compare_summary s = { .share = VERDICT_SHARE,
                               .files = v->n_files > 2 };

  for (size_t i = 1; i < v->n_files && i < VIEW_RUNS_MAX; i++) {
    for (size_t k = 0; k < v->groups[0].n; k++) {
      const struct group *base = &v->groups[0].of[k];
      const struct group *other = groups_find(&v->groups[i], base->values);
      struct comparisons c = { 0 };
      struct err ignored;

      if (other && comparisons_init(&c, base, other, &ignored) == 0)
        compare_summary_add(&s, &c);
      comparisons_done(&c);
    }
  }
  if (s.table.n > s.table.columns) {
    report_page_heading(p, "Comparison", "Comparison");
    report_page_put_table(p, &s.table);
    report_page_paragraphs(p, strbuf_str(&s.lines));
  }
  compare_summary_done(&s);
}

/* Pages only. */
static void report_page_laws(struct page *p)
{
  const struct view *v = p->v;

  for (size_t i = 0; i < v->n_files && !v->has_parts; i++) {
    struct strbuf text = { 0 };
    struct usl usl;

    if (v->finds[i] || !v->groups[i].of[0].values ||
        !usl_of_groups(&v->groups[i], &usl))
      continue;
    usl_print(&usl,
              json_object_iter_key(json_object_iter(
                (json_t *)(uintptr_t)v->groups[i].of[0].values)),
              &text);
    report_page_heading(p, "Scalability",
                        v->n_files > 1 ? v->names[i] : "Scalability");
    report_page_paragraphs(p, strbuf_str(&text));
    p->out.failed = p->out.failed || text.failed;
    strbuf_done(&text);
  }
}

static void find_part(struct page *p)
{
  struct strbuf answers = { 0 };

  if (!p->v->has_find)
    return;
  report_page_heading(p, "Search", "Search");
  view_find_answers(p->v, &answers);
  report_page_paragraphs(p, strbuf_str(&answers));
  p->out.failed = p->out.failed || answers.failed;
  strbuf_done(&answers);
  report_page_part(p, "Steps", view_find_steps);
}

static void report_page_write_results(struct page *p)
{
  find_part(p);
  report_page_part(p, "Summary", view_summary);
  report_page_part(p, "Members", view_members);
  report_page_part(p, "Options that differ", view_other_options);
  report_page_part(p, "Warnings", view_warnings);
  report_page_part(p, "Outages", view_outages);
  report_page_part(p, "Dips", view_coincidences);
  report_page_part(p, "Marks", view_marks);
  report_page_part(p, "Figures", view_figures);
  report_page_of_runs(p, "Operations", view_statements);
  report_page_of_runs(p, "Wait events", view_server_waits);
  report_page_of_runs(p, "Top statements (server)", view_server_statements);
  report_page_part(p, "Errors", view_errors);
  report_page_part(p, "Options", view_same_options);
}

static void report_page_write_environment(struct page *p)
{
  report_page_part(p, "Environment that differs", view_other_environment);
  report_page_part(p, "Environment", view_same_environment);
}

/* The environment is that of the first part. */
static int report_page_write_parts(struct page *p, struct err *err)
{
  const struct view *all = p->v;
  struct view first = { 0 };
  int rc = 0;

  report_page_part(p, "Parts that failed", view_failed);
  for (size_t i = 0; i < all->n_runs && rc >= 0; i++) {
    struct view one;

    rc = view_part(all, i, &one, err);
    if (rc <= 0)
      continue;
    p->v = &one;
    report_page_heading(p, "Part", view_part_name(&one));
    p->part = view_part_name(&one);
    report_page_write_results(p);
    p->part = NULL;
    if (i == 0)
      first = one;
    else
      view_part_done(&one);
  }
  p->v = &first;
  if (rc >= 0)
    report_page_write_environment(p);
  view_part_done(&first);
  p->v = all;
  return rc < 0 ? rc : 0;
}

/* The page's script draws them in HTML. */
static void report_page_write_sentences(struct page *p, const json_t *json)
{
  static const struct {
    const char *key, *before;
  } lines[] = { { "cut", "Not measured, because the time was too short: " },
                { "tls_failure", "Not measured: " },
                { "isolation", "Isolation: " },
                { "left_behind", "Tables are left; to remove them: " } };
  const char *end = p->format == REPORT_MARKDOWN ? "\n\n" : "\n";
  const json_t *of = json_object_get(json, "database"), *one;
  size_t i;

  if (!of)
    return;
  strbuf_adds(&p->out, "\n");
  json_array_foreach(json_object_get(of, "sentences"), i, one)
  {
    if (json_is_string(one))
      report_page_add_text(p, "", json_string_value(one), end);
  }
  json_array_foreach(json_object_get(of, "remarks"), i, one)
  {
    const char *text = result_text_at(one, "text");
    const char *advice = result_text_at(one, "advice");

    report_page_add_text(
      p, i == 0 ? "\nremark: " : "remark: ", text ? text : "", "");
    report_page_add_text(p, advice ? "; " : "", advice ? advice : "", end);
  }
  for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    const json_t *value = json_object_get(of, lines[i].key);
    const char *before = lines[i].before;
    size_t k;

    if (json_is_string(value)) {
      strbuf_adds(&p->out, "\n");
      report_page_add_text(p, before, json_string_value(value), end);
    }
    json_array_foreach(value, k, one)
    {
      strbuf_adds(&p->out, k == 0 ? "\n" : "");
      report_page_add_text(p, k == 0 ? before : ", ",
                           json_is_string(one) ? json_string_value(one) : "",
                           "");
    }
    strbuf_adds(&p->out, json_array_size(value) > 0 ? end : "");
  }
}

void report_sentences(const json_t *json, struct strbuf *out)
{
  struct page p = { .format = REPORT_TEXT };

  report_page_write_sentences(&p, json);
  strbuf_adds(out, strbuf_str(&p.out));
  strbuf_done(&p.out);
}

static int report_page_write_page(struct page *p, struct err *err)
{
  /* There is one.
   * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  const struct result *r = p->v->runs[0].run;
  const char *when = result_text_at(r->json, "run.start_time");
  const bool html = p->format == REPORT_HTML;
  struct strbuf title = { 0 };
  int rc = 0;

  strbuf_addf(&title, "bench report: %s",
              p->v->has_parts
                ? result_file_tool(&p->v->files[0]) + strlen("bench ")
                : r->test);
  if (html)
    html_begin(&p->out, strbuf_str(&title));
  else
    report_page_add_text(p, p->format == REPORT_MARKDOWN ? "# " : "",
                         strbuf_str(&title), "\n");
  strbuf_clear(&title);
  strbuf_addf(&title, "bench %s, %s", r->version ? r->version : "?",
              when ? when : "not started");
  if (html)
    html_paragraph(&p->out, strbuf_str(&title));
  else
    report_page_add_text(p, "\n", strbuf_str(&title), "\n");
  strbuf_done(&title);

  for (size_t i = 0; i < p->v->n_files && !html; i++)
    report_page_write_sentences(p, p->v->files[i].json);
  if (html) {
    report_page_comparison(p);
    report_page_laws(p);
  }
  if (p->v->has_parts) {
    rc = report_page_write_parts(p, err);
  } else {
    report_page_write_results(p);
    report_page_write_environment(p);
  }
  if (html) {
    html_section_end(&p->out, &p->in_section);
    html_end(&p->out, p->v);
  }
  return rc;
}

int report_write(const struct view *v, enum report_format format,
                 struct strbuf *ret, struct err *err)
{
  struct page p = { .v = v, .format = format };
  int rc = report_page_write_page(&p, err);

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
