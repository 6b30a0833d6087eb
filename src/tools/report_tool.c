/*
 * report_tool.c - `bench report`: results as HTML, Markdown or text.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "tools/output.h"
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

static int run_report(const struct tool_args *args, struct err *err)
{
  const struct report_cfg *cfg = args->cfg;
  struct output o = { .path = cfg->output };
  struct view v = { 0 };
  struct strbuf page = { 0 };
  int rc = output_take(&o, args, err);

  if (rc == 0)
    rc = output_check(&o, "the report", err);
  if (rc == 0)
    rc = view_init(&v, o.files, o.n, err);
  free(o.files);
  if (rc < 0)
    return rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  rc = report_write(&v, (enum report_format)cfg->format, &page, err);
  if (rc == 0)
    rc = output_put(o.path, strbuf_str(&page), page.len, err);
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
