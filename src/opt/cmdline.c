#include "opt/cmdline.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/suggest.h"
#include "opt/value.h"

/* ---- options ---- */

/* In the order of enum cmdline_help. */
static const char *const help_words[] = { "on", "all", "expert", "json", NULL };

static const char *const compat_words[] = { "1.0", "1.1", NULL };

const struct opt cmdline_opts[] = {
  {
    OPT_BOOL(struct cmdline_cfg, help),
    .name = "help",
    .group = "General",
    .flags = OPT_COMMON,
    .def = "off",
    .expected = "on, off, all, expert or json",
    .show_as = "[=all|expert|json]",
    .words = help_words,
    .help = "print the help and exit",
    .man = "The help has the options that most people use. With \"all\" it has "
           "all options but those for experts, with \"expert\" the others, "
           "with \"json\" every option as one JSON array. After the name of a "
           "test, it has the options of this test.",
  },
  {
    OPT_BOOL(struct cmdline_cfg, version),
    .name = "version",
    .def = "off",
    .help = "print the version and exit",
    .man = "The version is one line. With --debug, or --verbosity=5, a list of "
           "what is built in follows: "
           "Lua, database drivers, I/O modes of the fileio test, the plug-in "
           "for several machines.",
  },
  {
    OPT_FILE(struct cmdline_cfg, config_file),
    .name = "config-file",
    .flags = OPT_COMMON,
    .help = "read options from a file",
    .man = "Each line is NAME = VALUE, or the name of a switch. A value that "
           "has blanks or commas, or begins with #, is put in quotes; # at "
           "the beginning of a line or after a blank begins a comment (see "
           "FILES). Options of other tests are skipped. Options before this "
           "one are overridden by the file, "
           "options after it override the file.",
  },
  OPT_END,
};

const struct opt cmdline_test_opts[] = {
  {
    OPT_WORD(struct cmdline_cfg, compat),
    .name = "compat",
    .group = "General",
    .flags = OPT_OWN,
    .def = "1.0",
    .words = compat_words,
    .help = "report layout and default random distribution {1.0,1.1}",
    .man = "The option selects the layout and wording of the reports and the "
           "default of --rand-type, nothing else. The environment variable "
           "BENCH_COMPAT "
           "sets the same value; the option wins over it.",
  },
  {
    OPT_STRING(struct cmdline_cfg, test),
    .name = "test",
    .flags = OPT_HIDDEN | OPT_NOT_EMPTY,
    .expected = "the name or the path of a test",
    .help = "deprecated form of the test name",
  },
  OPT_END,
};

/* The first failure counts, but the scan goes on to look for --help. */
struct scan {
  struct cmdline *c;
  const struct cmdline_input *in;
  struct err first;
  int first_rc;
  bool test_given;
};

/* ---- an argument too many ---- */

/* `--threads 4`. */
static bool surplus_lacks_equals(const struct cmdline *c, const char *arg,
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
static bool surplus_lacks_hyphen(const struct cmdline *c, const char *arg)
{
  char name[64];
  const size_t len = strcspn(arg, "=");

  if (*arg != '-' || len < 2 || len > sizeof(name))
    return false;
  (void)snprintf(name, sizeof(name), "%.*s", (int)len - 1, arg + 1);
  return optset_find(c->set, name) != NULL;
}

/* `-t`, `-j4`: there are no such options. */
static bool surplus_is_short(const char *arg)
{
  return arg[0] == '-' && isalpha((unsigned char)arg[1]);
}

/* `compar a.json b.json`: only tools take two files. */
static const char *surplus_meant_tool(const struct cmdline *c,
                                      const struct cmdline_input *in)
{
  struct suggest s;

  suggest_init(&s, c->test);
  for (size_t i = 0; in->tools && in->tools[i]; i++)
    suggest_offer(&s, in->tools[i]);
  return suggest_result(&s);
}

static int scan_refuse_argument(const struct cmdline *c,
                                const struct cmdline_input *in,
                                const char *extra, struct err *err)
{
  static const char text[] = "Unrecognized command line argument: ";
  const char *tool;

  for (int i = 1; i < in->argc; i++) {
    if (i + 1 < in->argc &&
        surplus_lacks_equals(c, in->argv[i], in->argv[i + 1]))
      return err_set(err, -E2BIG, "%s%.400s\ndid you mean %.200s=%.200s?", text,
                     in->argv[i + 1], in->argv[i], in->argv[i + 1]);
    if (surplus_lacks_hyphen(c, in->argv[i]))
      return err_set(err, -E2BIG, "%s%.400s\ndid you mean -%.400s?", text,
                     in->argv[i], in->argv[i]);
    if (surplus_is_short(in->argv[i]))
      return err_set(err, -E2BIG,
                     "%s%.400s\noptions are written --NAME=VALUE, as in "
                     "--threads=4",
                     text, in->argv[i]);
  }
  tool = surplus_meant_tool(c, in);
  return err_set(err, -E2BIG, "%s%.400s%s%s%s", text, extra,
                 tool ? "\ndid you mean " : "", tool ? tool : "",
                 tool ? "?" : "");
}

/* ---- one argument ---- */

static int scan_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the options");
}

