/*
 * sweep_step.c - the processes of a step, and the checks before the first step.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "results/outname.h"
#include "run/runner.h"
#include "stats/slo.h"
#include "tools/child.h"
#include "tools/sweep_internal.h"

/* ---- arguments ---- */

struct sweep_process {
  size_t combination;
  const char *command;
  const char *role;  /* --sweep-role */
  const char *json;  /* [opt] */
  const char *place; /* [opt] --sweep-place */
  size_t step;       /* number in names of its files; 0: no files */
  bool dry_run;      /* of cleanup */
};

/* The file of a step; all steps can share /dev/null. */
static void sweep_file_name(const char *path, size_t step, struct strbuf *out)
{
  strbuf_adds(out, path);
  if (!outname_is_null(path))
    strbuf_addf(out, ".step%zu", step);
}

/* A reference needs only its document: its other files are /dev/null. */
static void sweep_args_add_files(struct child_words *l,
                                 const struct sweep_input *in, size_t step)
{
  for (size_t i = 0; i < in->n_files; i++) {
    struct strbuf name = { 0 };

    if (step > 0)
      sweep_file_name(in->files[i].path, step, &name);
    else
      strbuf_adds(&name, "/dev/null");
    l->failed |= name.failed;
    child_words_add_option(l, in->files[i].option, strbuf_str(&name));
    strbuf_done(&name);
  }
}

/* The last use of an option counts: values follow the sweep's own arguments.
 * The arguments of a part are its own. */
static void sweep_args(struct child_words *l, const struct sweep *s,
                       const struct sweep_process *p)
{
  const struct sweep_input *in = s->in;

  if (sweep_has_parts(s)) {
    child_words_add(l, mem_strdup(in->argv[0]));
    for (const char *const *a = in->parts[p->combination].args; *a; a++)
      child_words_add(l, mem_strdup(*a));
    child_words_add(l, mem_strdup(p->command));
  } else {
    const char *line = strbuf_str(&s->extra);

    for (int i = 0; i < in->argc; i++)
      child_words_add(
        l, mem_strdup(in->argv[i] == in->command ? p->command : in->argv[i]));
    if (!in->command)
      child_words_add(l, mem_strdup(p->command));
    for (size_t i = 0; i < s->plan.n_specs; i++)
      child_words_add_option(l, s->plan.spec[i].option,
                             sweep_plan_value(&s->plan, p->combination, i));
    for (size_t len; (len = strcspn(line, "\n")) > 0; line += len + 1)
      child_words_add(l, mem_strndup(line, len));
    if (p->step > 0 || p->json)
      sweep_args_add_files(l, in, p->step);
  }
  if (p->json)
    child_words_add_option(l, "json", p->json);
  child_words_add_option(l, "sweep-role", p->role);
  if (p->place)
    child_words_add_option(l, "sweep-place", p->place);
  if (p->dry_run)
    child_words_add_option(l, "dry-run", "on");
}

/* ---- --sweep-reset ---- */

/* BENCH_STEP_TABLE_SIZE=1000 */
static void sweep_reset_add_option(struct child_words *env, const char *option,
                                   const char *value)
{
  struct strbuf b = { 0 };

  strbuf_adds(&b, "BENCH_STEP_");
  for (; *option; option++) {
    const char c = isalnum((unsigned char)*option)
                     ? (char)toupper((unsigned char)*option)
                     : '_';

    strbuf_add(&b, &c, 1);
  }
  strbuf_addf(&b, "=%s", value);
  child_words_take(env, &b);
}

static void sweep_reset_env(struct child_words *env, const struct sweep *s,
                            const struct sweep_outcome *o)
{
  for (char *const *e = environ; *e; e++)
    child_words_add(env, mem_strdup(*e));
  child_words_addf(env, "BENCH_STEP=%zu", s->n_outcomes + 1);
  child_words_addf(env, "BENCH_REPEAT=%zu", o->repeat);
  for (size_t i = 0; i < s->plan.n_specs; i++)
    sweep_reset_add_option(env, s->plan.spec[i].option,
                           sweep_plan_value(&s->plan, o->combination, i));
}

