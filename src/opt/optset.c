#include "opt/optset.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/strbuf.h"
#include "opt/suggest.h"

struct opt_made {
  struct opt row;
  char *name, *def, *help, *aliases, *show_as;
};

void optset_init(struct optset *set, enum compat level)
{
  *set = (struct optset){ .level = level };
}

static void optset_made_free(struct opt_made *made)
{
  if (!made)
    return;
  free(made->name);
  free(made->def);
  free(made->help);
  free(made->aliases);
  free(made->show_as);
  free(made);
}

static void optset_entry_free(struct opt_entry *e)
{
  if (!e)
    return;
  if (!e->lent) {
    opt_value_done(&e->value);
    free(e->where);
    optset_made_free(e->made);
  }
  free(e);
}

void optset_done(struct optset *set)
{
  if (!set)
    return;
  for (size_t i = 0; i < set->n; i++)
    optset_entry_free(set->entries[i]);
  free(set->entries);
  *set = (struct optset){ 0 };
}

struct opt_entry *optset_find(const struct optset *set, const char *name)
{
  for (size_t i = 0; i < set->n; i++) {
    if (opt_name_equal(set->entries[i]->row->name, name))
      return set->entries[i];
  }
  return NULL;
}

static void optset_replace_value(struct opt_entry *e, struct opt_value *value)
{
  opt_value_done(&e->value);
  e->value = *value;
  if (e->cfg)
    opt_value_store(e->row, &e->value, e->cfg);
}

static const char *optset_default_text(const struct opt *row, enum compat level)
{
  return level == COMPAT_1_1 && row->def_1_1 ? row->def_1_1 : row->def;
}

static int optset_take_default(struct opt_entry *e, struct err *err)
{
  const struct opt_given given = { .text = e->def };
  struct opt_value value = opt_value_unset(e->row);
  struct opt row = *e->row;
  int rc;

  row.min_now = NULL; /* a const default cannot depend on the system */
  if (e->def) {
    rc = opt_value_read(&row, &given, &value, err);
    if (rc < 0)
      return rc;
  }
  optset_replace_value(e, &value);
  e->source = OPT_SOURCE_DEFAULT;
  return 0;
}

/* The row stays valid; the set owns the entry. */
static struct opt_entry *optset_append(struct optset *set,
                                       const struct opt *row)
{
  struct opt_entry *e;

  if (set->n == set->room) {
    const size_t room = set->room ? 2 * set->room : 64;
    struct opt_entry **entries = realloc(set->entries,
                                         room * sizeof(struct opt_entry *));

    if (!entries)
      return NULL;
    set->entries = entries;
    set->room = room;
  }
  e = calloc(1, sizeof(*e));
  if (!e)
    return NULL;
  e->row = row;
  e->def = optset_default_text(row, set->level);
  set->entries[set->n++] = e;
  return e;
}

static struct opt_entry *optset_seen_as(const struct optset *view,
                                        const struct optset *of,
                                        const struct opt_entry *e)
{
  for (size_t i = 0; i < view->n; i++) {
    if (of->entries[i] == e)
      return view->entries[i];
  }
  return NULL;
}

int optset_view(struct optset *view, const struct optset *of, struct err *err)
{
  optset_init(view, of->level);
  view->as_sysbench = of->as_sysbench;
  for (size_t i = 0; i < of->n; i++) {
    const struct opt_entry *from = of->entries[i];
    struct opt_entry *e = optset_append(view, from->row);

    if (!e) {
      optset_done(view);
      return err_set(err, -ENOMEM, "not enough memory for the options");
    }
    *e = *from;
    e->lent = true;
    e->real = from->real ? optset_seen_as(view, of, from->real) : NULL;
    e->twin = NULL;
  }
  return 0;
}

static void optset_drop_last(struct optset *set)
{
  optset_entry_free(set->entries[--set->n]);
}

static struct opt_made *optset_made_new(const struct opt *row)
{
  struct opt_made *made = calloc(1, sizeof(*made));

