/*
 * sweep.c - the course of a sweep: checks all steps, runs them one after the
 * other, shows the results.
 */
#include "tools/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "results/outfile.h"
#include "run/runner.h"
#include "stats/slo.h"
#include "tools/scratch.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"

bool sweep_outcome_good(const struct sweep_outcome *o)
{
  return !o->failed && o->result.json && o->result.run.events_per_s >= 0;
}

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the sweep");
}

/* One command of a step, in a process of its own. */
static int run_command(struct sweep *s, const struct sweep_process *p,
                       struct child_command how, int *ret_status,
                       struct err *err)
{
  char **args = sweep_args(s, p);
  int rc;

  if (!args)
    return no_memory(err);
  how.argv = args;
  if (sweep_has_parts(s))
    how.folder = s->in->parts[p->combination].folder;
  rc = children_run(&s->children, &how, ret_status, err);
  sweep_args_free(args);
  return rc;
}

/* "1-8" */
static bool looks_like_range(const char *text)
{
  static const char digits[] = "0123456789";
  const size_t from = strspn(text, digits);

  return from > 0 && text[from] == '-' && text[from + 1] != '\0' &&
         strspn(text + from + 1, digits) == strlen(text + from + 1);
}

static void copy_to_stderr(FILE *from)
{
  char piece[512];
  size_t n;

  rewind(from);
  while ((n = fread(piece, 1, sizeof(piece), from)) > 0)
    (void)fwrite(piece, 1, n, stderr);
}

/* Print what a check has reported, in the same words as without a sweep. */
static void show_complaint(const struct sweep *s, FILE *complaint,
                           size_t combination)
{
  struct strbuf what = { 0 };

  copy_to_stderr(complaint);
  sweep_plan_describe(&s->plan, combination, &what);
  if (s->plan.n_specs > 0 && !sweep_finds(s))
    (void)fprintf(stderr, "Sweep step %s is not valid; nothing was run\n",
                  strbuf_str(&what));
  strbuf_done(&what);
  for (size_t i = 0; i < s->plan.n_specs; i++) {
    if (looks_like_range(sweep_plan_value(&s->plan, combination, i)))
      (void)fprintf(stderr, "ranges are written 1..8, and not 1-8\n");
  }
}

/* Returns -EINVAL if the step was refused, which was printed. */
static int check_command(struct sweep *s, size_t combination,
                         const char *command, struct err *err)
{
  FILE *complaint = tmpfile();
  const struct sweep_process p = { .combination = combination,
                                   .command = command,
                                   .role = "check" };
  struct child_command how = { .out = CHILD_OUT_NONE };
  int status = 0, rc;

  if (!complaint)
    return err_sys(err, "cannot make a temporary file");
  how.err_fd = fileno(
    complaint); /* the file becomes the standard error of the check */
  (void)fcntl(how.err_fd, F_SETFD, FD_CLOEXEC);
  rc = run_command(s, &p, how, &status, err);
  if (rc == 0 && status != EXIT_OK) {
    show_complaint(s, complaint, combination);
    rc = -EINVAL;
  }
  (void)fclose(complaint);
  return rc;
}

static int check_steps(struct sweep *s, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < s->plan.n_combinations && rc == 0; i++) {
    rc = check_command(s, i, "run", err);
    if (rc == 0 && s->prepares)
      rc = check_command(s, i, "prepare", err);
    if (rc == 0 && s->prepares)
      rc = check_command(s, i, "cleanup", err);
    if (s->children.signal != 0)
      return 0;
  }
  return rc;
}

/* Run a command before or after a run: it is silent, unless it fails. */
static int run_around(struct sweep *s, struct sweep_outcome *o,
                      const char *command, struct err *err)
{
  const struct sweep_process p = { .combination = o->combination,
                                   .command = command,
                                   .role = "step" };
  const struct child_command how = { .out = CHILD_OUT_NONE, .err_fd = -1 };
  int status = 0;
  int rc = run_command(s, &p, how, &status, err);

  if (rc == 0 && status != EXIT_OK && !o->failed) {
    o->failed = command;
    o->status = status;
  }
  return rc;
}