int cmdline_warn(struct cmdline *c, struct err *err, const char *fmt, ...)
{
  char **more = realloc(c->warnings,
                        (c->n_warnings + 1) * sizeof(c->warnings[0]));
  struct strbuf text = { 0 };
  va_list ap;

  if (!more)
    return scan_no_memory(err);
  c->warnings = more;
  va_start(ap, fmt);
  strbuf_vaddf(&text, fmt, ap);
  va_end(ap);
  if (text.failed) {
    strbuf_done(&text);
    return scan_no_memory(err);
  }
  c->warnings[c->n_warnings++] = text.text;
  return 0;
}

static void scan_keep_error(struct scan *s, int rc, const struct err *err)
{
  if (s->first_rc == 0) {
    s->first_rc = rc;
    s->first = *err;
  }
}

/* Owns `name`, even on failure. */
static int scan_keep_pending(struct scan *s, const struct opt_given *given,
                             char *name, bool refused, struct err *err)
{
  struct cmdline_pending *p = calloc(1, sizeof(*p));

  if (!p) {
    free(name);
    return scan_no_memory(err);
  }
  p->given = *given;
  p->name = name;
  p->refused = refused;
  *s->c->last = p;
  s->c->last = &p->next;
  return 0;
}

static bool scan_is_core(const struct opt_entry *e, const char *name)
{
  return e->section == OPT_SECTION_GENERAL && strcmp(e->row->name, name) == 0;
}

static int scan_file(struct scan *s, const struct opt_entry *e,
                     struct err *err);

/* Stores an option of the program.  Returns only -ENOMEM; keeps other failures
 * until the command line is read. */
static int scan_take_known(struct scan *s, struct opt_entry *e,
                           const struct opt_given *given, struct err *err)
{
  /* A test in a file is only a default. */
  const bool first_test = scan_is_core(e, "test") && !s->test_given &&
                          !given->where;
  int rc = opt_set(e, given, err);

  if (rc == -ENOMEM)
    return rc;
  if (rc < 0)
    scan_keep_error(s, rc, err);
  if (first_test) {
    s->test_given = true;
    return cmdline_warn(
      s->c, err,
      "--test is deprecated, give the name or the path of the "
      "test without an option");
  }
  if (rc == 0 && scan_is_core(e, "config-file"))
    return scan_file(s, e, err);
  return 0;
}

static bool scan_is_allowed_in_file(const struct opt_entry *e)
{
  return !scan_is_core(e, "config-file") && !scan_is_core(e, "help") &&
         !scan_is_core(e, "version");
}

static int scan_take_line(struct scan *s, const struct opt_line *line,
                          struct err *err)
{
  struct opt_entry *e = optset_find(s->c->set, line->given.name);

  if (!e)
    return scan_keep_pending(s, &line->given, NULL, !*line->given.name, err);
  if (!scan_is_allowed_in_file(e))
    return scan_keep_pending(s, &line->given, NULL, true, err);
  return scan_take_known(s, e, &line->given, err);
}

static int scan_file(struct scan *s, const struct opt_entry *e, struct err *err)
{
  struct strbuf what = { 0 };
  struct cmdline_file *f;
  struct err malformed;
  char *text;
  size_t len;
  int rc;

  rc = s->in->load
         ? s->in->load(s->in->load_arg, s->c->cfg->config_file, &text, &len)
         : opt_file_load(s->c->cfg->config_file, &text, &len);
  if (rc == -ENOMEM)
    return scan_no_memory(err);
  if (rc < 0) {
    strbuf_addf(&what, "a readable file: %s", strerror(-rc));
    rc = opt_refuse(e, NULL, strbuf_str(&what), err);
    strbuf_done(&what);
    scan_keep_error(s, rc, err);
    return 0;
  }
  f = calloc(1, sizeof(*f));
  if (!f) {
    free(text);
    return scan_no_memory(err);
  }
  f->path = s->c->cfg->config_file;
  f->next = s->c->files;
  s->c->files = f;

  rc = opt_file_parse(text, len, s->c->cfg->config_file, &f->file, err);
  free(text);
  if (rc == -ENOMEM)
    return rc;
  malformed = *err;
  for (struct opt_line *l = f->file.first; l; l = l->next) {
    if (scan_take_line(s, l, err) < 0)
      return -ENOMEM;
  }
  if (rc < 0)
    scan_keep_error(s, rc, &malformed);
  return 0;
}