  if (!made)
    return NULL;
  made->name = mem_strdup(row->name);
  made->def = row->def ? mem_strdup(row->def) : NULL;
  made->help = mem_strdup(row->help ? row->help : "");
  made->aliases = row->aliases ? mem_strdup(row->aliases) : NULL;
  made->show_as = row->show_as ? mem_strdup(row->show_as) : NULL;
  if (!made->name || (row->def && !made->def) || !made->help ||
      (row->aliases && !made->aliases) || (row->show_as && !made->show_as)) {
    optset_made_free(made);
    return NULL;
  }
  made->row = *row;
  made->row.name = made->name;
  made->row.def = made->def;
  made->row.def_1_1 = NULL;
  made->row.help = made->help;
  made->row.aliases = made->aliases;
  made->row.show_as = made->show_as;
  return made;
}

static int optset_add_row(struct optset *set, const struct opt *row,
                          enum opt_section section, const char *owner,
                          void *cfg, struct err *err)
{
  struct opt_entry *real = NULL;
  struct opt_entry *e;
  int rc;

  if (optset_find(set, row->name))
    return err_set(err, -EEXIST, "two options are called --%s", row->name);
  if (row->alias_of) {
    real = optset_find(set, row->alias_of);
    if (!real)
      return err_set(err, -EINVAL, "--%s stands for an unknown option",
                     row->name);
  }
  e = optset_append(set, row);
  if (!e)
    return err_set(err, -ENOMEM, "not enough memory for --%s", row->name);
  e->section = section;
  e->owner = owner;
  e->real = real;
  if (real)
    return 0;
  e->cfg = cfg;
  rc = optset_take_default(e, err);
  if (rc < 0)
    optset_drop_last(set);
  return rc;
}

static int optset_add_aliases(struct optset *set, struct err *err)
{
  struct opt_entry *real = set->entries[set->n - 1];
  const char *name = real->row->aliases;
  int rc = 0;

  while (name && *name && rc == 0) {
    const size_t len = strcspn(name, " ");
    char *copy = mem_strndup(name, len);
    const struct opt row = { .type = real->row->type,
                             .flags = real->row->flags & ~OPT_COMMON,
                             .name = copy,
                             .alias_of = real->row->name };
    struct opt_made *made = copy ? optset_made_new(&row) : NULL;

    rc = made ? optset_add_row(set, &made->row, real->section, real->owner,
                               NULL, err)
              : err_set(err, -ENOMEM, "not enough memory for --%s",
                        real->row->name);
    if (rc == 0)
      set->entries[set->n - 1]->made = made;
    else
      optset_made_free(made);
    free(copy);
    name += len + strspn(name + len, " ");
  }
  return rc;
}