int sweep_reset(struct sweep *s, const struct sweep_outcome *o, struct err *err)
{
  const char *command = s->in->cfg->reset;
  char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
                         (char *)(uintptr_t)command, NULL };
  struct child_command how = {
    .program = "/bin/sh", .argv = argv, .out = CHILD_OUT_STDERR, .err_fd = -1
  };
  struct child_words env = { 0 };
  int rc, status = 0;

  if (!*command)
    return 0;
  sweep_reset_env(&env, s, o);
  how.env = env.of;
  rc = env.failed ? sweep_no_memory(err)
                  : children_run(&s->children, &how, &status, err);
  child_words_done(&env);
  if (rc < 0 || status == EXIT_OK)
    return rc;
  s->reset_status = status;
  if (s->children.signal == 0) {
    struct strbuf shown = { 0 };

    secret_redact(command, &shown);
    log_msg(
      LOG_FATAL,
      "--sweep-reset failed before step %zu with exit status %d, so the sweep "
      "ends: %s",
      s->n_outcomes + 1, status, strbuf_str(&shown));
    strbuf_done(&shown);
  }
  return 0;
}

/* ---- sweep step ---- */

bool sweep_outcome_good(const struct sweep_outcome *o)
{
  return !o->failed && o->result.json && o->result.run.events_per_s >= 0;
}

static int sweep_command(struct sweep *s, const struct sweep_process *p,
                         struct child_command how, int *ret_status,
                         struct err *err)
{
  struct child_words args = { 0 };
  int rc;

  sweep_args(&args, s, p);
  how.argv = args.of;
  if (sweep_has_parts(s))
    how.folder = s->in->parts[p->combination].folder;
  rc = args.failed ? sweep_no_memory(err)
                   : children_run(&s->children, &how, ret_status, err);
  child_words_done(&args);
  return rc;
}

static void sweep_show_file(FILE *from)
{
  char piece[512];
  size_t n;

  rewind(from);
  while ((n = fread(piece, 1, sizeof(piece), from)) > 0)
    (void)fwrite(piece, 1, n, stderr);
}

/* Silent unless the command fails. */
static int sweep_step_run_around(struct sweep *s, struct sweep_outcome *o,
                                 const char *command, struct err *err)
{
  const struct sweep_process p = { .combination = o->combination,
                                   .command = command,
                                   .role = "step" };
  const struct child_command how = { .out = CHILD_OUT_NONE, .err_fd = -1 };
  int status = 0;
  int rc = sweep_command(s, &p, how, &status, err);

  if (rc == 0 && status != EXIT_OK && !o->failed) {
    o->failed = command;
    o->status = status;
  }
  return rc;
}

/* An unreadable result is a failure. */
static void sweep_step_take_result(struct sweep_outcome *o, const char *path)
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

/* Estimated from the steps before, at first from the length of a run.  NAN:
 * not known. */
static double sweep_step_rest_s(const struct sweep *s)
{
  const double left = (double)(sweep_steps(s) - s->n_outcomes - 1);

  if (s->n_outcomes > 0)
    return left * (double)s->steps_ns / (double)NS_PER_S /
           (double)s->n_outcomes;
  return s->in->time_s > 0 ? left * (s->in->time_s + s->in->cfg->pause_s) : NAN;
}

