/*
 * cmdline.c - what the command line asks for.
 */
#include "opt/cmdline.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/scan.h"
#include "opt/value.h"

bool cmdline_is_usage_error(int rc)
{
  return rc == -ENOENT || rc == -E2BIG;
}

/*
 * Options that are single letters in other programs.  sysbench takes them for
 * names of tests.
 */
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
    /*
     * `tools` is never NULL here, because a name was found.
     * NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
     */
    if (strcmp(in->tools[i], name) == 0)
      return true;
  }
  return false;
}

/*
 * Handles `help`, `help TEST` and `list`, which sysbench takes for names of
 * tests.
 */
static bool asks_for_words(struct cmdline *c)
{
  const char *const *p = c->positionals;
  const size_t n = c->n_positionals;

  if (c->identity == IDENTITY_SYSBENCH || *c->cfg->test || n == 0)
    return false;
  if (n <= 2 && strcmp(p[0], "help") == 0) {
    c->action = CMDLINE_HELP;
    c->test = n == 2 && strcmp(p[1], "list") != 0 ? p[1] : NULL;
    return true;
  }
  if (n == 1 && strcmp(p[0], "list") == 0) {
    c->action = CMDLINE_LIST;
    return true;
  }
  return false;
}

/* --help may stand anywhere.  It shows the help of the test that is named. */
static void ask_for_help(struct cmdline *c)
{
  c->action = CMDLINE_HELP;
  if (c->identity == IDENTITY_SYSBENCH || c->help_all)
    return;
  if (*c->cfg->test)
    c->test = c->cfg->test;
  else if (!asks_for_words(c) && c->n_positionals > 0)
    c->test = c->positionals[0];
  c->action = CMDLINE_HELP; /* also `list --help` */
}

/* A test that a configuration file names is only a default. */
static bool is_test_of_file(const struct cmdline *c)
{
  return optset_find(c->set, "test")->source == OPT_SOURCE_FILE;
}

/*
 * Sets the test name and the command.  -E2BIG: there is one argument too many.
 */
static int assign_positionals(struct cmdline *c, const struct cmdline_input *in,
                              struct err *err)
{
  const char *const *p = c->positionals;
  size_t n = c->n_positionals;

  assert(p || n == 0);
  c->action = CMDLINE_TEST;
  if (asks_for_words(c))
    return 0;
  if (*c->cfg->test && !(n > 1 && is_test_of_file(c))) {
    c->test = c->cfg->test;
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
    return scan_refuse_argument(c, in, *p, err);
  return 0;
}

/* Sysbench warns of an old name only if its value does something: more than one
 * thread, a limit, a rate.  Programs parse what it prints. */
static bool is_mute(const struct cmdline *c, const struct opt_entry *alias)
{
  const struct opt_entry *level = optset_find(c->set, "verbosity");
  const double most = strcmp(alias->real->row->name, "threads") == 0 ? 1 : 0;

  return c->identity == IDENTITY_SYSBENCH && opt_get_number(alias) <= most &&
         !(level && opt_get_number(level) > 3);
}

/* The warnings follow the order of the options that the aliases stand for. */
static int warn_of_aliases(struct cmdline *c, struct err *err)
{
  const struct optset *set = c->set;

  for (size_t i = 0; i < set->n; i++) {
    for (size_t k = 0; k < set->n; k++) {
      const struct opt_entry *e = set->entries[k];

      if (e->real == set->entries[i] && e->given &&
          (e->row->flags & OPT_DEPRECATED) && !is_mute(c, e)) {
        const int rc = cmdline_warn(c, err,
                                    "--%s is deprecated, use --%s instead",
                                    e->row->name, e->row->alias_of);

        if (rc < 0)
          return rc;
      }
    }
  }
  return 0;
}

/* These steps are taken only if neither --help nor --version is given. */
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
  return in->check ? in->check(in->check_arg, c, err) : 0;
}

/*
 * Scans from the first argument to the action.  `err` may hold failures that
 * did not count.
 */
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
    rc = optset_set_level(c->set, (enum compat)c->cfg->compat, err);
  if (rc < 0)
    return rc;
  if (c->cfg->help || c->cfg->version) {
    c->action = CMDLINE_VERSION;
    if (c->cfg->help)
      ask_for_help(c);
    return 0;
  }
  return finish(s, in, err);
}

int cmdline_scan(struct cmdline *c, const struct cmdline_input *in,
                 struct optset *set, const struct cmdline_cfg *cfg,
                 struct err *err)
{
  struct scan s = { .c = c, .in = in };
  struct err last;
  int rc;

  *c = (struct cmdline){
    .identity = identity_of(in->argc > 0 ? in->argv[0] : NULL),
    .set = set,
    .cfg = cfg,
  };
  c->last = &c->first;
  rc = scan(&s, in, &last);
  if (rc < 0)
    *err = last;
  return rc;
}

/* Asks the script whether it allows the value; `arg` is what was typed. */
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

/* Stores one pending option after the test has declared its own. */
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
    if (given.bare) /* also in a file */
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

/*
 * Checks a script's rule for an option that the program has as well.  Its value
 * was stored long before the script was read.
 */
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
