/*
 * sweep_args.c - the arguments of a step: those of the sweep, followed by the
 * values, since the last use of an option counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "results/outname.h"
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

void sweep_file_name(const char *path, size_t step, struct strbuf *out)
{
  strbuf_adds(out, path);
  if (!outname_is_null(path)) /* all steps can share /dev/null */
    strbuf_addf(out, ".step%zu", step);
}

static void add_files(struct list *l, const struct sweep_input *in, size_t step)
{
  for (size_t i = 0; i < in->n_files; i++) {
    struct strbuf name = { 0 };

    if (step > 0)
      sweep_file_name(in->files[i].path, step, &name);
    else /* a reference, whose document is enough */
      strbuf_adds(&name, "/dev/null");
    if (name.failed)
      l->failed = true;
    else
      add_option(l, in->files[i].option, strbuf_str(&name));
    strbuf_done(&name);
  }
}

static size_t count_args(const struct sweep *s, const struct sweep_process *p)
{
  size_t n = (size_t)s->in->argc + s->plan.n_specs + s->in->n_files + 6;

  for (size_t i = 0; i < s->extra.len; i++)
    n += s->extra.text[i] == '\n';

  for (size_t i = 0; sweep_has_parts(s) && s->in->parts[p->combination].args[i];
       i++)
    n++;
  return n;
}

/* Lines, each with an argument. */
static void add_extra(struct list *l, const struct strbuf *lines)
{
  const char *at = strbuf_str(lines);

  for (size_t len; (len = strcspn(at, "\n")) > 0; at += len + 1)
    add(l, mem_strndup(at, len));
}

/* The arguments of a part are its own. */
static void add_part(struct list *l, const struct sweep_input *in,
                     const struct sweep_process *p)
{
  const struct sweep_part *part = &in->parts[p->combination];

  add(l, mem_strdup(in->argv[0]));
  for (size_t i = 0; part->args[i]; i++)
    add(l, mem_strdup(part->args[i]));
  add(l, mem_strdup(p->command));
}

static void add_step(struct list *l, const struct sweep *s,
                     const struct sweep_process *p)
{
  const struct sweep_input *in = s->in;

  for (int i = 0; i < in->argc; i++)
    add(l, mem_strdup(in->argv[i] == in->command ? p->command : in->argv[i]));
  if (!in->command)
    add(l, mem_strdup(p->command));
  for (size_t i = 0; i < s->plan.n_specs; i++)
    add_option(l, s->plan.spec[i].option,
               sweep_plan_value(&s->plan, p->combination, i));
  add_extra(l, &s->extra);
  if (p->step > 0 || p->json)
    add_files(l, in, p->step);
}

char **sweep_args(const struct sweep *s, const struct sweep_process *p)
{
  struct list l = { 0 };

  l.of = calloc(count_args(s, p), sizeof(*l.of));
  if (!l.of)
    return NULL;
  if (sweep_has_parts(s))
    add_part(&l, s->in, p);
  else
    add_step(&l, s, p);
  if (p->json)
    add_option(&l, "json", p->json);
  if (p->role)
    add_option(&l, "sweep-role", p->role);
  if (p->place)
    add_option(&l, "sweep-place", p->place);
  if (p->dry_run)
    add_option(&l, "dry-run", "on");
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