/* `step`: its number; 0: a reference. */
static int sweep_step_run_test(struct sweep *s, struct sweep_outcome *o,
                               size_t step, struct err *err)
{
  /* Messages of a search's step are shown only if the step fails. */
  const bool finds = sweep_finds(s);
  FILE *quiet = finds ? scratch_file() : NULL;
  const struct child_command how = {
    .out = finds               ? CHILD_OUT_NONE
           : s->text == stderr ? CHILD_OUT_STDERR
                               : CHILD_OUT_SAME,
    .err_fd = quiet ? fileno(quiet) : -1,
  };
  struct strbuf path = { 0 }, place = { 0 };
  struct sweep_process p = { .combination = o->combination,
                             .command = "run",
                             .role = "step",
                             .step = step };
  int rc;

  strbuf_addf(&path, "%s/step.json", s->folder);
  if (step > 0 && !finds && !sweep_has_parts(s) && isatty(STDERR_FILENO) == 1)
    strbuf_addf(&place, "%zu/%zu/%.1f", step, sweep_steps(s),
                sweep_step_rest_s(s));
  p.json = strbuf_str(&path);
  p.place = place.len > 0 ? strbuf_str(&place) : NULL;
  rc = path.failed || place.failed ? sweep_no_memory(err)
                                   : sweep_command(s, &p, how, &o->status, err);
  if (rc == 0) {
    sweep_step_take_result(o, strbuf_str(&path));
    o->missed = o->status == SLO_EXIT_STATUS && o->result.json;
    /* A search judges frozen steps itself. */
    if (!o->result.json || (o->status != EXIT_OK && !o->missed &&
                            !(finds && o->status == EXIT_FORCED)))
      o->failed = "run";
  }
  if (quiet && o->failed && !sweep_find_explained(s, o))
    sweep_show_file(quiet);
  if (quiet)
    (void)fclose(quiet);
  strbuf_done(&path);
  strbuf_done(&place);
  return rc;
}

bool sweep_is_first(const struct sweep *s)
{
  return s->n_outcomes == 0 && s->n_references == 0;
}

static void sweep_step_announce(const struct sweep *s,
                                const struct sweep_outcome *o)
{
  struct strbuf what = { 0 };

  if (sweep_has_parts(s))
    strbuf_adds(&what, s->in->parts[o->combination].name);
  else
    sweep_plan_describe(&s->plan, o->combination, &what);
  (void)fprintf(s->text, "%s=== %s %zu of %zu%s%s",
                sweep_is_first(s) ? "" : "\n",
                sweep_has_parts(s) ? "Part" : "Step", s->n_outcomes + 1,
                sweep_steps(s), what.len > 0 ? ": " : "", strbuf_str(&what));
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
    rc = sweep_step_run_around(s, o, "cleanup", err);
  if (rc == 0 && prepares && !o->failed)
    rc = sweep_step_run_around(s, o, "prepare", err);
  if (rc == 0 && !o->failed)
    rc = sweep_step_run_test(s, o, step, err);
  if (rc == 0 && prepares)
    rc = sweep_step_run_around(s, o, "cleanup", err);
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
  const uint64_t begun_ns = clock_now_ns();
  int rc;

  *o = (struct sweep_outcome){ .combination = combination, .repeat = repeat };
  if (!sweep_finds(s))
    sweep_step_announce(s, o);
  (void)fflush(s->text);
  rc = sweep_reset(s, o, err);
  if (rc < 0 || sweep_is_over(s))
    return rc;
  rc = sweep_perform(s, o, s->n_outcomes + 1, err);
  s->steps_ns += clock_now_ns() - begun_ns +
                 (uint64_t)(s->in->cfg->pause_s * (double)NS_PER_S);
  s->n_outcomes++;
  return rc;
}

/* ---- checks before the first step ---- */

/* "1-8" */
static bool sweep_check_looks_like_range(const char *text)
{
  static const char digits[] = "0123456789";
  const size_t from = strspn(text, digits);

  return from > 0 && text[from] == '-' && text[from + 1] != '\0' &&
         strspn(text + from + 1, digits) == strlen(text + from + 1);
}

/* The messages are those of a run without a sweep. */
static void sweep_check_show_complaint(const struct sweep *s, FILE *complaint,
                                       size_t combination)
{
  struct strbuf what = { 0 };

  sweep_show_file(complaint);
  sweep_plan_describe(&s->plan, combination, &what);
  if (s->plan.n_specs > 0 && !sweep_finds(s))
    (void)fprintf(stderr, "Sweep step %s is not valid; nothing was run\n",
                  strbuf_str(&what));
  strbuf_done(&what);
  for (size_t i = 0; i < s->plan.n_specs; i++) {
    if (sweep_check_looks_like_range(
          sweep_plan_value(&s->plan, combination, i)))
      (void)fprintf(stderr, "ranges are written 1..8, and not 1-8\n");
  }
}

