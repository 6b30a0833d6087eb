/*
 * builtin.c - built-in tests as a source of tests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "opt/optset.h"
#include "program/internal.h"
#include "program/source.h"
#include "run/runner.h"
#include "tests/test_list.h"

static int builtin_find(struct job *job)
{
  struct program *p = job->p;

  job->test = test_find(p->cmdline.test);
  job->name = job->test->name;
  job->command = p->cmdline.command;
  job->reads_options = true;
  if (job->command)
    return EXIT_OK;
  return program_complain(
    "The '%s' test requires a command argument. See '%s %s help'", job->name,
    p->name, job->name);
}

static int builtin_declare(struct job *job, struct cmdline_rules *rules)
{
  const struct test *test = job->test;
  struct err err = { "" };

  (void)rules;
  job->cfg = calloc(1, test->cfg_size);
  if (!job->cfg)
    return EXIT_FAILED;
  if (optset_add(&job->p->set, OPT_SECTION_TEST, test->name, test->opts,
                 job->cfg, &err) < 0)
    return program_fail(&err);
  return EXIT_OK;
}

/* Also chooses one of several tests with this name. */
static int builtin_take_values(struct job *job, struct err *err)
{
  const struct test *test = job->test;
  const struct program_options *opts = &job->p->opts;

  if (opts->run.clients > 0)
    return err_set(err, -EINVAL,
                   "--clients: the %s test has no clients, because its events "
                   "wait for no server; use --threads",
                   job->name);
  if (test->own_limit && opts->run.events > 0)
    log_advise("--events has no effect on the %s test", job->name);
  if (*opts->script.luajit_cmd)
    log_msg(LOG_WARNING, "--luajit-cmd has no effect on the %s test",
            job->name);
  return test->variant ? test->variant(job->cfg, &job->test, err) : 0;
}

typedef int step_function(const struct plan *plan, const void *cfg,
                          struct err *err);

/* NULL: the test lacks the step. */
static step_function *builtin_step_of(const struct job *job)
{
  if (strcmp(job->command, "prepare") == 0)
    return job->test->ops->prepare;
  if (strcmp(job->command, "verify") == 0)
    return job->test->ops->verify;
  return job->test->ops->cleanup;
}

static enum test_command builtin_find_command(const struct job *job)
{
  if (strcmp(job->command, "run") == 0)
    return TEST_RUN;
  if (strcmp(job->command, "help") == 0)
    return TEST_OPTIONS;
  if (strcmp(job->command, "verify") == 0)
    return job->test->ops->verify ? TEST_CALL : TEST_UNKNOWN;
  if (strcmp(job->command, "prepare") != 0 &&
      strcmp(job->command, "cleanup") != 0)
    return TEST_UNKNOWN;
  return builtin_step_of(job) ? TEST_CALL : TEST_LACKS;
}

static void builtin_list_commands(const struct job *job, struct strbuf *out)
{
  strbuf_adds(out, job->test->ops->prepare ? "prepare run " : "run ");
  if (job->test->ops->verify)
    strbuf_adds(out, "verify ");
  strbuf_adds(out, job->test->ops->prepare ? "cleanup help" : "help");
}

static int builtin_call(struct job *job, struct err *err)
{
  const int rc = builtin_step_of(job)(job->plan, job->cfg, err);

  if (rc > 0 && err->text[0] != '\0')
    (void)program_fail(err); /* the status says more */
  return rc;
}

static int builtin_look(struct job *job)
{
  return program_doctor_builtin(job->p, job->test, job->plan);
}

static void builtin_end(struct job *job)
{
  free(job->cfg);
}

const struct test_source source_builtin = {
  .find = builtin_find,
  .declare = builtin_declare,
  .take_values = builtin_take_values,
  .find_command = builtin_find_command,
  .list_commands = builtin_list_commands,
  .call = builtin_call,
  .look = builtin_look,
  .end = builtin_end,
};
