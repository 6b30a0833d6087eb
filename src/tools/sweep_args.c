/*
 * sweep_args.c - the arguments of a step: those of the sweep, and the values
 * behind them, since the last one of an option counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "tools/sweep_internal.h"

struct list {
  char **of;
  size_t n;
  bool failed;
};

/* Takes `text` over. */
static void add(struct list *l, char *text)
{
  if (text)
    l->of[l->n++] = text;
  else
    l->failed = true;
}

static void add_option(struct list *l, const char *name, const char *value)
{
  struct strbuf b = { 0 };

  strbuf_addf(&b, "--%s=%s", name, value);
  add(l, b.failed ? NULL : mem_strdup(strbuf_str(&b)));
  strbuf_done(&b);
}

char **sweep_args(const struct sweep *s, size_t combination,
                  const char *command, const char *role, const char *json)
{
  const struct sweep_input *in = s->in;
  struct list l = { 0 };

  l.of = calloc((size_t)in->argc + s->plan.n_specs + 4, sizeof(*l.of));
  if (!l.of)
    return NULL;
  for (int i = 0; i < in->argc; i++)
    add(&l, mem_strdup(in->argv[i] == in->command ? command : in->argv[i]));
  if (!in->command)
    add(&l, mem_strdup(command));
  for (size_t i = 0; i < s->plan.n_specs; i++)
    add_option(&l, s->plan.spec[i].option,
               sweep_plan_value(&s->plan, combination, i));
  if (json)
    add_option(&l, "json", json);
  if (role)
    add_option(&l, "sweep-role", role);
  if (l.failed) {
    sweep_args_free(l.of);
    return NULL;
  }
  return l.of;
}

void sweep_args_free(char **args)
{
  for (size_t i = 0; args && args[i]; i++)
    free(args[i]);
  free(args);
}
