/*
 * mix_options.c - the options of the members of a mix: OPTION for all members
 * that have it, MEMBER.OPTION for one of them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "opt/scan.h"
#include "program/internal.h"
#include "program/mix.h"

/* Is it an option of the member, and not one that all tests have? */
static bool is_own(const struct opt_entry *e)
{
  return !e->lent && e->section == OPT_SECTION_TEST;
}

/* ---- declaring them ---- */

/* Adds the option under this name, unless there is one. */
static int declare(struct optset *set, const char *owner, const char *name,
                   const struct opt *of, struct err *err)
{
  struct opt row = *of;

  if (optset_find(set, name))
    return 0;
  row.name = name;
  row.off = 0;
  return optset_declare(set, owner, &row, NULL, err);
}

/* An option of several members that are of different types takes any text; each
 * member reads it again. */
static void widen(struct optset *set, const struct opt_entry *own)
{
  struct opt_entry *e = optset_find(set, own->row->name);

  if (e && e->made && e->row->type != own->row->type)
    optset_widen(e);
}

static int declare_member(struct mix_source *mix, unsigned member,
                          struct optset *set, struct err *err)
{
  const struct mix_member *m = &mix->list.of[member];
  const struct optset *own = &mix->of[member].options;
  int rc = 0;

  for (size_t i = 0; i < own->n && rc == 0; i++) {
    const struct opt_entry *e = own->entries[i];
    struct strbuf name = { 0 };

    if (!is_own(e))
      continue;
    strbuf_addf(&name, "%s.%s", m->name, e->row->name);
    rc = declare(set, "mix", strbuf_str(&name), e->row, err);
    if (rc == 0)
      rc = declare(set, "mix", e->row->name, e->row, err);
    if (rc == 0)
      widen(set, e);
    strbuf_done(&name);
  }
  return rc;
}

int mix_declare(struct mix_source *mix, struct optset *set, struct err *err)
{
  int rc = 0;

  for (unsigned i = 0; i < mix->n && rc == 0; i++)
    rc = declare_member(mix, i, set, err);
  mix->n_declared = set->n;
  return rc;
}

/* ---- rules for values ---- */

/*
 * Is the option for this member?  Returns its name there, or NULL: it is for
 * another one.
 */
static const char *name_for(const struct mix_source *mix, unsigned member,
                            const char *name)
{
  const char *dot = strchr(name, '.');
  const size_t len = dot ? (size_t)(dot - name) : 0;

  if (!dot || mix_list_find(&mix->list, name, len) == mix->list.n)
    return name;
  return mix_list_find(&mix->list, name, len) == member ? dot + 1 : NULL;
}

bool mix_is_valid(void *arg, const struct opt_entry *e, const char *value,
                  struct strbuf *ret_expected)
{
  struct mix_source *mix = arg;

  for (unsigned i = 0; i < mix->n; i++) {
    const struct cmdline_rules *rules = &mix->of[i].rules;
    const char *name = name_for(mix, i, e->row->name);
    const struct opt_entry *own = name ? optset_find(&mix->of[i].options, name)
                                       : NULL;

    if (!own || !rules->is_valid ||
        rules->is_valid(rules->ctx, own, value, ret_expected))
      continue;
    if (ret_expected->len > 0 && name == e->row->name)
      strbuf_addf(ret_expected,
                  " for the member '%s'; --NAME.%s is for one member",
                  mix->list.of[i].name, name);
    return false;
  }
  return true;
}

/* Configuration files may have options of other mixes. */
int mix_check_names(const struct mix_source *mix, const struct cmdline *c,
                    struct err *err)
{
  const struct cmdline_pending *p = c->first;
  struct strbuf members = { 0 };
  const char *dot = NULL;

