/*
 * cmdline.c - what the command line asks for.
 */
#include "opt/cmdline.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/scan.h"
#include "opt/suggest.h"
#include "opt/value.h"

bool cmdline_is_usage_error(int rc)
{
  return rc == -ENOENT || rc == -E2BIG;
}

/* The options that other programs have as single letters; sysbench takes them
 * for names of tests. */
static const char *long_form(const struct cmdline *c, const char *arg)
{
  if (c->identity == IDENTITY_SYSBENCH)
    return NULL;
  if (strcmp(arg, "-h") == 0)
    return "--help";
  return strcmp(arg, "-V") == 0 ? "--version" : NULL;
}

static int scan_arguments(struct scan *s, const struct cmdline_input *in,
                          struct err *err)
{
  struct cmdline *c = s->c;
  int rc;

  c->positionals = calloc((size_t)in->argc + 1, sizeof(c->positionals[0]));
  if (!c->positionals)
    return scan_no_memory(err);
  for (int i = 1; i < in->argc; i++) {
    const char *arg = long_form(c, in->argv[i]);

    if (!arg)
      arg = in->argv[i];
    if (strncmp(arg, "--", 2) != 0) {
      c->positionals[c->n_positionals++] = arg;
      continue;
    }
    rc = scan_option(s, arg, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

static bool is_tool(const struct cmdline_input *in, const char *name)
{
  for (size_t i = 0; in->tools && in->tools[i]; i++) {
    /* There is a name where a test was found.
     * NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
    if (strcmp(in->tools[i], name) == 0)
      return true;
  }
  return false;
}

/* `--threads 4`: the value has become an argument of its own. */
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

/* `-t`, of which this program has none. */
static bool is_short(const char *arg)
{
  return arg[0] == '-' && isalpha((unsigned char)arg[1]) && arg[2] == '\0';
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

/* Why there are too many arguments, if that can be seen. */
static int refuse_argument(const struct cmdline *c,
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

/* `help`, `help TEST` and `list`, which sysbench takes for names of tests. */
static bool asks_for_words(struct cmdline *c)
{
  const char *const *p = c->positionals;
  const size_t n = c->n_positionals;

  if (c->identity == IDENTITY_SYSBENCH || *c->core->test || n == 0)
    return false;
  if (n <= 2 && strcmp(p[0], "help") == 0) {
    c->action = CMDLINE_HELP;
    c->test = n == 2 ? p[1] : NULL;
    return true;
  }
  if (n == 1 && strcmp(p[0], "list") == 0) {
    c->action = CMDLINE_LIST;
    return true;
  }
  return false;
}

/* --help, wherever it stands: of the test that is named. */
static void ask_for_help(struct cmdline *c)
{
  c->action = CMDLINE_HELP;
  if (c->identity == IDENTITY_SYSBENCH || c->help_all)
    return;
  if (*c->core->test)
    c->test = c->core->test;
  else if (!asks_for_words(c) && c->n_positionals > 0)
    c->test = c->positionals[0];
  c->action = CMDLINE_HELP; /* also `list --help` */
}

/* A test in a configuration file is a default. */
static bool is_test_of_file(const struct cmdline *c)
{
  return optset_find(c->set, "test")->source == OPT_SOURCE_FILE;
}

/* Test name and command; -E2BIG: one argument too many. */
static int assign_positionals(struct cmdline *c, const struct cmdline_input *in,
                              struct err *err)
{
  const char *const *p = c->positionals;
  size_t n = c->n_positionals;

  assert(p || n == 0);
  c->action = CMDLINE_TEST;
  if (asks_for_words(c))
    return 0;
  if (*c->core->test && !(n > 1 && is_test_of_file(c))) {
    c->test = c->core->test;
  } else if (n > 0) {
    c->test = *p++;
    n--;
    if (is_tool(in, c->test)) {
      c->action = CMDLINE_TOOL;
      c->args = p;
      c->n_args = n;
      return 0;
    }
  }
  if (n > 0)
    c->command = *p++;
  if (n > 1)
    return refuse_argument(c, in, *p, err);
  return 0;
}

/* In the order of the options that the aliases stand for. */
static int warn_of_aliases(struct cmdline *c, struct err *err)
{
  const struct optset *set = c->set;

  for (size_t i = 0; i < set->n; i++) {
    for (size_t k = 0; k < set->n; k++) {
      const struct opt_entry *e = set->entries[k];

      if (e->real == set->entries[i] && e->given &&
          (e->row->flags & OPT_DEPRECATED)) {
        const int rc = scan_warn(c, err, "--%s is deprecated, use --%s instead",
                                 e->row->name, e->row->alias_of);

        if (rc < 0)
          return rc;
      }
    }
  }
  return 0;
}

/* What counts only if neither --help nor --version is given. */
static int finish(struct scan *s, const struct cmdline_input *in,
                  struct err *err)
{
  struct cmdline *c = s->c;
  int rc;

  rc = assign_positionals(c, in, err);
  if (rc < 0)
    return rc;
  rc = warn_of_aliases(c, err);
  if (rc < 0)
    return rc;
  if (s->first_rc < 0) {
    *err = s->first;
    return s->first_rc;
  }
  rc = core_opts_check(c->set, c->core, &c->checked, err);
  for (size_t i = 0; rc == 0 && i < c->checked.n_warnings; i++)
    rc = scan_warn(c, err, "%s", c->checked.warnings[i]);
  return rc;
}

/* From the first argument to the action; `err` may hold what did not count. */
static int scan(struct scan *s, const struct cmdline_input *in, struct err *err)
{
  struct cmdline *c = s->c;
  int rc;

  if (in->argc <= 1 && in->stdin_is_terminal) {
    c->action = CMDLINE_USAGE;
    return 0;
  }
  rc = scan_environment(s, in->compat_env, err);
  if (rc == 0)
    rc = scan_arguments(s, in, err);
  if (rc == 0)
    rc = optset_set_level(c->set, (enum compat)c->core->compat, err);
  if (rc < 0)
    return rc;
  if (c->core->help || c->core->version) {
    c->action = CMDLINE_VERSION;
    if (c->core->help)
      ask_for_help(c);
    return 0;
  }
  return finish(s, in, err);
}

int cmdline_scan(struct cmdline *c, const struct cmdline_input *in,
                 struct optset *set, struct core_cfg *core, struct err *err)
{
  struct scan s = { .c = c, .in = in };
  struct err last;
  int rc;

  *c = (struct cmdline){
    .identity = identity_of(in->argc > 0 ? in->argv[0] : NULL),
    .set = set,
    .core = core,
  };
  c->last = &c->first;
  rc = scan(&s, in, &last);
  if (rc < 0)
    *err = last;
  return rc;
}

/* What the script says of a value that was given; `arg` is what was typed. */
static int ask_script(const struct cmdline_rules *rules,
                      const struct opt_entry *e, const char *value,
                      const char *arg, const char *where, struct err *err)
{
  struct strbuf expected = { 0 };
  int rc = 0;

  if (!e->made || !rules->is_valid ||
      rules->is_valid(rules->ctx, e, value, &expected))
    rc = 0;
  else if (expected.len > 0)
    rc = opt_value_refuse(e->row, value, strbuf_str(&expected), where, err);
  else
    rc = err_set(
      err, -ENOENT,
      "invalid option: %.700s%s%s\n"
      "--%.100s is an option of the script, which refuses this value",
      arg, where ? ", " : "", where ? where : "", e->row->name);
  strbuf_done(&expected);
  return rc;
}

/* One pending option, now that the test has declared its own. */
static int apply(struct cmdline *c, const struct cmdline_pending *p,
                 const struct cmdline_rules *rules, struct err *err)
{
  const struct opt row = { .type = OPT_TYPE_STRING, .name = p->given.name };
  struct opt_given given = p->given;
  struct opt_entry *e;
  struct err own_err;
  int rc;

  if (p->refused)
    return optset_unknown(c->set, &given, err);
  e = optset_find(c->set, given.name);
  if (!e) {
    if (!rules->accept_unknown)
      return given.where && rules->is_foreign &&
                 rules->is_foreign(rules->program, &given)
               ? 0
               : optset_unknown(c->set, &given, err);
    rc = optset_declare(c->set, rules->owner, &row, &e, err);
    if (rc < 0)
      return rc;
    if (given.bare) /* in a file, too */
      given.source = OPT_SOURCE_CMDLINE;
  }
  rc = opt_set(e, &given, err);
  if (rc == -EINVAL) { /* the script may know better what is allowed */
    const int own = ask_script(rules, e, given.text, given.arg, given.where,
                               &own_err);

    if (own == -EINVAL)
      *err = own_err;
  }
  if (rc < 0)
    return rc;
  return ask_script(rules, e, opt_get_string(e), given.arg, given.where, err);
}

/* A script's rule for an option that the program has as well, and that was
 * stored long before the script was read. */
static int check_twins(const struct cmdline *c,
                       const struct cmdline_rules *rules, struct err *err)
{
  const struct optset *set = c->set;

  for (size_t i = 0; rules->is_valid && i < set->n; i++) {
    const struct opt_entry *e = set->entries[i];
    char arg[500];
    int rc;

    if (!e->made || !e->twin || opt_shown(e) == e)
      continue;
    (void)snprintf(arg, sizeof(arg), "--%s=%.400s", e->row->name,
                   opt_get_string(e));
    rc = ask_script(rules, e, opt_get_string(e), arg, NULL, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

int cmdline_apply(struct cmdline *c, const struct cmdline_rules *rules,
                  struct err *err)
{
  for (const struct cmdline_pending *p = c->first; p; p = p->next) {
    const int rc = apply(c, p, rules, err);

    if (rc < 0)
      return rc;
  }
  return check_twins(c, rules, err);
}

void cmdline_done(struct cmdline *c)
{
  if (!c)
    return;
  for (size_t i = 0; i < c->n_warnings; i++)
    free(c->warnings[i]);
  free(c->warnings);
  free(c->positionals);
  while (c->first) {
    struct cmdline_pending *p = c->first;

    c->first = p->next;
    free(p->name);
    free(p);
  }
  while (c->files) {
    struct cmdline_file *f = c->files;

    c->files = f->next;
    opt_file_done(&f->file);
    free(f);
  }
  *c = (struct cmdline){ 0 };
}
