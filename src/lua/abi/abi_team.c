/*
 * abi_team.c - parallel commands, options, and sysbench.ack().
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ack/log.h"
#include "base/err.h"
#include "base/ffi_api.h"
#include "base/strbuf.h"
#include "db/acknowledge.h"
#include "lua/engine/exchange.h"
#include "lua/engine/options.h"
#include "lua/engine/shared.h"
#include "lua/engine/state.h"
#include "run/plan.h"

/* This process's threads of the command; 1: not a parallel command. */
int bench_team_size(void)
{
  const struct state *s = state_current();

  return s && s != s->script->main ? (int)s->script->setup.plan->threads : 1;
}

/* Of this process, and of the script, or member of a mix. */
int bench_clients(void)
{
  const struct state *s = state_current();

  if (!s)
    return 1;
  return s->script->setup.workers > 0
           ? (int)s->script->setup.workers
           : (int)plan_clients(s->script->setup.plan);
}

/* Of this process. */
int bench_idle_clients(void)
{
  const struct state *s = state_current();

  return s ? (int)s->script->setup.plan->idle : 0;
}

/* From 0. */
int bench_team_number(void)
{
  const struct state *s = state_current();

  return s && s != s->script->main
           ? (int)(s->tid - s->script->setup.plan->first_thread)
           : 0;
}

/* False: no memory, or the name is taken. */
bool bench_team_give(const char *name, const char *text, size_t len)
{
  struct state *s = state_current();

  return s && team_give(&s->script->team, name, text, len) == 0;
}

const char *bench_team_await(const char *name, size_t *ret_len)
{
  struct state *s = state_current();

  return s ? team_await(&s->script->team, name, ret_len) : NULL;
}

int sb_lua_set_test_args(sb_arg_t *args, size_t len)
{
  struct state *s = state_current();

  return s && options_set_args(s, args, len) == 0 ? 0 : 1;
}

/* Without the title line. */
void sb_print_test_options(void)
{
  const struct state *s = state_current();
  struct strbuf b = { 0 };
  const char *rows;

  if (!s)
    return;
  options_print(s->script, &b);
  rows = strchr(strbuf_str(&b), '\n');
  if (rows)
    (void)fputs(rows + 1, stdout);
  strbuf_done(&b);
}

static const char *abi_team_keep(struct state *s, const char *text)
{
  strbuf_clear(&s->quoted);
  strbuf_adds(&s->quoted, text);
  return strbuf_str(&s->quoted);
}

/* NULL: success, or no log. */
const char *bench_ack(double id)
{
  struct state *s = state_current();
  char text[128];
  int rc;

  if (!s || !s->env.ack)
    return NULL;
  rc = acknowledge_next(&s->env, (uint64_t)id);
  if (rc == 0)
    return NULL;
  if (rc == -E2BIG)
    return "a transaction can have at most 256 numbers";
  return abi_team_keep(s, err_text(-rc, text, sizeof(text)));
}

const char *bench_ack_query(int total, int others, double before,
                            const char *query)
{
  struct state *s = state_current();
  struct err err = { "" };

  if (!s || !s->script->setup.ack || !*s->script->setup.ack)
    return NULL;
  if (s->worker)
    return "it has to be called in init()";
  if (ack_log_describe(*s->script->setup.ack, total ? ACK_TOTAL : ACK_NUMBERS,
                       others ? ACK_OTHERS : 0, before, query, &err) < 0)
    return abi_team_keep(s, err.text);
  return NULL;
}
