/*
 * report_tool.c - `bench report RESULT...`: an HTML report with charts, or the
 * same figures as Markdown or text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/outfile.h"
#include "results/outname.h"
#include "tools/report_page.h"
#include "tools/tool.h"
#include "tools/view.h"

struct report_cfg {
  int format; /* enum report_format */
  const char *output;
};

static const char *const format_words[] = { "html", "markdown", "text", NULL };

static const struct opt report_opts[] = {
  {
    OPT_WORD(struct report_cfg, format),
    .name = "format",
    .def = "html",
    .words = format_words,
    .help = "form of the report {html,markdown,text}",
  },
  {
    OPT_STRING(struct report_cfg, output),
    .name = "output",
    .def = "-",
    .flags = OPT_NOT_EMPTY | OPT_PATH,
    .show_as = "=FILE",
    .expected = "the name of a file, or - for the standard output",
    .help = "where to write the report; -o FILE is the same",
  },
  OPT_END,
};

/* `-o FILE` among the arguments; the rest stays in `files`. */
static int take_output(const struct tool_args *args, const char **ret_output,
                       const char **files, size_t *ret_n, struct err *err)
{
  size_t n = 0;

  for (size_t i = 0; i < args->n_files; i++) {
    if (strcmp(args->files[i], "-o") == 0) {
      if (i + 1 == args->n_files)
        return err_set(err, -EINVAL, "-o needs the name of a file");
      *ret_output = args->files[++i];
    } else {
      files[n++] = args->files[i];
    }
  }
  *ret_n = n;
  return n > 0 ? 0 : err_set(err, -EINVAL, "report needs a file");
}

/* A mistake: the output file is one of the results that are shown. */
static int check_output(const char *output, const char *const *files, size_t n,
                        struct err *err)
{
  for (size_t i = 0; i < n; i++) {
    if (outname_same(output, files[i]))
      return err_set(err, -EINVAL,
                     "the report would replace the result '%.400s' (expected "
                     "another file)",
                     files[i]);
  }
  return 0;
}

static int put(const char *output, const struct strbuf *text, struct err *err)
{
  struct whole_file f;
  int rc;

  rc = whole_file_open(&f, output, err);
  if (rc < 0)
    return rc;
  if (fwrite(text->text, 1, text->len, f.stream) != text->len) {
    rc = err_sys(err, "cannot write to '%s',", output);
    whole_file_abort(&f);
    return rc;
  }
  return whole_file_commit(&f, err);
}

static int run_report(const struct tool_args *args, struct err *err)
{
  const struct report_cfg *cfg = args->cfg;
  const char *output = cfg->output;
  const char **files = calloc(args->n_files + 1, sizeof(*files));
  struct view v = { 0 };
  struct strbuf page = { 0 };
  size_t n = 0;
  int rc;

  if (!files) {
    (void)err_set(err, -ENOMEM, "not enough memory for the report");
    return TOOL_FAILED;
  }
  rc = take_output(args, &output, files, &n, err);
  if (rc == 0)
    rc = check_output(output, files, n, err);
  if (rc == 0)
    rc = view_init(&v, files, n, err);
  free(files);
  if (rc < 0)
    return rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  rc = report_write(&v, (enum report_format)cfg->format, &page, err);
  if (rc == 0)
    rc = put(output, &page, err);
  strbuf_done(&page);
  view_done(&v);
  return rc < 0 ? TOOL_FAILED : TOOL_OK;
}

const struct tool tool_report = {
  .name = "report",
  .summary = "an HTML report with charts",
  .usage = "RESULT.json [RESULT.json ...] [-o FILE]",
  .opts = report_opts,
  .cfg_size = sizeof(struct report_cfg),
  .run = run_report,
};
