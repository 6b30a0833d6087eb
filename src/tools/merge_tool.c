/*
 * merge_tool.c - `bench merge`: runs started at the same moment, without MPI,
 * as one result.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/jobj.h"
#include "results/options.h"
#include "results/outname.h"
#include "tools/merge_runs.h"
#include "tools/output.h"
#include "tools/report_page.h"
#include "tools/tool.h"
#include "tools/view.h"

static const struct opt merge_opts[] = { OPT_END };

struct merge_files {
  struct result_file *of;     /* owned */
  const struct result **runs; /* owned */
  size_t n;
};

static int merge_load(struct merge_files *f, const struct output *o,
                      struct err *err)
{
  f->of = calloc(o->n, sizeof(*f->of));
  f->runs = calloc(o->n, sizeof(*f->runs));
  if (!f->of || !f->runs)
    return err_set(err, -ENOMEM, "not enough memory for merging results");
  for (size_t i = 0; i < o->n; i++) {
    const int rc = result_load(&f->of[i], o->files[i], err);

    if (rc < 0)
      return rc;
    f->n = i + 1;
    f->runs[i] = &f->of[i].run;
    if (f->of[i].is_sweep)
      return err_set(err, -EINVAL,
                     "'%.400s' has several runs (expected the result of one "
                     "run)",
                     o->files[i]);
  }
  return 0;
}

static void merge_unload(struct merge_files *f)
{
  for (size_t i = 0; i < f->n; i++)
    result_file_done(&f->of[i]);
  free(f->of);
  free(f->runs);
}

/* Owned by the caller. */
static char *merge_text(const struct merge_files *f, struct strbuf *head,
                        struct err *err)
{
  struct merge m;
  json_t *document;
  char *text;

  if (merge_init(&m, f->runs, f->n, err) < 0)
    return NULL;
  document = merge_document(&m, err);
  strbuf_addf(head, "%zu runs, which ran together for %.3f of %.3f s\n\n", m.n,
              m.common_s, m.end_s - m.start_s);
  merge_done(&m);
  text = document ? jobj_pretty(document) : NULL;
  if (document && !text)
    (void)err_set(err, -ENOMEM, "not enough memory for merging results");
  json_decref(document);
  return text;
}

static int merge_print(const char *path, const struct strbuf *document,
                       struct strbuf *head, struct err *err)
{
  struct strbuf page = { 0 };
  struct view v;
  int rc = view_init_text(&v, path, document->text, document->len, err);

  if (rc < 0)
    return rc;
  rc = report_write(&v, REPORT_TEXT, &page, err);
  view_done(&v);
  if (rc == 0) {
    strbuf_add(head, strbuf_str(&page), page.len);
    rc = output_put("-", strbuf_str(head), head->len, err);
  }
  strbuf_done(&page);
  return rc;
}

static int merge_write(const struct output *o, const char *text,
                       struct strbuf *head, struct err *err)
{
  struct strbuf document = { 0 };
  int rc = 0;

  strbuf_addf(&document, "%s\n", text);
  if (document.failed)
    rc = err_set(err, -ENOMEM, "not enough memory for merging results");
  if (rc == 0 && *o->path)
    rc = output_put(o->path, document.text, document.len, err);
  if (rc == 0 && !outname_is_stdout(o->path))
    rc = merge_print(*o->path ? o->path : "merged", &document, head, err);
  strbuf_done(&document);
  return rc;
}

static int merge_run_tool(const struct tool_args *args, struct err *err)
{
  struct output o = { .path = args->results->json };
  struct merge_files files = { .n = 0 };
  struct strbuf head = { 0 };
  char *text = NULL;
  int rc = output_take(&o, args, err);

  if (rc == 0 && *o.path)
    rc = output_check(&o, "the merged result", err);
  if (rc == 0)
    rc = merge_load(&files, &o, err);
  if (rc == 0)
    text = merge_text(&files, &head, err);
  merge_unload(&files);
  if (text) {
    rc = merge_write(&o, text, &head, err) < 0 ? TOOL_FAILED : TOOL_OK;
  } else {
    rc = rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  }
  free(text);
  free(o.files);
  strbuf_done(&head);
  return rc;
}

const struct tool tool_merge = {
  .name = "merge",
  .summary = "make one result of runs at the same time on several machines",
  .usage = "RESULT.json RESULT.json [RESULT.json ...] [-o FILE]",
  .opts = merge_opts,
  .cfg_size = 1,
  .run = merge_run_tool,
};
