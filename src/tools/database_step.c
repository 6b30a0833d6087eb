/*
 * database_step.c - statements and steps of `bench database`.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "opt/optset.h"
#include "results/options.h"
#include "results/outname.h"
#include "run/runner.h"
#include "tools/database.h"
#include "tools/output.h"
#include "tools/tool.h"

bool database_passes(const struct opt_entry *e)
{
  return e && (e->section == OPT_SECTION_DATABASE ||
               e->section == OPT_SECTION_DRIVER);
}

static void database_take_line(FILE *from, struct strbuf *ret)
{
  char *line = NULL;
  size_t size = 0;
  bool fatal = false;

  rewind(from);
  while (!fatal && getline(&line, &size, from) > 0) {
    line[strcspn(line, "\n")] = '\0';
    if (*line == '\0')
      continue;
    fatal = strncmp(line, "FATAL: ", 7) == 0;
    strbuf_clear(ret);
    strbuf_adds(ret, fatal ? line + 7 : line);
  }
  free(line);
}

int database_child(struct database *d, struct child_words *words,
                   enum child_out out, struct strbuf *line, int *ret_status,
                   struct err *err)
{
  FILE *quiet = scratch_file();
  struct child_command how = { .argv = words->of, .out = out };
  int rc = quiet ? 0 : err_sys(err, "cannot make a temporary file");

  strbuf_clear(line);
  if (rc == 0 && words->failed)
    rc = err_set(err, -ENOMEM, "not enough memory");
  if (rc == 0) {
    how.err_fd = fileno(quiet);
    rc = children_run(&d->children, &how, ret_status, err);
  }
  if (rc == 0)
    database_take_line(quiet, line);
  child_words_done(words);
  if (quiet)
    (void)fclose(quiet);
  return rc;
}

static void database_add_options(struct child_words *w,
                                 const struct database *d)
{
  const struct tool_args *args = d->args;

  for (int i = 1; i < args->argc; i++) {
    const char *arg = args->argv[i];
    char *name;

    if (strncmp(arg, "--", 2) != 0)
      continue;
    name = mem_strndup(arg + 2, strcspn(arg + 2, "="));
    w->failed |= !name;
    if (name && database_passes(optset_find(args->set, name)))
      child_words_addf(w, "%s", arg);
    free(name);
  }
  for (size_t i = 0; i < d->own.n; i++)
    child_words_addf(w, "%s", d->own.of[i]);
}

int database_run(struct database *d, const char *first, const char *second,
                 struct child_words *more, int *ret_status, struct err *err)
{
  struct child_words w = { 0 };
  int rc;

  child_words_addf(&w, "%s", d->args->argv[0]);
  child_words_addf(&w, "%s", first);
  child_words_addf(&w, "%s", second);
  database_add_options(&w, d);
  if (strncmp(first, "oltp_", 5) == 0 || strncmp(second, "oltp_", 5) == 0) {
    child_words_addf(&w, "--tables=%d", (int)DATABASE_TABLES);
    child_words_addf(&w, "--table-size=%llu", (unsigned long long)d->rows);
    child_words_addf(&w, "--rand-type=uniform");
  }
  for (size_t i = 0; i < more->n; i++)
    child_words_addf(&w, "%s", more->of[i]);
  w.failed |= more->failed;
  child_words_done(more);
  rc = database_child(d, &w, CHILD_OUT_NONE, &d->failure, ret_status, err);
  if (rc == 0 && *ret_status == EXIT_OK)
    strbuf_clear(&d->failure);
  return rc;
}

int database_put_sql(const struct database *d, const char *name,
                     const char *sql, struct strbuf *ret_path, struct err *err)
{
  strbuf_addf(ret_path, "%s/%s.sql", d->folder, name);
  return ret_path->failed
           ? err_set(err, -ENOMEM, "not enough memory")
           : output_put(strbuf_str(ret_path), sql, strlen(sql), err);
}

bool database_execute(struct database *d, const char *sql, const char *option)
{
  struct child_words more = { 0 };
  struct strbuf path = { 0 };
  struct err err = { "" };
  int status = EXIT_FAILED;
  int rc = database_put_sql(d, "once", sql, &path, &err);

  child_words_addf(&more, "--events=1");
  child_words_addf(&more, "--threads=1");
  child_words_addf(&more, "--time=30");
  child_words_addf(&more, "--server-stats=off");
  child_words_addf(&more, "--db-ps-mode=disable");
  if (option)
    child_words_addf(&more, "%s", option);
  if (rc == 0)
    rc = database_run(d, strbuf_str(&path), "run", &more, &status, &err);
  if (rc < 0) {
    strbuf_clear(&d->failure);
    strbuf_adds(&d->failure, err.text);
  }
  child_words_done(&more);
  strbuf_done(&path);
  return rc == 0 && status == EXIT_OK;
}

/* A file of SQL has one name in all documents. */
static void database_take_result(struct database_step *s, const char *path)
{
  json_t *json = json_load_file(path, 0, NULL);
  json_t *run = json_object_get(json, "run");
  const char *test = result_text_at(run, "test");
  const char *name = test ? strrchr(test, '/') : NULL;
  struct err unread = { "" };

  if (name)
    (void)json_object_set_new(run, "test", json_string(name + 1));
  if (json && result_load_json(&s->result, path, json, &unread) < 0)
    log_msg(LOG_WARNING, "%s", unread.text);
  (void)unlink(path);
  s->result.path = s->result.run.path = NULL;
}