int optset_add(struct optset *set, enum opt_section section, const char *owner,
               const struct opt *rows, void *cfg, struct err *err)
{
  const char *group = NULL;

  for (const struct opt *row = rows; row->type != OPT_TYPE_END; row++) {
    int rc = optset_add_row(set, row, section, owner, cfg, err);

    if (rc < 0)
      return rc;
    group = row->group ? row->group : group;
    set->entries[set->n - 1]->group = group;
    rc = optset_add_aliases(set, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

/* For scripts, "" unsets a number, and so does an unreadable file; a switch
 * without a default is on. */
static int optset_set_declared_default(struct opt_entry *e, struct err *err)
{
  const enum opt_type type = e->row->type;
  int rc;

  if (e->def && !*e->def &&
      (type == OPT_TYPE_INT || type == OPT_TYPE_SIZE ||
       type == OPT_TYPE_DOUBLE))
    e->def = NULL;
  rc = optset_take_default(e, err);
  if (rc == -EINVAL && type == OPT_TYPE_FILE) {
    e->def = NULL;
    rc = optset_take_default(e, err);
  }
  if (rc == 0 && type == OPT_TYPE_BOOL && !e->def)
    e->value.on = true;
  return rc;
}

static bool optset_is_script(const struct opt_entry *e)
{
  return e->made && !e->real;
}

int optset_declare(struct optset *set, const char *owner, const struct opt *row,
                   struct opt_entry **ret, struct err *err)
{
  struct opt_entry *twin = optset_find(set, row->name);
  struct opt_made *made;
  struct opt_entry *e;
  int rc;

  if (twin && (optset_is_script(twin) || twin->twin))
    return err_set(err, -EEXIST, "option '%s' is declared twice", row->name);
  made = optset_made_new(row);
  e = made ? optset_append(set, &made->row) : NULL;
  if (!e) {
    optset_made_free(made);
    return err_set(err, -ENOMEM, "not enough memory for option '%s'",
                   row->name);
  }
  e->made = made;
  e->section = OPT_SECTION_TEST;
  e->owner = owner;
  rc = optset_set_declared_default(e, err);
  if (rc < 0) {
    optset_drop_last(set);
    return rc;
  }
  e->twin = twin;
  if (twin)
    twin->twin = e;
  if (ret)
    *ret = e;
  return optset_add_aliases(set, err);
}

void optset_widen(struct opt_entry *e)
{
  const unsigned kept = OPT_HIDDEN | OPT_OWN | OPT_DASHED;
  struct opt_value value;

  e->made->row.type = OPT_TYPE_STRING;
  e->made->row.flags &= kept;
  e->made->row.def = e->def = NULL;
  value = opt_value_unset(e->row);
  optset_replace_value(e, &value);
}

static int optset_collect(const struct opt_entry *e, struct opt_value *value,
                          struct err *err)
{
  struct strbuf lines = { 0 };

  if (!(e->row->flags & OPT_COLLECT) || e->source == OPT_SOURCE_DEFAULT)
    return 0;
  strbuf_addf(&lines, "%s\n%s", e->value.text ? e->value.text : "",
              value->text);
  if (lines.failed) {
    strbuf_done(&lines);
    return err_set(err, -ENOMEM, "not enough memory for --%s", e->row->name);
  }
  free(value->text);
  value->text = lines.text;
  return 0;
}

static bool optset_is_unset(const struct opt_given *given)
{
  return !given->bare && !given->exact &&
         (given->items ? given->items->n == 0 : *given->text == '\0');
}

/* `--time=$UNSET` means not given. */
static int optset_unset(struct opt_entry *e, struct err *err)
{
  const int rc = optset_take_default(e, err);

  if (rc == 0) {
    free(e->where);
    e->where = NULL;
  }
  return rc;
}

int opt_set(struct opt_entry *e, const struct opt_given *given, struct err *err)
{
  struct opt_entry *real = e->real ? e->real : e;
  struct opt row = *real->row;
  struct opt_value value;
  char *where = NULL;
  int rc;

  e->given = real->given = true;
  if ((row.flags & OPT_EMPTY_DEF) && optset_is_unset(given))
    return optset_unset(real, err);
  row.name = e->row->name; /* for messages */
  rc = opt_value_read(&row, given, &value, err);
  if (rc < 0)
    return rc;
  rc = optset_collect(real, &value, err);
  if (rc < 0) {
    opt_value_done(&value);
    return rc;
  }
  if (given->where) {
    where = mem_strdup(given->where);
    if (!where) {
      opt_value_done(&value);
      return err_set(err, -ENOMEM, "not enough memory for --%s", row.name);
    }
  }
  optset_replace_value(real, &value);
  real->source = given->source;
  free(real->where);
  real->where = where;
  return 0;
}

int optset_set_text(struct optset *set, const char *name, const char *text,
                    struct err *err)
{
  const struct opt_given given = {
    .name = name, .arg = name, .text = text, .source = OPT_SOURCE_SCRIPT
  };
  struct opt_entry *e = optset_find(set, name);

  if (!e)
    return optset_unknown(set, &given, err);
  return opt_set(e, &given, err);
}

static int optset_expand_part(struct optset *set, const char *where,
                              const char *part, size_t len, struct err *err)
{
  char *name = mem_strndup(part, len);
  char *equals = name ? strchr(name, '=') : NULL;
  const struct opt_given given = { .name = name,
                                   .arg = where,
                                   .text = equals ? equals + 1 : "",
                                   .bare = !equals,
                                   .source = OPT_SOURCE_SHORTHAND,
                                   .where = where };
  struct opt_entry *e;
  int rc = 0;

  if (!name)
    return err_set(err, -ENOMEM, "not enough memory for %s", where);
  if (equals)
    *equals = '\0';
  e = optset_find(set, name);
  if (e && !e->given)
    rc = opt_set(e, &given, err);
  free(name);
  return rc;
}

static int optset_expand_one(struct optset *set, const struct opt_entry *e,
                             struct err *err)
{
  const bool is_word = e->row->type == OPT_TYPE_WORD;
  const int64_t which = is_word ? e->value.number : e->value.on - 1;
  const char *part = which >= 0 ? e->row->sets[which] : "";
  struct strbuf where = { 0 };
  int rc = 0;

  strbuf_addf(&where, "--%s%s%s", e->row->name, is_word ? "=" : "",
              is_word && which >= 0 ? e->row->words[which] : "");
  if (where.failed)
    rc = err_set(err, -ENOMEM, "not enough memory for --%s", e->row->name);
  for (size_t len; *part && rc == 0; part += len + (part[len] == ' ')) {
    len = strcspn(part, " ");
    rc = optset_expand_part(set, strbuf_str(&where), part, len, err);
  }
  strbuf_done(&where);
  return rc;
}

int optset_expand(struct optset *set, struct err *err)
{
  int rc = 0;

  for (size_t i = 0; i < set->n && rc == 0; i++) {
    if (set->entries[i]->row->sets)
      rc = optset_expand_one(set, set->entries[i], err);
  }
  return rc;
}

int optset_set_level(struct optset *set, enum compat level, struct err *err)
{
  set->level = level;
  for (size_t i = 0; i < set->n; i++) {
    struct opt_entry *e = set->entries[i];
    int rc;

    if (e->real || !e->row->def_1_1)
      continue;
    e->def = optset_default_text(e->row, level);
    if (e->source != OPT_SOURCE_DEFAULT)
      continue;
    rc = optset_take_default(e, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}

int optset_set_default(struct optset *set, const char *name, const char *def,
                       struct err *err)
{
  struct opt_entry *e = optset_find(set, name);

  if (!e || e->real)
    return err_set(err, -ENOENT, "no option --%s to set the default of", name);
  e->def = def;
  return e->source == OPT_SOURCE_DEFAULT ? optset_take_default(e, err) : 0;
}

/* How many bytes of an argument name a secret option, however its value
 * follows; 0: none. */
static size_t optset_secret_name(const struct optset *set, const char *arg)
{
  const size_t dashes = strspn(arg, "-");

  for (size_t i = 0; i < set->n; i++) {
    const struct opt *row = set->entries[i]->row;
    const size_t len = strlen(row->name);
    size_t n = 0;

    while (n < len && (arg[dashes + n] == row->name[n] ||
                       (arg[dashes + n] == '_' && row->name[n] == '-')))
      n++;
    if (n == len && row->flags & OPT_SECRET && arg[dashes + n] != '\0')
      return dashes + n;
  }
  return 0;
}

void optset_show_argument(const struct optset *set, const char *arg,
                          const char *meant, struct strbuf *out)
{
  const struct opt_entry *e = meant ? optset_find(set, meant) : NULL;
  const char *equals = strchr(arg, '=');
  const size_t named = optset_secret_name(set, arg);

  if (named > 0)
    strbuf_addf(out, "%.*s%s%s", (int)named, arg, arg[named] == '=' ? "=" : "",
                SECRET_SHOWN);
  else if (e && (e->row->flags & OPT_SECRET) && equals)
    strbuf_addf(out, "%.*s%s", (int)(equals + 1 - arg), arg, SECRET_SHOWN);
  else
    secret_redact(arg, out);
}

/* "did you mean --NAME?" on its own line; NULL: nothing. */
static void optset_add_meant(struct strbuf *out, const struct optset *set,
                             const char *name)
{
  const struct opt_entry *e = name ? optset_find(set, name) : NULL;

  if (!name)
    return;
  strbuf_adds(out, "\ndid you mean --");
  if (e)
    opt_value_spell(e->row, out);
  else
    strbuf_adds(out, name);
  strbuf_adds(out, "?");
}

int optset_unknown(const struct optset *set, const struct opt_given *given,
                   struct err *err)
{
  const struct old_name *old = old_name_find(given->name);
  struct strbuf arg = { 0 }, meant = { 0 };
  struct suggest s;
  const char *name;
  int rc;

  suggest_init(&s, given->name);
  for (size_t i = 0; i < set->n; i++)
    suggest_offer(&s, set->entries[i]->row->name);
  name = old && old->now ? old->now : suggest_result(&s);
  optset_show_argument(set, given->arg, name, &arg);
  optset_add_meant(&meant, set, name);
  if (old && old->advice)
    rc = err_set(err, -ENOENT, "invalid option: %.400s%s%s\n--%s %s",
                 strbuf_str(&arg), given->where ? ", " : "",
                 given->where ? given->where : "", old->name, old->advice);
  else if (given->where && optset_find(set, given->name))
    rc = err_set(err, -ENOENT,
                 "invalid option: %.400s, %s\n--%s is not possible inside of "
                 "a configuration file",
                 strbuf_str(&arg), given->where, given->name);
  else
    rc = err_set(err, -ENOENT, "invalid option: %.400s%s%s%s", strbuf_str(&arg),
                 given->where ? ", " : "", given->where ? given->where : "",
                 strbuf_str(&meant));
  strbuf_done(&arg);
  strbuf_done(&meant);
  return rc;
}

/* ---- values by name ---- */

static const struct opt_entry *opt_real_of(const struct opt_entry *e)
{
  return e->real ? e->real : e;
}

int opt_refuse(const struct opt_entry *e, const char *value,
               const char *expected, struct err *err)
{
  const struct opt_entry *real = opt_real_of(e);

  if (!value)
    value = real->value.text ? real->value.text : "";
  return opt_value_refuse(real->row, value, expected, real->where, err);
}

const struct opt_entry *opt_shown(const struct opt_entry *e)
{
  const struct opt_entry *program, *script;

  if (!e->twin)
    return opt_real_of(e);
  script = optset_is_script(e) ? e : e->twin;
  program = opt_real_of(optset_is_script(e) ? e->twin : e);
  return program->source == OPT_SOURCE_DEFAULT ? script : program;
}

bool opt_get_bool(const struct opt_entry *e)
{
  e = opt_shown(e);
  return e->row->type == OPT_TYPE_BOOL && e->value.on;
}

int64_t opt_get_int(const struct opt_entry *e)
{
  e = opt_shown(e);
  if (e->row->type == OPT_TYPE_INT || e->row->type == OPT_TYPE_SIZE)
    return e->value.number;
  return 0;
}

double opt_get_number(const struct opt_entry *e)
{
  e = opt_shown(e);
  if (e->row->type == OPT_TYPE_DOUBLE || e->row->type == OPT_TYPE_TIME)
    return e->value.real;
  return (double)opt_get_int(e);
}

const char *opt_get_string(const struct opt_entry *e)
{
  e = opt_shown(e);
  return e->value.text ? e->value.text : "";
}

const struct opt_list *opt_get_list(const struct opt_entry *e)
{
  return &opt_shown(e)->value.list;
}