/* A step whose result cannot be read counts as failed. */
static void take_result(struct sweep_outcome *o, const char *path)
{
  struct err err = { "" };

  if (access(path, F_OK) != 0)
    return;
  if (result_load(&o->result, path, &err) < 0)
    log_msg(LOG_WARNING, "%s", err.text);
  (void)unlink(path);
  o->result.path = NULL; /* the file is gone */
  o->result.run.path = NULL;
}

/* A search judges steps whose events do not end itself. */
static bool is_usable_status(const struct sweep *s,
                             const struct sweep_outcome *o)
{
  return o->status == EXIT_OK || o->missed ||
         (sweep_finds(s) && o->status == EXIT_FORCED);
}

static enum child_out output_of(const struct sweep *s)
{
  if (sweep_finds(s))
    return CHILD_OUT_NONE;
  return s->text == stderr ? CHILD_OUT_STDERR : CHILD_OUT_SAME;
}

/* The messages of a step of a search, which nobody wants to read unless it
 * fails: what they say about its figures is in its result. */
static FILE *quiet_file(const struct sweep *s)
{
  FILE *f = sweep_finds(s) ? tmpfile() : NULL;

  if (f)
    (void)fcntl(fileno(f), F_SETFD, FD_CLOEXEC);
  return f;
}

/* `step`: its number, or 0 for a reference. */
static int run_test(struct sweep *s, struct sweep_outcome *o, size_t step,
                    struct err *err)
{
  FILE *quiet = quiet_file(s);
  const struct child_command how = {
    .out = output_of(s),
    .err_fd = quiet ? fileno(quiet) : -1,
  };
  struct strbuf path = { 0 };
  struct sweep_process p = { .combination = o->combination,
                             .command = "run",
                             .role = "step",
                             .step = step };
  int rc;

  strbuf_addf(&path, "%s/step.json", s->folder);
  if (path.failed)
    return no_memory(err);
  p.json = strbuf_str(&path);
  rc = run_command(s, &p, how, &o->status, err);
  if (rc == 0) {
    take_result(o, strbuf_str(&path));
    o->missed = o->status == SLO_EXIT_STATUS && o->result.json;
    if (!is_usable_status(s, o) || !o->result.json)
      o->failed = "run";
  }
  if (quiet && o->failed && !sweep_find_explained(s, o))
    copy_to_stderr(quiet);
  if (quiet)
    (void)fclose(quiet);
  strbuf_done(&path);
  return rc;
}

bool sweep_is_first(const struct sweep *s)
{
  return s->n_outcomes == 0 && s->n_references == 0;
}

static void announce(const struct sweep *s, const struct sweep_outcome *o)
{
  const size_t all = s->plan.n_combinations * s->plan.repeats;
  struct strbuf what = { 0 };

  if (sweep_has_parts(s))
    strbuf_adds(&what, s->in->parts[o->combination].name);
  else
    sweep_plan_describe(&s->plan, o->combination, &what);
  (void)fprintf(s->text, "%s=== %s %zu of %zu%s%s",
                sweep_is_first(s) ? "" : "\n",
                sweep_has_parts(s) ? "Part" : "Step", s->n_outcomes + 1, all,
                what.len > 0 ? ": " : "", strbuf_str(&what));
  if (s->plan.repeats > 1)
    (void)fprintf(s->text, " (repeat %zu of %zu)", o->repeat, s->plan.repeats);
  (void)fputs("\n\n", s->text);
  strbuf_done(&what);
}

int sweep_perform(struct sweep *s, struct sweep_outcome *o, size_t step,
                  struct err *err)
{
  const bool prepares = sweep_has_parts(s)
                          ? s->in->parts[o->combination].prepares
                          : s->prepares;
  int rc = 0;

  if (prepares)
    rc = run_around(s, o, "cleanup", err);
  if (rc == 0 && prepares && !o->failed)
    rc = run_around(s, o, "prepare", err);
  if (rc == 0 && !o->failed)
    rc = run_test(s, o, step, err);
  if (rc == 0 && prepares)
    rc = run_around(s, o, "cleanup", err);
  return rc;
}

