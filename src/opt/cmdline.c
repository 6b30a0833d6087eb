/*
 * cmdline.c - what the command line asks for.
 */
#include "opt/cmdline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "opt/file.h"
#include "opt/optset.h"

/* An option that the program itself does not know. */
struct cmdline_pending {
  struct cmdline_pending *next;
  struct opt_given given; /* points to an argument or a line of a file */
  char *name;             /* owned, [opt]: what given.name points to */
  bool refused;           /* whatever the test declares */
};

/* A configuration file, kept for the pending options in it. */
struct cmdline_file {
  struct cmdline_file *next;
  struct opt_file file;
};

/* One scan: the first failure counts, but --help must still be found. */
struct scan {
  struct cmdline *c;
  struct err first;
  int first_rc;
  bool test_given;
};

static int no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the options");
}

bool cmdline_is_usage_error(int rc)
{
  return rc == -ENOENT || rc == -E2BIG;
}

static void keep_error(struct scan *s, int rc, const struct err *err)
{
  if (s->first_rc == 0) {
    s->first_rc = rc;
    s->first = *err;
  }
}

static int add_warning(struct cmdline *c, struct strbuf *text, struct err *err)
{
  char **more = realloc(c->warnings,
                        (c->n_warnings + 1) * sizeof(c->warnings[0]));
  char *copy;

  if (!more)
    return no_memory(err);
  c->warnings = more;
  copy = text->failed ? NULL : mem_strdup(strbuf_str(text));
  if (!copy)
    return no_memory(err);
  c->warnings[c->n_warnings++] = copy;
  return 0;
}

static int warn(struct cmdline *c, const char *what, const char *advice,
                struct err *err)
{
  struct strbuf text = { 0 };
  int rc;

  strbuf_addf(&text, "%s%s", what, advice);
  rc = add_warning(c, &text, err);
  strbuf_done(&text);
  return rc;
}

/* Owns `name` from here on, also when it fails. */
static int keep_pending(struct scan *s, const struct opt_given *given,
                        char *name, bool refused, struct err *err)
{
  struct cmdline_pending *p = calloc(1, sizeof(*p));

  if (!p) {
    free(name);
    return no_memory(err);
  }
  p->given = *given;
  p->name = name;
  p->refused = refused;
  *s->c->last = p;
  s->c->last = &p->next;
  return 0;
}

static bool is_core(const struct opt_entry *e, const char *name)
{
  return e->section == OPT_SECTION_GENERAL && strcmp(e->row->name, name) == 0;
}

static int read_file(struct scan *s, const struct opt_entry *e,
                     struct err *err);

/*
 * Store an option that the program knows.  Fails only when there is no memory;
 * other failures are kept until the whole command line is read.
 */
static int take_known(struct scan *s, struct opt_entry *e,
                      const struct opt_given *given, struct err *err)
{
  const bool first_test = is_core(e, "test") && !s->test_given;
  int rc = opt_set(e, given, err);

  if (rc == -ENOMEM)
    return rc;
  if (rc < 0)
    keep_error(s, rc, err);
  if (first_test) {
    s->test_given = true;
    return warn(s->c, "--test is deprecated, ",
                "give the name or the path of the test without an option", err);
  }
  if (rc == 0 && is_core(e, "config-file"))
    return read_file(s, e, err);
  return 0;
}

static bool is_allowed_in_file(const struct opt_entry *e)
{
  return !is_core(e, "config-file") && !is_core(e, "help") &&
         !is_core(e, "version");
}

static int take_line(struct scan *s, const struct opt_line *line,
                     struct err *err)
{
  struct opt_entry *e = optset_find(s->c->set, line->given.name);

  if (!e)
    return keep_pending(s, &line->given, NULL, !*line->given.name, err);
  if (!is_allowed_in_file(e))
    return keep_pending(s, &line->given, NULL, true, err);
  return take_known(s, e, &line->given, err);
}

