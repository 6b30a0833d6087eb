/*
 * report_tool.c - `bench report`: results as HTML, Markdown or text.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "results/kept.h"
#include "results/outname.h"
#include "tools/output.h"
#include "tools/report_page.h"
#include "tools/result.h"
#include "tools/table.h"
#include "tools/tool.h"
#include "tools/view.h"

struct report_cfg {
  int format; /* enum report_format */
  const char *output;
  bool list;
};

#define REPORT_LAST "1" /* of the kept results */

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
  {
    OPT_BOOL(struct report_cfg, list),
    .name = "list",
    .def = "off",
    .help = "list the results kept of the last runs, with their numbers",
  },
  OPT_END,
};

static void report_add_row(struct table *t, size_t number, const char *folder,
                           const char *name)
{
  char path[PATH_MAX];
  struct result_file f = { 0 };
  struct err ignored;

  if (snprintf(path, sizeof(path), "%s/%s", folder, name) >=
        (int)sizeof(path) ||
      result_load(&f, path, &ignored) < 0)
    return;
  table_cellf(t, "%zu", number);
  table_cellf(t, "%.4s-%.2s-%.2s %.2s:%.2s:%.2s", name, name + 4, name + 6,
              name + 9, name + 11, name + 13);
  if (f.has_parts) {
    table_cell(t, result_file_tool(&f));
  } else if (f.is_sweep) {
    const struct result *r = f.n_steps > 0 ? f.steps[0].run : NULL;

    table_cellf(t, "%s of %s",
                result_at(f.json, "sweep.search") ? "search" : "sweep",
                r && r->test ? r->test : "a test");
  } else {
    table_cell(t, f.run.test ? f.run.test : "");
    table_cellf(t, "%.0f", f.run.threads);
    table_cellf(t, "%.0f", f.run.period_s);
    table_cellf(t, "%.2f", f.run.events_per_s);
    table_time(t, result_percentile(&f.run, "95"));
  }
  table_end_row(t);
  result_file_done(&f);
}

static int report_list(struct err *err)
{
  static const char *const head[] = { "number",  "end (UTC)", "test", "threads",
                                      "seconds", "events/s",  "p95" };
  struct table t = { 0 };
  struct kept_name *names = NULL;
  struct strbuf out = { 0 };
  char folder[PATH_MAX];
  const size_t n = kept_folder(folder) ? kept_list(folder, &names) : 0;
  int rc = 0;

  for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
    table_cell(&t, head[i]);
  table_end_row(&t);
  for (size_t i = 0; i < n; i++)
    report_add_row(&t, i + 1, folder, names[i].text);
  table_print(&t, TABLE_TEXT, &out);
  if (t.failed || out.failed)
    rc = err_set(err, -ENOMEM, "not enough memory for the list");
  else
    rc = output_put("-", strbuf_str(&out), out.len, err);
  table_done(&t);
  strbuf_done(&out);
  free(names);
  return rc < 0 ? TOOL_FAILED : TOOL_OK;
}

static bool report_is_set(const char *variable)
{
  const char *value = getenv(variable);

  return value && *value;
}

static bool report_open(const char *page)
{
  const char *own = report_is_set("BROWSER") ? getenv("BROWSER") : "xdg-open";
  char program[PATH_MAX];
  char *const argv[] = { program, (char *)(uintptr_t)page, NULL };
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  pid_t pid;
  int rc;

  if (!report_is_set("DISPLAY") && !report_is_set("WAYLAND_DISPLAY"))
    return false;
  /* The first of a list. */
  (void)snprintf(program, sizeof(program), "%.*s", (int)strcspn(own, ":"), own);
  if (posix_spawnattr_init(&attr) != 0)
    return false;
  if (posix_spawn_file_actions_init(&files) != 0) {
    (void)posix_spawnattr_destroy(&attr);
    return false;
  }
  (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    (void)posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  rc = posix_spawnp(&pid, program, &files, &attr, argv, environ);
  (void)posix_spawn_file_actions_destroy(&files);
  (void)posix_spawnattr_destroy(&attr);
  return rc == 0;
}

/* In a browser; without one, prints text. */
static int report_show(const struct view *v, struct strbuf *page,
                       struct err *err)
{
  char folder[PATH_MAX], path[PATH_MAX + 16];
  struct strbuf text = { 0 };
  int rc = kept_ready(folder, true);

  (void)snprintf(path, sizeof(path), "%s/report.html", folder);
  if (rc == 0)
    rc = output_put(path, strbuf_str(page), page->len, err);
  if (rc == 0)
    (void)chmod(path, S_IRUSR | S_IWUSR);
  if (rc == 0 && report_open(path)) {
    (void)printf("The page is %s\n", path);
    return 0;
  }
  if (rc == 0)
    strbuf_addf(&text, "\nThe page is %s\n", path);
  strbuf_clear(page);
  rc = report_write(v, REPORT_TEXT, page, err);
  if (rc == 0) {
    strbuf_adds(page, strbuf_str(&text));
    rc = output_put("-", strbuf_str(page), page->len, err);
  }
  strbuf_done(&text);
  return rc;
}

static bool report_is_for_terminal(const struct report_cfg *cfg,
                                   const struct output *o)
{
  return cfg->format == REPORT_HTML && outname_is_stdout(o->path) &&
         isatty(STDOUT_FILENO) == 1;
}

static int report_put(const struct tool_args *args, const struct output *o,
                      const struct view *v, struct err *err)
{
  const struct report_cfg *cfg = args->cfg;
  const bool terminal = report_is_for_terminal(cfg, o);
  struct strbuf page = { 0 };
  int rc;

  if (terminal && optset_find(args->set, "format")->given)
    return err_set(err, -EINVAL,
                   "an HTML page is not for a terminal; write the page with "
                   "-o FILE, or use --format=text");
  rc = report_write(v, (enum report_format)cfg->format, &page, err);
  if (rc == 0)
    rc = terminal ? report_show(v, &page, err)
                  : output_put(o->path, strbuf_str(&page), page.len, err);
  strbuf_done(&page);
  return rc;
}

static int report_take(struct output *o, const struct tool_args *args,
                       struct err *err)
{
  char last[PATH_MAX];
  int rc = output_take_any(o, args, err);

  if (rc < 0 || o->n > 0)
    return rc;
  if (!kept_path(REPORT_LAST, last))
    return err_set(err, -EINVAL,
                   "report needs a file, since no result is kept here (bench "
                   "keeps those of runs of one second or more)");
  o->files[o->n++] = REPORT_LAST;
  return 0;
}

static int run_report(const struct tool_args *args, struct err *err)
{
  const struct report_cfg *cfg = args->cfg;
  struct output o = { .path = cfg->output };
  struct view v = { 0 };
  int rc;

  if (cfg->list)
    return report_list(err);
  rc = report_take(&o, args, err);
  if (rc == 0)
    rc = output_check(&o, "the report", err);
  if (rc == 0)
    rc = view_init(&v, o.files, o.n, err);
  free(o.files);
  if (rc < 0)
    return rc == -ENOMEM ? TOOL_FAILED : TOOL_BAD_INPUT;
  rc = report_put(args, &o, &v, err);
  view_done(&v);
  return rc == -EINVAL ? TOOL_BAD_INPUT : rc < 0 ? TOOL_FAILED : TOOL_OK;
}

const struct tool tool_report = {
  .name = "report",
  .summary = "write an HTML report with charts",
  .usage = "[RESULT.json|NUMBER ...] [-o FILE]",
  .opts = report_opts,
  .cfg_size = sizeof(struct report_cfg),
  .run = run_report,
};