static int scan_option(struct scan *s, const char *arg, struct err *err)
{
  const char *from = arg + 2;
  const char *equals = strchr(from, '=');
  const size_t len = equals ? (size_t)(equals - from) : strlen(from);
  char *name = mem_strndup(from, len);
  struct opt_given given = {
    .name = name,
    .arg = arg,
    .text = equals ? equals + 1 : "",
    .bare = !equals,
    .unseen = s->in->load != NULL,
    .source = OPT_SOURCE_CMDLINE,
  };
  struct opt_entry *e;
  int rc;

  if (!name)
    return scan_no_memory(err);
  e = optset_find(s->c->set, name);
  if (!e)
    return scan_keep_pending(s, &given, name, len == 0, err);
  for (int i = 0; scan_is_core(e, "help") && help_words[i]; i++) {
    if (strcmp(given.text, help_words[i]) == 0) {
      s->c->help = (enum cmdline_help)i;
      given.text = "on";
    }
  }
  rc = scan_take_known(s, e, &given, err);
  free(name);
  return rc;
}

static int scan_environment(struct scan *s, const char *value, struct err *err)
{
  const struct opt_given given = { .name = "compat",
                                   .arg = "BENCH_COMPAT",
                                   .text = value,
                                   .source = OPT_SOURCE_ENVIRONMENT };
  struct opt_entry *e = optset_find(s->c->set, "compat");
  int rc;

  if (!value || !*value)
    return 0;
  rc = opt_set(e, &given, err);
  if (rc == -EINVAL) {
    struct strbuf what = { 0 };

    opt_expected(e->row, &what);
    err_set(err, -EINVAL,
            "Invalid value for BENCH_COMPAT: '%.400s' (expected %s)", value,
            strbuf_str(&what));
    strbuf_done(&what);
    scan_keep_error(s, rc, err);
    return 0;
  }
  return rc;
}

bool cmdline_is_usage_error(int rc)
{
  return rc == -ENOENT || rc == -E2BIG;
}

/* Other programs have these letters; sysbench takes them for tests. */
static const char *cmdline_long_form(const struct cmdline *c, const char *arg)
{
  if (c->identity == IDENTITY_SYSBENCH)
    return NULL;
  if (strcmp(arg, "-h") == 0)
    return "--help";
  return strcmp(arg, "-V") == 0 ? "--version" : NULL;
}

static int cmdline_scan_arguments(struct scan *s,
                                  const struct cmdline_input *in,
                                  struct err *err)
{
  struct cmdline *c = s->c;
  int rc;

