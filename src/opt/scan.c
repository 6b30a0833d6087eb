/*
 * scan.c - one argument: a known option is stored, an unknown one is kept, and
 * a configuration file is read at its place.
 */
#include "opt/scan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "opt/optset.h"

int scan_no_memory(struct err *err)
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
  c->warnings[c->n_warnings++] = text.text; /* ownership moves */
  return 0;
}

static void keep_error(struct scan *s, int rc, const struct err *err)
{
  if (s->first_rc == 0) {
    s->first_rc = rc;
    s->first = *err;
  }
}

/* Owns `name` from here on, also on failure. */
static int keep_pending(struct scan *s, const struct opt_given *given,
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

static bool is_core(const struct opt_entry *e, const char *name)
{
  return e->section == OPT_SECTION_GENERAL && strcmp(e->row->name, name) == 0;
}

static int read_file(struct scan *s, const struct opt_entry *e,
                     struct err *err);

/*
 * Stores an option that the program knows.  Returns an error only when there is
 * no memory; other failures are kept until the whole command line is read.
 */
static int take_known(struct scan *s, struct opt_entry *e,
                      const struct opt_given *given, struct err *err)
{
  /* A test in a file is a default.  It cannot be given in any other way. */
  const bool first_test = is_core(e, "test") && !s->test_given && !given->where;
  int rc = opt_set(e, given, err);

  if (rc == -ENOMEM)
    return rc;
  if (rc < 0)
    keep_error(s, rc, err);
  if (first_test) {
    s->test_given = true;
    return cmdline_warn(
      s->c, err,
      "--test is deprecated, give the name or the path of the "
      "test without an option");
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

/* Reads all lines of the file that --config-file names, at its place. */
static int read_file(struct scan *s, const struct opt_entry *e, struct err *err)
{
  struct cmdline_file *f;
  struct strbuf what = { 0 };
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
    keep_error(s, rc, err);
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

int scan_option(struct scan *s, const char *arg, struct err *err)
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
    return keep_pending(s, &given, name, len == 0, err);
  if (is_core(e, "help") && strcmp(given.text, "all") == 0) {
    s->c->help_all = true;
    given.text = "on";
  }
  rc = take_known(s, e, &given, err);
  free(name);
  return rc;
}

int scan_environment(struct scan *s, const char *value, struct err *err)
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