  for (; p && !dot; p = p->next) {
    const char *name = p->given.name;

    dot = p->given.where ? NULL : strchr(name, '.');
    if (dot &&
        mix_list_find(&mix->list, name, (size_t)(dot - name)) < mix->list.n)
      dot = NULL;
    if (dot)
      break;
  }
  if (!dot)
    return 0;
  for (size_t i = 0; i < mix->list.n; i++)
    strbuf_addf(&members, "%s%s", i > 0 ? ", " : "", mix->list.of[i].name);
  (void)err_set(err, -ENOENT,
                "invalid option: %.400s\nthe mix has no member '%.*s' (it has "
                "%.700s)",
                p->given.arg, (int)(dot - p->given.name), p->given.name,
                strbuf_str(&members));
  strbuf_done(&members);
  return -ENOENT;
}

/* ---- values ---- */

/* The option of the mix whose value is for this one of a member; NULL: none was
 * given. */
static const struct opt_entry *value_for(const struct mix_source *mix,
                                         unsigned member,
                                         const struct optset *set,
                                         const char *name)
{
  struct strbuf own = { 0 };
  const struct opt_entry *e;

  strbuf_addf(&own, "%s.%s", mix->list.of[member].name, name);
  e = optset_find(set, strbuf_str(&own));
  strbuf_done(&own);
  if (e && e->source != OPT_SOURCE_DEFAULT)
    return e;
  e = optset_find(set, name);
  return e && e->made && e->source != OPT_SOURCE_DEFAULT ? e : NULL;
}

static int give(struct opt_entry *to, const struct opt_entry *from,
                struct err *err)
{
  const struct opt_given given = {
    .name = to->row->name,
    .arg = from->row->name,
    .text = opt_get_string(from),
    .exact = true,
    .source = from->source,
    .where = from->where,
  };

  return opt_set(to, &given, err);
}

static int give_declared(struct mix_source *mix, unsigned member,
                         const struct optset *set, struct err *err)
{
  struct optset *own = &mix->of[member].options;
  int rc = 0;

  for (size_t i = 0; i < own->n && rc == 0; i++) {
    struct opt_entry *e = own->entries[i];
    const struct opt_entry *from = is_own(e)
                                     ? value_for(mix, member, set, e->row->name)
                                     : NULL;

    if (from)
      rc = give(e, from, err);
    if (rc < 0)
      err_prefix(err, "--mix: %s", mix->list.of[member].name);
  }
  return rc;
}

/* Scripts that declare no options take any. */
static int give_unknown(struct mix_source *mix, unsigned member,
                        const struct optset *set, struct err *err)
{
  struct mix_job *m = &mix->of[member];
  int rc = 0;

  for (size_t i = mix->n_declared; i < set->n && rc == 0; i++) {
    const struct opt_entry *from = set->entries[i];
    const char *name = name_for(mix, member, from->row->name);
    struct opt row = *from->row;
    struct opt_entry *e = NULL;

    if (!name)
      continue;
    row.name = name;
    if (!optset_find(&m->options, name))
      rc = optset_declare(&m->options, m->job.name, &row, &e, err);
    if (rc == 0 && e)
      rc = give(e, from, err);
  }
  return rc;
}

/* Refuses an option that names a member which does not have it. */
static int check_unknown(const struct mix_source *mix, const struct optset *set,
                         struct err *err)
{
  for (size_t i = mix->n_declared; i < set->n; i++) {
    const char *name = set->entries[i]->row->name;
    const char *dot = strchr(name, '.');
    const size_t member = dot ? mix_list_find(&mix->list, name,
                                              (size_t)(dot - name))
                              : mix->list.n;

    if (dot && member < mix->list.n && !mix->of[member].rules.accept_unknown)
      return err_set(err, -ENOENT,
                     "invalid option: --%s\n'%s' has no option --%s", name,
                     mix->list.of[member].name, dot + 1);
  }
  return 0;
}

int mix_hand_out(struct mix_source *mix, const struct optset *set,
                 struct err *err)
{
  int rc = check_unknown(mix, set, err);

  for (unsigned i = 0; i < mix->n && rc == 0; i++) {
    rc = give_declared(mix, i, set, err);
    if (rc == 0 && mix->of[i].rules.accept_unknown)
      rc = give_unknown(mix, i, set, err);
  }
  return rc;
}