  c->positionals = calloc((size_t)in->argc + 1, sizeof(c->positionals[0]));
  if (!c->positionals)
    return scan_no_memory(err);
  for (int i = 1; i < in->argc; i++) {
    const char *arg = cmdline_long_form(c, in->argv[i]);

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

static bool cmdline_is_tool(const struct cmdline_input *in, const char *name)
{
  for (size_t i = 0; in->tools && in->tools[i]; i++) {
    /* Not NULL, because a name was found.
     * NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
    if (strcmp(in->tools[i], name) == 0)
      return true;
  }
  return false;
}

/* `help`, `help TEST` and `list`, which sysbench takes for tests. */
static bool cmdline_asks_for_words(struct cmdline *c)
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

/* --help can stand anywhere, and shows the help of the named test. */
static void cmdline_ask_for_help(struct cmdline *c)
{
  c->action = CMDLINE_HELP;
  if (c->identity == IDENTITY_SYSBENCH || c->help)
    return;
  if (*c->cfg->test)
    c->test = c->cfg->test;
  else if (!cmdline_asks_for_words(c) && c->n_positionals > 0)
    c->test = c->positionals[0];
  c->action = CMDLINE_HELP;
}

static bool cmdline_is_test_of_file(const struct cmdline *c)
{
  return optset_find(c->set, "test")->source == OPT_SOURCE_FILE;
}

static int cmdline_assign_positionals(struct cmdline *c,
                                      const struct cmdline_input *in,
                                      struct err *err)
{
  const char *const *p = c->positionals;
  size_t n = c->n_positionals;

  assert(p || n == 0);
  c->action = CMDLINE_TEST;
  if (cmdline_asks_for_words(c))
    return 0;
  if (*c->cfg->test && !(n > 1 && cmdline_is_test_of_file(c))) {
    c->test = c->cfg->test;
  } else if (n > 0) {
    c->test = *p++;
    n--;
    if (cmdline_is_tool(in, c->test)) {
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
 * thread, a limit, a rate. */
static bool cmdline_is_mute(const struct cmdline *c,
                            const struct opt_entry *alias)
{
  const struct opt_entry *level = optset_find(c->set, "verbosity");
  const double most = strcmp(alias->real->row->name, "threads") == 0 ? 1 : 0;

  return c->identity == IDENTITY_SYSBENCH && opt_get_number(alias) <= most &&
         !(level && opt_get_number(level) > 3);
}

static int cmdline_warn_of_aliases(struct cmdline *c, struct err *err)
{
  const struct optset *set = c->set;

  for (size_t i = 0; i < set->n; i++) {
    for (size_t k = 0; k < set->n; k++) {
      const struct opt_entry *e = set->entries[k];

      if (e->real == set->entries[i] && e->given &&
          (e->row->flags & OPT_DEPRECATED) && !cmdline_is_mute(c, e)) {
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

static int cmdline_finish(struct scan *s, const struct cmdline_input *in,
                          struct err *err)
{
  struct cmdline *c = s->c;
  int rc;

  rc = cmdline_assign_positionals(c, in, err);
  if (rc < 0)
    return rc;
  rc = cmdline_warn_of_aliases(c, err);
  if (rc < 0)
    return rc;
  if (s->first_rc < 0) {
    *err = s->first;
    return s->first_rc;
  }
  rc = optset_expand(c->set, err);
  if (rc < 0)
    return rc;
  return in->check ? in->check(in->check_arg, c, err) : 0;
}

/* `err` can have failures that did not count. */
static int cmdline_scan_all(struct scan *s, const struct cmdline_input *in,
                            struct err *err)
{
  struct cmdline *c = s->c;
  int rc;

  if (in->argc <= 1 && in->stdin_is_terminal) {
    c->action = CMDLINE_USAGE;
    return 0;
  }
  rc = scan_environment(s, in->compat_env, err);
  if (rc == 0)
    rc = cmdline_scan_arguments(s, in, err);
  if (rc == 0)
    rc = optset_set_level(c->set, (enum compat)c->cfg->compat, err);
  if (rc < 0)
    return rc;
  if (c->cfg->help || c->cfg->version) {
    c->action = CMDLINE_VERSION;
    if (c->cfg->help)
      cmdline_ask_for_help(c);
    return 0;
  }
  return cmdline_finish(s, in, err);
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
  rc = cmdline_scan_all(&s, in, &last);
  if (rc < 0)
    *err = last;
  return rc;
}

static int cmdline_ask_script(const struct cmdline_rules *rules,
                              const struct opt_entry *e, const char *value,
                              const char *arg, const char *where,
                              struct err *err)
{
  const struct opt_entry *real = e->real ? e->real : e;
  struct strbuf expected = { 0 };
  int rc = 0;

  if (!real->made || !rules->is_valid ||
      rules->is_valid(rules->ctx, real, value, &expected))
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

static int cmdline_apply_all(struct cmdline *c, const struct cmdline_pending *p,
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
  if (rc == -EINVAL) { /* the script can have a better text */
    const int own = cmdline_ask_script(rules, e, given.text, given.arg,
                                       given.where, &own_err);

    if (own == -EINVAL)
      *err = own_err;
  }
  if (rc < 0)
    return rc;
  return cmdline_ask_script(rules, e, opt_get_string(e), given.arg, given.where,
                            err);
}

/* Applies a script's rule to an option that the program has as well; its value
 * was stored before. */
static int cmdline_check_twins(const struct cmdline *c,
                               const struct cmdline_rules *rules,
                               struct err *err)
{
  const struct optset *set = c->set;

  for (size_t i = 0; rules->is_valid && i < set->n; i++) {
    const struct opt_entry *e = set->entries[i];
    char arg[500];
    int rc;

    if (!e->made || e->real || !e->twin || opt_shown(e) == e)
      continue;
    (void)snprintf(arg, sizeof(arg), "--%s=%.400s", e->row->name,
                   opt_get_string(e));
    rc = cmdline_ask_script(rules, e, opt_get_string(e), arg, NULL, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

int cmdline_apply(struct cmdline *c, const struct cmdline_rules *rules,
                  struct err *err)
{
  for (const struct cmdline_pending *p = c->first; p; p = p->next) {
    const int rc = cmdline_apply_all(c, p, rules, err);

    if (rc < 0)
      return rc;
  }
  return cmdline_check_twins(c, rules, err);
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
