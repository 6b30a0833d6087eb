/*
 * sweep_reset.c - the user's command that brings a server or a disk back to the
 * same state before each step.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "run/runner.h"
#include "tools/sweep_internal.h"
#include "tools/sweep_opts.h"

/* The environment of the command. */
struct env {
  char **of; /* those of this process, then owned ones */
  size_t n, own;
  bool failed;
};

static void add(struct env *e, struct strbuf *b)
{
  char *text = b->failed ? NULL : mem_strdup(strbuf_str(b));

  strbuf_done(b);
  if (text)
    e->of[e->n++] = text;
  else
    e->failed = true;
}

/* BENCH_STEP_TABLE_SIZE=1000 */
static void add_option(struct env *e, const char *option, const char *value)
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
  add(e, &b);
}

static void make_env(struct env *e, const struct sweep *s,
                     const struct sweep_outcome *o)
{
  size_t n = 0;
  struct strbuf b = { 0 };

  *e = (struct env){ .n = 0 };
  while (environ[n])
    n++;
  e->of = calloc(n + s->plan.n_specs + 3, sizeof(*e->of));
  if (!e->of) {
    e->failed = true;
    return;
  }
  for (size_t i = 0; i < n; i++)
    e->of[i] = environ[i];
  e->n = e->own = n;
  strbuf_addf(&b, "BENCH_STEP=%zu", s->n_outcomes + 1);
  add(e, &b);
  strbuf_addf(&b, "BENCH_REPEAT=%zu", o->repeat);
  add(e, &b);
  for (size_t i = 0; i < s->plan.n_specs; i++)
    add_option(e, s->plan.spec[i].option,
               sweep_plan_value(&s->plan, o->combination, i));
}

static void free_env(struct env *e)
{
  for (size_t i = e->own; i < e->n; i++)
    free(e->of[i]);
  free(e->of);
}

int sweep_reset(struct sweep *s, const struct sweep_outcome *o, struct err *err)
{
  const char *command = s->in->cfg->reset;
  char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
                         (char *)(uintptr_t)command, NULL };
  struct child_command how = {
    .program = "/bin/sh", .argv = argv, .out = CHILD_OUT_STDERR, .err_fd = -1
  };
  struct env env;
  int rc, status = 0;

  if (!*command)
    return 0;
  make_env(&env, s, o);
  how.env = env.of;
  rc = env.failed ? err_set(err, -ENOMEM, "not enough memory for the sweep")
                  : children_run(&s->children, &how, &status, err);
  free_env(&env);
  if (rc < 0 || status == EXIT_OK)
    return rc;
  s->reset_status = status;
  if (s->children.signal == 0) {
    struct strbuf shown = { 0 };

    secret_redact(command, &shown);
    log_msg(LOG_FATAL,
            "--reset failed before step %zu with exit status %d, so the sweep "
            "ends: %s",
            s->n_outcomes + 1, status, strbuf_str(&shown));
    strbuf_done(&shown);
  }
  return 0;
}
