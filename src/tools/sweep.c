/*
 * sweep.c - the course of a sweep: checks all steps, runs them one after the
 * other, shows the results.
 */
#include "tools/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "results/outfile.h"
#include "run/runner.h"
#include "stats/slo.h"
#include "tools/scratch.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the sweep");
}

/* Wait between two steps. */
static void pause_between(struct sweep *s)
{
  if (!sweep_is_first(s) && s->in->cfg->pause_s > 0)
    children_pause(&s->children, s->in->cfg->pause_s);
}

/*
 * If nobody reads the table any more, and nothing is written to files, the rest
 * has no use: it ends like a program that the closed pipe has ended, but what
 * it has made for its steps is removed.
 */
static void look_for_reader(struct sweep *s)
{
  if (!*s->in->json && !*s->in->summary && s->in->n_files == 0 &&
      s->children.signal == 0 && log_is_unread())
    s->children.signal = SIGPIPE;
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
    look_for_reader(s);
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

static int make_plan(struct sweep *s, struct err *err)
{
  const struct sweep_cfg *cfg = s->in->cfg;

  if (sweep_finds(s))
    return sweep_find_plan(&s->plan, cfg, err);
  if (sweep_has_parts(s))
    return sweep_parts_plan(&s->plan, s->in, err);
  return sweep_plan_init(&s->plan, s->in->set, s->in->test, cfg->sweeps,
                         cfg->repeat, err);
}

static int begin(struct sweep *s, struct err *err)
{
  const struct sweep_cfg *cfg = s->in->cfg;
  int rc;

  if (s->in->command && strcmp(s->in->command, "run") != 0)
    return err_set(err, -EINVAL,
                   "the command '%.100s' cannot be used with %s (expected run)",
                   s->in->command, sweep_option_names(cfg));
  rc = make_plan(s, err);
  if (rc < 0)
    return rc;
  s->prepares = cfg->prepare == SWEEP_PREPARE_ON ||
                (cfg->prepare == SWEEP_PREPARE_AUTO && s->plan.shapes_data);
  if (*s->in->json)
    rc = whole_file_probe(&s->document, s->in->json, err);
  if (rc == 0)
    rc = sweep_check_files(s, err);
  if (rc == 0 && *s->in->summary)
    rc = sweep_check_file(s->in->summary, err);
  if (rc == 0)
    rc = children_begin(&s->children,
                        sweep_has_parts(s) ? "this ends after the present part"
                                           : "the sweep ends after this step",
                        err);
  if (rc == 0 && !sweep_has_parts(s))
    rc = sweep_check_steps(s, err);
  if (rc == 0 && s->prepares && cfg->prepare == SWEEP_PREPARE_AUTO &&
      !sweep_has_parts(s) && s->children.signal == 0)
    rc = sweep_check_data(s, err);
  if (rc == 0)
    rc = scratch_make(s->in->json, &s->folder, err);
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