/* All lines of the file that --config-file names, at its place. */
static int read_file(struct scan *s, const struct opt_entry *e, struct err *err)
{
  struct cmdline_file *f;
  struct strbuf what = { 0 };
  char *text;
  size_t len;
  int rc;

  rc = opt_file_load(s->c->core->config_file, &text, &len);
  if (rc == -ENOMEM)
    return no_memory(err);
  if (rc < 0) {
    strbuf_addf(&what, "a readable file: %s", strerror(-rc));
    rc = opt_refuse(e, NULL, strbuf_str(&what), err);
    strbuf_done(&what);
    keep_error(s, rc, err);
    return 0;
  }
  f = calloc(1, sizeof(*f));
  if (!f) {
    free(text);
    return no_memory(err);
  }
  f->next = s->c->files;
  s->c->files = f;

  rc = opt_file_parse(text, len, s->c->core->config_file, &f->file, err);
  free(text);
  if (rc == -ENOMEM)
    return rc;
  if (rc < 0) {
    struct err malformed = *err;

    for (struct opt_line *l = f->file.first; l; l = l->next) {
      if (take_line(s, l, err) < 0)
        return -ENOMEM;
    }
    keep_error(s, rc, &malformed);
    return 0;
  }
  for (struct opt_line *l = f->file.first; l; l = l->next) {
    rc = take_line(s, l, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

/* An argument that begins with `--`. */
static int take_option(struct scan *s, const char *arg, struct err *err)
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
    .source = OPT_SOURCE_CMDLINE,
  };
  struct opt_entry *e;
  int rc;

  if (!name)
    return no_memory(err);
  e = optset_find(s->c->set, name);
  if (!e)
    return keep_pending(s, &given, name, len == 0, err);
  rc = take_known(s, e, &given, err);
  free(name);
  return rc;
}

/* The compat level of the environment; the option may still override it. */
static int take_environment(struct scan *s, const char *value, struct err *err)
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
    keep_error(s, rc, err);
    return 0;
  }
  return rc;
}

static int scan_arguments(struct scan *s, const struct cmdline_input *in,
                          struct err *err)
{
  struct cmdline *c = s->c;
  int rc;

  c->positionals = calloc((size_t)in->argc + 1, sizeof(c->positionals[0]));
  if (!c->positionals)
    return no_memory(err);
  for (int i = 1; i < in->argc; i++) {
    if (strncmp(in->argv[i], "--", 2) != 0) {
      c->positionals[c->n_positionals++] = in->argv[i];
      continue;
    }
    rc = take_option(s, in->argv[i], err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

static bool is_tool(const struct cmdline_input *in, const char *name)
{
  for (size_t i = 0; in->tools && in->tools[i]; i++) {
    if (strcmp(in->tools[i], name) == 0)
      return true;
  }
  return false;
}

/* Test name and command; -E2BIG: one argument too many. */
static int assign_positionals(struct cmdline *c, const struct cmdline_input *in,
                              struct err *err)
{
  const char *const *p = c->positionals;
  size_t n = c->n_positionals;

  c->action = CMDLINE_TEST;
  if (*c->core->test) {
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
    return err_set(err, -E2BIG, "Unrecognized command line argument: %.900s",
                   *p);
  return 0;
}

static int warn_of_alias(struct cmdline *c, const struct opt_entry *e,
                         struct err *err)
{
  struct strbuf text = { 0 };
  int rc;

  strbuf_addf(&text, "--%s is deprecated, use --%s instead", e->row->name,
              e->row->alias_of);
  rc = add_warning(c, &text, err);
  strbuf_done(&text);
  return rc;
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
        const int rc = warn_of_alias(c, e, err);

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
    rc = warn(c, c->checked.warnings[i], "", err);
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
  rc = take_environment(s, in->compat_env, err);
  if (rc == 0)
    rc = scan_arguments(s, in, err);
  if (rc == 0)
    rc = optset_set_level(c->set, (enum compat)c->core->compat, err);
  if (rc < 0)
    return rc;
  if (c->core->help || c->core->version) {
    c->action = c->core->help ? CMDLINE_HELP : CMDLINE_VERSION;
    return 0;
  }
  return finish(s, in, err);
}

int cmdline_scan(struct cmdline *c, const struct cmdline_input *in,
                 struct optset *set, struct core_cfg *core, struct err *err)
{
  struct scan s = { .c = c };
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

/* One pending option, now that the test has declared its own. */
static int apply(struct cmdline *c, const struct cmdline_pending *p,
                 const struct cmdline_rules *rules, struct err *err)
{
  const struct opt row = { .type = OPT_TYPE_STRING, .name = p->given.name };
  struct opt_given given = p->given;
  struct opt_entry *e;
  int rc;

  if (p->refused)
    return optset_unknown(c->set, &given, err);
  e = optset_find(c->set, given.name);
  if (!e) {
    if (!rules->accept_unknown)
      return optset_unknown(c->set, &given, err);
    rc = optset_declare(c->set, rules->owner, &row, &e, err);
    if (rc < 0)
      return rc;
    if (given.bare) /* in a file, too */
      given.source = OPT_SOURCE_CMDLINE;
  }
  rc = opt_set(e, &given, err);
  if (rc < 0)
    return rc;
  if (rules->is_valid && !rules->is_valid(rules->ctx, e, opt_get_string(e)))
    return err_set(err, -ENOENT, "invalid option: %.900s%s%s", given.arg,
                   given.where ? ", " : "", given.where ? given.where : "");
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
  return 0;
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
