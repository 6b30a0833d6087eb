/*
 * files.c - a command must not write to a file that it reads, nor twice to one
 * file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "db/url.h"
#include "lua/find/resolve.h"
#include "opt/cmdline.h"
#include "opt/suggest.h"
#include "program/internal.h"
#include "results/outname.h"
#include "run/mix/list.h"

enum {
  FILES_OUT_MAX = RESULTS_FILES + 8,
};

struct files {
  const struct program *p;
  size_t n_out;
  struct results_file out[FILES_OUT_MAX];
  struct err *err;
};

/* Besides options of results. */
static const char *const written[] = { "mark",         "ack-log",
                                       "file-ack-log", "history-file",
                                       "history",      "export-edn",
                                       "export-json" };

static bool files_is_written(const char *name)
{
  for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
    if (opt_name_equal(written[i], name))
      return true;
  }
  return false;
}

/* Also before the option's test is known. */
static const char *files_value(const struct program *p, const char *name)
{
  const char *text = "";

  if (optset_find(&p->set, name))
    return program_value(&p->set, name);
  for (const struct cmdline_pending *o = p->cmdline.first; o; o = o->next) {
    if (opt_name_equal(o->given.name, name))
      text = o->given.text;
  }
  return text;
}

/* The steps of a sweep check their own files. */
static bool files_of_step(const struct program *p, const char *option)
{
  return sweep_wanted(&p->opts.sweep) && strcmp(option, "json") != 0 &&
         strcmp(option, "summary") != 0 && !files_is_written(option);
}

static int files_write(struct files *f, const char *option, const char *path)
{
  const struct results_file new = { option, path };

  if (path[0] == '\0')
    return 0;
  for (size_t i = 0; i < f->n_out; i++) {
    if (files_of_step(f->p, option) == files_of_step(f->p, f->out[i].option) &&
        outname_same(path, f->out[i].path))
      return err_set(f->err, -EINVAL,
                     "--%s and --%s cannot both write to '%s' (expected a file "
                     "for each)",
                     f->out[i].option, option, path);
  }
  f->out[f->n_out++] = new;
  return 0;
}

/* `what`: "the file of --config-file". */
static int files_read(struct files *f, const char *what, const char *path)
{
  if (path[0] == '\0' || strcmp(path, "-") == 0)
    return 0;
  for (size_t i = 0; i < f->n_out; i++) {
    if (!files_of_step(f->p, f->out[i].option) &&
        outname_same(f->out[i].path, path))
      return err_set(f->err, -EINVAL,
                     "--%s would replace %s, '%s' (expected another file)",
                     f->out[i].option, what, path);
  }
  return 0;
}

static int files_read_option(struct files *f, const char *option,
                             const char *path)
{
  char what[80];

  (void)snprintf(what, sizeof(what), "the file of --%s", option);
  return files_read(f, what, path);
}

/* SQLite creates files next to an open database. */
static int files_read_sqlite(struct files *f, const char *option,
                             const char *path)
{
  static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
  struct strbuf name = { 0 };
  int rc = 0;

  for (size_t i = 0; i < ARRAY_SIZE(ends) && rc == 0; i++) {
    strbuf_clear(&name);
    strbuf_addf(&name, "%s%s", path, ends[i]);
    rc = files_read_option(f, option, strbuf_str(&name));
  }
  strbuf_done(&name);
  return rc;
}

/* Steps of a sweep read the URL themselves. */
static int files_read_url(struct files *f)
{
  const char *text = program_value(&f->p->set, "dsn");
  const char *option = *text ? "dsn" : "sqlite-db";
  struct err ignored = { "" };
  struct url url;
  int rc = 0;

  if (*text == '\0')
    text = getenv("BENCH_DSN");
  if (!text || url_parse(text, &url, &ignored) < 0)
    return 0; /* refused on use */
  if (strncmp(url.scheme, "sqlite", strlen("sqlite")) == 0)
    rc = files_read_sqlite(f, option, url.path);
  url_done(&url);
  return rc;
}

static int files_read_test(struct files *f, const char *what, const char *typed)
{
  char *path = NULL;
  int rc;

  if (program_kind(typed) == PROGRAM_SCRIPT)
    path = program_script_path(f->p, typed);
  else if (program_kind(typed) == PROGRAM_SQLFILE)
    return files_read(f, what, typed);
  rc = path ? files_read(f, what, path) : 0;
  free(path);
  return rc;
}

static int files_read_members(struct files *f)
{
  struct mix_list list = { 0 };
  struct err ignored = { "" };
  int rc = 0;

  if (mix_list_parse(&list, &f->p->opts.mix.members, &ignored) == 0) {
    for (size_t i = 0; i < list.n && rc == 0; i++)
      rc = files_read_test(f, "a member of --mix", list.of[i].script);
  }
  mix_list_done(&list);
  return rc;
}

static int files_read_options(struct files *f)
{
  const struct program *p = f->p;
  int rc = 0;

  for (size_t i = 0; i < p->set.n && rc == 0; i++) {
    const struct opt_entry *e = p->set.entries[i];
    const struct opt *row = e->row;

    if (row->alias_of || !(row->flags & OPT_PATH) ||
        row->type != OPT_TYPE_STRING || files_is_written(row->name) ||
        opt_rows_have(results_opts, row->name))
      continue;
    rc = strcmp(row->name, "sqlite-db") == 0
           ? files_read_sqlite(f, row->name, opt_get_string(e))
           : files_read_option(f, row->name, opt_get_string(e));
  }
  for (const struct cmdline_file *c = p->cmdline.files; c && rc == 0;
       c = c->next)
    rc = files_read_option(f, "config-file", c->path);
  return rc;
}

/* Results come first in messages. */
static int files_write_all(struct files *f)
{
  const struct program *p = f->p;
  const struct results_cfg *cfg = &p->opts.results;
  struct results_file results[RESULTS_FILES];
  int rc = 0;

  results_files(cfg, results);
  for (size_t i = 0; i < RESULTS_FILES && rc == 0; i++)
    rc = files_write(f, results[i].option, results[i].path);
  if (rc == 0 && p->opts.sweep.role != SWEEP_ROLE_STEP)
    rc = files_write(f, "summary", results_summary(cfg));
  for (size_t i = 0; i < ARRAY_SIZE(written) && rc == 0; i++)
    rc = files_write(f, written[i], files_value(p, written[i]));
  return rc;
}

char *program_rank_file(const char *name, unsigned rank)
{
  struct strbuf b = { 0 };

  strbuf_addf(&b, "%s.rank%u", name, rank);
  return b.text;
}

int program_check_files(const struct program *p, struct err *err)
{
  struct files f = { .p = p, .err = err };
  int rc = files_write_all(&f);

  if (rc < 0 || f.n_out == 0)
    return rc;
  rc = files_read_options(&f);
  if (rc == 0)
    rc = files_read_url(&f);
  if (rc == 0 && p->opts.mix.members.n > 0)
    rc = files_read_members(&f);
  else if (rc == 0 && p->cmdline.action == CMDLINE_TEST && p->cmdline.test)
    rc = files_read_test(&f, "the test", p->cmdline.test);
  if (p->cmdline.action == CMDLINE_TOOL) {
    for (size_t i = 0; i < p->cmdline.n_args && rc == 0; i++)
      rc = files_read(&f, "a file that is read", p->cmdline.args[i]);
  }
  return rc;
}
