/*
 * optset.h - all options of this run, with their values.
 *
 * A module adds const rows with the struct that they fill in, which always
 * agrees with the set; a script declares rows at run time. An alias
 * (`alias_of`) sets and shows the value of its option. Any thread may read once
 * all options are set.
 */
#ifndef BENCH_OPT_OPTSET_H
#define BENCH_OPT_OPTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "opt/value.h"

struct err;
struct strbuf;

enum opt_section {
  OPT_SECTION_GENERAL,
  OPT_SECTION_RANDOM,
  OPT_SECTION_LOG_LEVEL,
  OPT_SECTION_LOG,
  OPT_SECTION_DATABASE,
  OPT_SECTION_DRIVER, /* of the driver `owner` */
  OPT_SECTION_TEST,   /* of the test `owner` */
};

struct opt_entry {
  const struct opt *row;
  enum opt_section section;
  const char *owner;      /* [opt] borrowed */
  const char *group;      /* [opt] heading of the help */
  const char *def;        /* [opt] default in force */
  struct opt_value value; /* see opt_get_*() */
  enum opt_source source;
  char *where; /* [opt] owned; "FILE:LINE" of the value */
  bool given;  /* by this name, or another one of the option */
  bool lent;   /* the value's texts belong to another set */

  void *cfg;              /* [opt] the struct that `row` fills in */
  struct opt_entry *real; /* [opt] alias: its option */
  struct opt_entry *twin; /* [opt] same name: the program's, the script's */
  struct opt_made *made;  /* [opt] owned: a row made at run time, of a script
                             or of another name */
};

struct optset {
  struct opt_entry **entries; /* owned; in the order of addition */
  size_t n, room;
  enum compat level;
  bool as_sysbench; /* help in the words of sysbench */
};

void optset_init(struct optset *set, enum compat level);
void optset_done(struct optset *set);

/* All options of `of`, and more can be added. `of` outlives the view and keeps
 * its values. */
int optset_view(struct optset *view, const struct optset *of, struct err *err);

/*
 * Up to OPT_END; sets the defaults in `cfg`, which outlives the set. An alias
 * comes after its option. -EEXIST: the set has the name; -EINVAL: a bad
 * default.
 */
int optset_add(struct optset *set, enum opt_section section, const char *owner,
               const struct opt *rows, void *cfg, struct err *err);

/* A copy of a script's row, which fills in no struct. A name that the program
 * has too gets a second entry, see opt_shown(). -EEXIST: declared before. */
int optset_declare(struct optset *set, const char *owner, const struct opt *row,
                   struct opt_entry **ret, struct err *err);

/* An option of optset_declare() without a value takes any text from now on. */
void optset_widen(struct opt_entry *e);

/* `-` and `_` are equal. The program's before the script's. */
struct opt_entry *optset_find(const struct optset *set, const char *name);

/* -EINVAL: refused, see opt_value_read(); nothing is changed. */
int opt_set(struct opt_entry *e, const struct opt_given *given,
            struct err *err);

/* By the program itself. -ENOENT: no such option. */
int optset_set_text(struct optset *set, const char *name, const char *text,
                    struct err *err);

/* And the defaults that depend on the level. */
int optset_set_level(struct optset *set, enum compat level, struct err *err);

/* Borrowed; depends on the build or the system. */
int optset_set_default(struct optset *set, const char *name, const char *def,
                       struct err *err);

/* Without passwords; `meant` [opt]: the option that a mistyped name stands
 * for. */
void optset_show_argument(const struct optset *set, const char *arg,
                          const char *meant, struct strbuf *out);

/* "invalid option: ARG", perhaps with advice; printed without a prefix.
 * -ENOENT. */
int optset_unknown(const struct optset *set, const struct opt_given *given,
                   struct err *err);

/* opt_value_refuse() for a reason that no row can express, with the place of
 * the value. `value` NULL: the text of the option. */
int opt_refuse(const struct opt_entry *e, const char *value,
               const char *expected, struct err *err);

/* For scripts and results: of an alias the option; of a name that both have,
 * the program's if it was given. */
const struct opt_entry *opt_shown(const struct opt_entry *e);

/* Of opt_shown(); false, 0, "", empty for another type. */
bool opt_get_bool(const struct opt_entry *e);
int64_t opt_get_int(const struct opt_entry *e);        /* INT, SIZE */
double opt_get_number(const struct opt_entry *e);      /* any kind of number */
const char *opt_get_string(const struct opt_entry *e); /* any type, as text */
const struct opt_list *opt_get_list(const struct opt_entry *e);

#endif
