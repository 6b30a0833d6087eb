/*
 * surplus.c - explains an argument too many on the command line, if the cause
 * can be seen.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "opt/optset.h"
#include "opt/scan.h"
#include "opt/suggest.h"

/* `--threads 4`: the value has become a separate argument. */
static bool lacks_equals(const struct cmdline *c, const char *arg,
                         const char *next)
{
  const struct opt_entry *e;

  if (strncmp(arg, "--", 2) != 0 || strchr(arg, '=') || *next == '-')
    return false;
  e = optset_find(c->set, arg + 2);
  return e ? e->row->type != OPT_TYPE_BOOL && !e->row->bare
           : isdigit((unsigned char)*next);
}

/* `-threads=4`. */
static bool lacks_hyphen(const struct cmdline *c, const char *arg)
{
  char name[64];
  const size_t len = strcspn(arg, "=");

  if (*arg != '-' || len < 2 || len > sizeof(name))
    return false;
  (void)snprintf(name, sizeof(name), "%.*s", (int)len - 1, arg + 1);
  return optset_find(c->set, name) != NULL;
}

/* `-t`, `-j4`: this program has no such options. */
static bool is_short(const char *arg)
{
  return arg[0] == '-' && isalpha((unsigned char)arg[1]);
}

/* `compar a.json b.json`: only tools take so many arguments. */
static const char *meant_tool(const struct cmdline *c,
                              const struct cmdline_input *in)
{
  struct suggest s;

  suggest_init(&s, c->test);
  for (size_t i = 0; in->tools && in->tools[i]; i++)
    suggest_offer(&s, in->tools[i]);
  return suggest_result(&s);
}

int scan_refuse_argument(const struct cmdline *c,
                         const struct cmdline_input *in, const char *extra,
                         struct err *err)
{
  static const char text[] = "Unrecognized command line argument: ";
  const char *tool;

  for (int i = 1; i < in->argc; i++) {
    if (i + 1 < in->argc && lacks_equals(c, in->argv[i], in->argv[i + 1]))
      return err_set(err, -E2BIG, "%s%.400s\ndid you mean %.200s=%.200s?", text,
                     in->argv[i + 1], in->argv[i], in->argv[i + 1]);
    if (lacks_hyphen(c, in->argv[i]))
      return err_set(err, -E2BIG, "%s%.400s\ndid you mean -%.400s?", text,
                     in->argv[i], in->argv[i]);
    if (is_short(in->argv[i]))
      return err_set(err, -E2BIG,
                     "%s%.400s\noptions are written --NAME=VALUE, as in "
                     "--threads=4",
                     text, in->argv[i]);
  }
  tool = meant_tool(c, in);
  return err_set(err, -E2BIG, "%s%.400s%s%s%s", text, extra,
                 tool ? "\ndid you mean " : "", tool ? tool : "",
                 tool ? "?" : "");
}