void database_print(const struct database *d, struct strbuf *text)
{
  FILE *to = outname_is_stdout(d->args->results->json) ? stderr : stdout;

  (void)fprintf(to, "%s\n", strbuf_str(text));
  (void)fflush(to);
  strbuf_done(text);
}

int database_step(struct database *d, const struct database_how *h,
                  struct err *err)
{
  struct database_step *s = &d->steps[d->n_steps];
  const struct opt_entry *e = optset_find(d->args->set, "db-query-timeout");
  struct child_words more = { 0 };
  struct strbuf path = { 0 };
  int rc;

  *s = (struct database_step){ .part = h->part, .threads = h->threads };
  (void)snprintf(s->name, sizeof(s->name), "%s",
                 h->name ? h->name : database_part_name(h->part));
  strbuf_addf(&path, "%s/step.json", d->folder);
  child_words_addf(&more, "--time=%.3f", h->time_s * 0.9);
  child_words_addf(&more, "--warmup-time=%.3f", h->time_s * 0.1);
  child_words_addf(&more, "--threads=%u", h->threads);
  child_words_addf(&more, "--rate=%.10g", h->rate);
  child_words_addf(&more, "--slo=%s", h->judged ? d->objective : "");
  child_words_addf(&more, "--json=%s", strbuf_str(&path));
  child_words_addf(&more, "--sweep-role=step");
  child_words_addf(&more, "--db-query-timeout=%s",
                   e && e->given ? opt_get_string(e) : "60");
  for (size_t i = 0; i < 2 && h->option[i]; i++)
    child_words_addf(&more, "%s", h->option[i]);
  rc = database_run(d, h->test, "run", &more, &s->status, err);
  if (rc == 0) {
    database_take_result(s, strbuf_str(&path));
    d->n_steps++;
    strbuf_clear(&path);
    database_say_step(d, s, &path);
    database_print(d, &path);
  }
  strbuf_done(&path);
  if (rc == 0 && d->children.signal != 0)
    return -EINTR;
  if (rc == 0 && !h->may_fail &&
      (database_broke(s) ||
       (s->part == DATABASE_FLOOR && !(s->result.run.events > 0))))
    return err_set(err, -EIO, "%s failed: %s", s->name,
                   strbuf_str(&d->failure));
  return rc;
}
