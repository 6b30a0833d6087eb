/*
 * sweep_step.c - one step of a sweep: its commands, each in a process of its
 * own, and its result.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
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

int sweep_command(struct sweep *s, const struct sweep_process *p,
                  struct child_command how, int *ret_status, struct err *err)
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

void sweep_show_file(FILE *from)
{
  char piece[512];
  size_t n;

  rewind(from);
  while ((n = fread(piece, 1, sizeof(piece), from)) > 0)
    (void)fwrite(piece, 1, n, stderr);
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
  int rc = sweep_command(s, &p, how, &status, err);

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
  return sweep_finds(s) ? scratch_file() : NULL;
}

/* How long the steps take that follow the present one: as long as those before,
 * or at first as long as a run.  NAN: not known. */
static double rest_s(const struct sweep *s)
{
  const size_t all = s->plan.n_combinations * s->plan.repeats;
  const double left = (double)(all - s->n_outcomes - 1);

  if (s->n_outcomes > 0)
    return left * (double)s->steps_ns / (double)NS_PER_S /
           (double)s->n_outcomes;
  return s->in->time_s > 0 ? left * (s->in->time_s + s->in->cfg->pause_s) : NAN;
}

/* For the line that follows a step on a terminal. */
static void add_place(const struct sweep *s, size_t step, struct strbuf *out)
{
  const size_t all = s->plan.n_combinations * s->plan.repeats;

  if (step > 0 && !sweep_finds(s) && !sweep_has_parts(s) &&
      isatty(STDERR_FILENO) == 1)
    strbuf_addf(out, "%zu/%zu/%.1f", step, all, rest_s(s));
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
  struct strbuf path = { 0 }, place = { 0 };
  struct sweep_process p = { .combination = o->combination,
                             .command = "run",
                             .role = "step",
                             .step = step };
  int rc;

  strbuf_addf(&path, "%s/step.json", s->folder);
  add_place(s, step, &place);
  if (path.failed || place.failed) {
    strbuf_done(&path);
    strbuf_done(&place);
    return no_memory(err);
  }
  p.json = strbuf_str(&path);
  p.place = place.len > 0 ? strbuf_str(&place) : NULL;
  rc = sweep_command(s, &p, how, &o->status, err);
  if (rc == 0) {
    take_result(o, strbuf_str(&path));
    o->missed = o->status == SLO_EXIT_STATUS && o->result.json;
    if (!is_usable_status(s, o) || !o->result.json)
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
  const uint64_t begun_ns = clock_now_ns();
  int rc;

  *o = (struct sweep_outcome){ .combination = combination, .repeat = repeat };
  if (!sweep_finds(s))
    announce(s, o);
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