/* -EINVAL: refused and printed. */
static int sweep_check_command(struct sweep *s, size_t combination,
                               const char *command, struct err *err)
{
  FILE *complaint = scratch_file();
  const struct sweep_process p = { .combination = combination,
                                   .command = command,
                                   .role = "check" };
  struct child_command how = { .out = CHILD_OUT_NONE };
  int status = 0, rc;

  if (!complaint)
    return err_sys(err, "cannot make a temporary file");
  how.err_fd = fileno(complaint);
  rc = sweep_command(s, &p, how, &status, err);
  if (rc == 0 && status != EXIT_OK) {
    sweep_check_show_complaint(s, complaint, combination);
    rc = -EINVAL;
  }
  (void)fclose(complaint);
  return rc;
}

int sweep_check_steps(struct sweep *s, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < s->plan.n_combinations && rc == 0; i++) {
    rc = sweep_check_command(s, i, "run", err);
    if (rc == 0 && s->prepares)
      rc = sweep_check_command(s, i, "prepare", err);
    if (rc == 0 && s->prepares)
      rc = sweep_check_command(s, i, "cleanup", err);
    if (s->children.signal != 0)
      return 0;
  }
  return rc;
}

/* Reads the output of a cleanup with --dry-run; scripts without --dry-run
 * have printed no tables. */
static void sweep_check_add_tables(FILE *output, struct strbuf *found)
{
  enum {
    NAMED = 3
  };
  static const char *const begins[] = { "Would drop ", "Would keep " };
  char *line = NULL;
  size_t size = 0, n = 0;

  rewind(output);
  while (getline(&line, &size, output) > 0) {
    for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
      const size_t len = strlen(begins[i]);

      if (strncmp(line, begins[i], len) != 0 || n++ >= NAMED)
        continue;
      strbuf_addf(found, "%s%.*s", n > 1 ? ", " : "",
                  (int)strcspn(line + len, "\n"), line + len);
    }
  }
  if (n > NAMED)
    strbuf_addf(found, ", and %zu more", n - NAMED);
  free(line);
}

int sweep_check_data(struct sweep *s, struct err *err)
{
  struct strbuf found = { 0 };
  int rc = 0;

  for (size_t i = 0; i < s->plan.n_combinations && rc == 0 && found.len == 0;
       i++) {
    const struct sweep_process p = {
      .combination = i, .command = "cleanup", .role = "step", .dry_run = true
    };
    FILE *output = scratch_file();
    struct child_command how = { .out = CHILD_OUT_ERR_FD };
    int status;

    if (!output)
      return err_sys(err, "cannot make a temporary file");
    how.err_fd = fileno(output);
    rc = sweep_command(s, &p, how, &status, err);
    if (rc == 0)
      sweep_check_add_tables(output, &found);
    (void)fclose(output);
  }
  if (rc == 0 && found.len > 0)
    rc = err_set(err, -EEXIST,
                 "each step would replace data that exists: %.400s; use "
                 "--sweep-prepare=on if they may, or off to run on this data",
                 strbuf_str(&found));
  strbuf_done(&found);
  return rc;
}

int sweep_check_file(const char *name, struct err *err)
{
  struct whole_file f = { 0 };
  const int rc = whole_file_probe(&f, name, err);

  whole_file_abort(&f);
  return rc;
}

int sweep_check_files(const struct sweep *s, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < s->in->n_files && rc == 0; i++) {
    struct strbuf name = { 0 };

    sweep_file_name(s->in->files[i].path, 1, &name);
    rc = name.failed ? sweep_no_memory(err)
                     : sweep_check_file(strbuf_str(&name), err);
    strbuf_done(&name);
  }
  return rc;
}