bool sweep_is_over(const struct sweep *s)
{
  return s->children.signal != 0 || s->reset_status != 0;
}

int sweep_step(struct sweep *s, size_t combination, size_t repeat,
               struct err *err)
{
  struct sweep_outcome *o = &s->outcomes[s->n_outcomes];
  int rc;

  *o = (struct sweep_outcome){ .combination = combination, .repeat = repeat };
  if (!sweep_finds(s))
    announce(s, o);
  (void)fflush(s->text);
  rc = sweep_reset(s, o, err);
  if (rc < 0 || sweep_is_over(s))
    return rc;
  rc = sweep_perform(s, o, s->n_outcomes + 1, err);
  s->n_outcomes++;
  return rc;
}

/* Wait between two steps. */
static void pause_between(struct sweep *s)
{
  if (!sweep_is_first(s) && s->in->cfg->pause_s > 0)
    children_pause(&s->children, s->in->cfg->pause_s);
}

/* Run the steps until all are done, a signal arrives, or nothing can go on. */
static int run_steps(struct sweep *s, struct err *err)
{
  const size_t all = s->plan.n_combinations * s->plan.repeats;

  /* A plan has steps.
   * NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI) */
  s->outcomes = calloc(all, sizeof(*s->outcomes));
  s->references = calloc(sweep_references_max(s) + 1, sizeof(*s->references));
  if (!s->outcomes || !s->references)
    return no_memory(err);
  for (size_t i = 0; i <= all && !sweep_is_over(s); i++) {
    int rc = 0;

    if (sweep_reference_due(s, i, all)) {
      pause_between(s);
      if (!sweep_is_over(s))
        rc = sweep_run_reference(s, i + 1, err);
    }
    if (rc == 0 && i < all && !sweep_is_over(s))
      pause_between(s);
    if (rc == 0 && i < all && !sweep_is_over(s))
      rc = sweep_step(s, i % s->plan.n_combinations,
                      i / s->plan.n_combinations + 1, err);
    if (rc < 0)
      return rc;
    if (i < s->n_outcomes && s->outcomes[i].failed && s->in->cfg->stop_on_error)
      break;
  }
  return 0;
}

static int write_document(struct sweep *s, struct err *err)
{
  struct whole_file *f = &s->document;
  struct outfile_hold hold;
  json_t *json;
  int rc = 0;

  if (!*s->in->json)
    return 0;
  if (!f->stream)
    rc = whole_file_open(f, s->in->json, err);
  if (rc < 0)
    return rc;
  json = sweep_document(s);
  whole_file_hold(f, &hold);
  if (!json)
    rc = no_memory(err);
  else if (json_dumpf(json, f->stream,
                      JSON_INDENT(1) | JSON_REAL_PRECISION(15)) < 0 ||
           fputs("\n", f->stream) < 0)
    rc = err_sys(err, "cannot write to '%s',", s->in->json);
  outfile_release(&hold);
  json_decref(json);
  if (rc < 0) {
    whole_file_abort(f);
    return rc;
  }
  return whole_file_commit(f, err);
}

static int conclude(struct sweep *s, struct err *err)
{
  struct strbuf out = { 0 };
  int rc = 0;

  if (sweep_finds(s)) {
    sweep_find_print(s);
  } else if (s->n_outcomes > 0) {
    if (sweep_has_parts(s))
      sweep_parts_table(s, &out);
    else
      sweep_table(s, (enum table_format)s->in->cfg->format, &out);
    sweep_references_table(s, &out);
    if (out.failed)
      rc = no_memory(err);
    else
      (void)fprintf(s->text, "\n%s", strbuf_str(&out));
    (void)fflush(s->text);
    sweep_references_warn(s);
    sweep_data_warn(s);
  }
  strbuf_done(&out);
  if (rc == 0)
    rc = write_document(s, err);
  if (rc == 0 && *s->in->summary)
    rc = sweep_write_summary(s, err);
  return rc;
}

static int probe_file(const char *name, struct err *err)
{
  struct whole_file f = { 0 };
  const int rc = whole_file_probe(&f, name, err);

  whole_file_abort(&f);
  return rc;
}

