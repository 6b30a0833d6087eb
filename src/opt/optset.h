/*
 * optset.h - all options that this run knows, with their values.
 *
 * A module adds const rows with the struct that they fill in, which always
 * agrees with the set; a script declares rows at run time.  An alias
 * (`alias_of`) sets and shows the value of its option.  Any thread may read
 * once all options are set.
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

/* Where the help lists an option. */
enum opt_section {
  OPT_SECTION_GENERAL,
  OPT_SECTION_RANDOM,
  OPT_SECTION_LOG_LEVEL,
  OPT_SECTION_LOG,
  OPT_SECTION_DATABASE,
  OPT_SECTION_DRIVER, /* options of the driver that `owner` names */
  OPT_SECTION_TEST,   /* options of the test that `owner` names */
};

struct opt_entry {
  const struct opt *row;
  enum opt_section section;
  const char *owner;      /* [opt] driver or test, borrowed */
  const char *def;        /* [opt] default in force, as text */
  struct opt_value value; /* read it through opt_get_*() */
  enum opt_source source;
  char *where; /* [opt] "FILE:LINE" of the value, owned */
  bool given;  /* this very name was used */
  bool lent;   /* the texts of the value belong to another set */

  void *cfg;              /* [opt] the struct that `row` fills in */
  struct opt_entry *real; /* [opt] alias: the option it stands for */
  struct opt_entry *twin; /* [opt] same name: the program's, the script's */
  struct opt_made *made;  /* [opt] owned: a row made at run time */
};

struct optset {
  struct opt_entry **entries; /* owned; in the order in which they were added */
  size_t n, room;
  enum compat level;
  bool as_sysbench; /* the help has the words of sysbench */
};

void optset_init(struct optset *set, enum compat level);
void optset_done(struct optset *set);

/* Make a set of all options of `of` and their values, to which more can be
 * added. `of` has to live longer and keep its values. */
int optset_view(struct optset *view, const struct optset *of, struct err *err);

/* Add the rows up to OPT_END, and set their defaults in `cfg`, which must live
 * as long as the set.  An alias comes after its option.  -EEXIST: the set has
 * the name; -EINVAL: a bad default. */
int optset_add(struct optset *set, enum opt_section section, const char *owner,
               const struct opt *rows, void *cfg, struct err *err);

/* Add a copy of a script's row, which fills in no struct.  A name that the
 * program has too gets a second entry, see opt_shown().  -EEXIST: the script
 * has declared the name before. */
int optset_declare(struct optset *set, const char *owner, const struct opt *row,
                   struct opt_entry **ret, struct err *err);

/* An option of optset_declare() without a value takes any text from now on. */
void optset_widen(struct opt_entry *e);

/* Find an entry by name; `-` and `_` are equal.  One of the program comes
 * before one of the script. */
struct opt_entry *optset_find(const struct optset *set, const char *name);

/* Set a value.  -EINVAL: refused, see opt_value_read(); nothing is changed. */
int opt_set(struct opt_entry *e, const struct opt_given *given,
            struct err *err);

/* Set a value by name, from the program itself.  -ENOENT: no such option. */
int optset_set_text(struct optset *set, const char *name, const char *text,
                    struct err *err);

/* Change the compat level, and with it the defaults that depend on it. */
int optset_set_level(struct optset *set, enum compat level, struct err *err);

/* Set another default (borrowed), which depends on the build or the system. */
int optset_set_default(struct optset *set, const char *name, const char *def,
                       struct err *err);

/* Add the argument as messages show it, without passwords; `meant` [opt] is the
 * option that a mistyped name stands for. */
void optset_show_argument(const struct optset *set, const char *arg,
                          const char *meant, struct strbuf *out);

/* Report "invalid option: ARG", perhaps with a line of advice; printed without
 * a prefix.  Returns -ENOENT. */
int optset_unknown(const struct optset *set, const struct opt_given *given,
                   struct err *err);

/* opt_value_refuse() for a reason that no row can express, with the place of
 * the value.  `value` NULL: the text of the option. */
int opt_refuse(const struct opt_entry *e, const char *value,
               const char *expected, struct err *err);

/* The entry that scripts and results show: of an alias the option; of a name
 * that the script and the program have, the program's if it was given. */
const struct opt_entry *opt_shown(const struct opt_entry *e);

/* Values of opt_shown(); false, 0, "", empty if it has another type. */
bool opt_get_bool(const struct opt_entry *e);
int64_t opt_get_int(const struct opt_entry *e);        /* INT, SIZE */
double opt_get_number(const struct opt_entry *e);      /* any kind of number */
const char *opt_get_string(const struct opt_entry *e); /* any type, as text */
const struct opt_list *opt_get_list(const struct opt_entry *e);

#endif