/* Can the first files of steps be written? */
static int probe_files(const struct sweep *s, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < s->in->n_files && rc == 0; i++) {
    struct strbuf name = { 0 };

    sweep_file_name(s->in->files[i].path, 1, &name);
    rc = name.failed ? no_memory(err) : probe_file(strbuf_str(&name), err);
    strbuf_done(&name);
  }
  return rc;
}

static int make_plan(struct sweep *s, struct err *err)
{
  const struct sweep_cfg *cfg = s->in->cfg;

  if (sweep_finds(s))
    return sweep_find_plan(&s->plan, cfg, err);
  if (sweep_has_parts(s))
    return sweep_parts_plan(&s->plan, s->in, err);
  return sweep_plan_init(&s->plan, s->in->set, cfg->sweeps, cfg->repeat, err);
}

static int begin(struct sweep *s, struct err *err)
{
  const struct sweep_cfg *cfg = s->in->cfg;
  int rc;

  if (s->in->command && strcmp(s->in->command, "run") != 0)
    return err_set(err, -EINVAL,
                   "--sweep and --repeat cannot be used with the "
                   "command '%.100s' (expected run)",
                   s->in->command);
  rc = make_plan(s, err);
  if (rc < 0)
    return rc;
  s->prepares = cfg->prepare == SWEEP_PREPARE_ON ||
                (cfg->prepare == SWEEP_PREPARE_AUTO && s->plan.shapes_data);
  if (*s->in->json)
    rc = whole_file_probe(&s->document, s->in->json, err);
  if (rc == 0)
    rc = probe_files(s, err);
  if (rc == 0 && *s->in->summary)
    rc = probe_file(s->in->summary, err);
  if (rc == 0)
    rc = children_begin(&s->children,
                        sweep_has_parts(s) ? "this ends after the present part"
                                           : "the sweep ends after this step",
                        err);
  if (rc == 0 && !sweep_has_parts(s))
    rc = check_steps(s, err);
  if (rc == 0)
    rc = scratch_make(&s->folder, err);
  return rc;
}

static void end(struct sweep *s)
{
  children_end(&s->children);
  whole_file_abort(&s->document);
  for (size_t i = 0; i < s->n_outcomes; i++)
    result_file_done(&s->outcomes[i].result);
  for (size_t i = 0; i < s->n_references; i++)
    result_file_done(&s->references[i].outcome.result);
  free(s->outcomes);
  free(s->references);
  strbuf_done(&s->extra);
  scratch_remove(s->folder);
  sweep_plan_done(&s->plan);
}

static int status_of(const struct sweep *s)
{
  int status = EXIT_OK;

  if (s->children.signal != 0)
    return EXIT_SIGNAL + s->children.signal;
  if (s->reset_status != 0)
    return s->reset_status;
  if (sweep_finds(s))
    return find_status(&s->find);
  for (size_t i = 0; i < s->n_outcomes; i++) {
    if (s->outcomes[i].failed)
      return EXIT_FAILED;
    if (s->outcomes[i].missed)
      status = SLO_EXIT_STATUS;
  }
  for (size_t i = 0; i < s->n_references; i++) {
    if (s->references[i].outcome.failed)
      return EXIT_FAILED;
  }
  return status;
}

int sweep_run(const struct sweep_input *in)
{
  struct sweep s = {
    .in = in,
    .text = strcmp(in->json, "-") == 0 ? stderr : stdout,
  };
  struct err err = { "" };
  int status, rc;

  if (in->n_parts == 0) {
    s.find.rules = sweep_rules(in->cfg);
    find_set_objective(&s.find, in->objective);
  }
  rc = begin(&s, &err);
  if (rc == 0)
    rc = sweep_finds(&s) ? sweep_find_steps(&s, &err) : run_steps(&s, &err);
  if (s.n_outcomes > 0) {
    struct err last = { "" };

    if (conclude(&s, &last) < 0 && rc == 0) {
      rc = -EIO;
      err = last;
    }
  }
  status = rc < 0 ? EXIT_FAILED : status_of(&s);
  if (rc < 0 && err.text[0])
    log_msg(LOG_FATAL, "%s", err.text);
  end(&s);
  return status;
}
