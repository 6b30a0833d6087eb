/*
 * optset.h - all options that this run knows, with their values.
 *
 * A module adds its const rows together with the config struct that they fill
 * in.  The struct then always agrees with the set.  A script declares rows
 * while the program runs.  A row that stands for another option (`alias_of`)
 * has no value of its own.  Setting it sets the other option, and all functions
 * that read a value return that of the other option.
 *
 * Not thread-safe while options are added or set.  After that, any thread may
 * read.
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

/* Where the help lists an option.  The entries of a set need not be sorted by
 * section. */
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

/*
 * Make a set of all options of `of`, with the values that they have now.  What
 * is added to it is not in `of`, which has to live longer and keep its values.
 */
int optset_view(struct optset *view, const struct optset *of, struct err *err);

/*
 * Add the rows of a table that ends with OPT_END, and set their defaults in
 * `cfg`, which must live as long as the set.  An alias must come after its
 * option. -EEXIST: the set already has the name; -EINVAL: a bad default.
 */
int optset_add(struct optset *set, enum opt_section section, const char *owner,
               const struct opt *rows, void *cfg, struct err *err);

/*
 * Add one row of the running script.  It is copied (name, default, help) and
 * fills in no struct.  A name that the program has too gets a second entry, see
 * opt_shown().  -EEXIST: the script has declared the name before.
 */
int optset_declare(struct optset *set, const char *owner, const struct opt *row,
                   struct opt_entry **ret, struct err *err);

/* From now on the option, which was made by optset_declare(), takes any text.
 * It has no value yet. */
void optset_widen(struct opt_entry *e);

/*
 * Find an entry by name; `-` and `_` are equal.  An entry of the program comes
 * before one of the script.
 */
struct opt_entry *optset_find(const struct optset *set, const char *name);

/*
 * Set a value.  -EINVAL: it is refused, see opt_value_read(), and nothing is
 * changed.
 */
int opt_set(struct opt_entry *e, const struct opt_given *given,
            struct err *err);

/* Set a value by name, from the program itself.  -ENOENT: no such option. */
int optset_set_text(struct optset *set, const char *name, const char *text,
                    struct err *err);

/* Change the compat level, and with it the defaults that depend on it. */
int optset_set_level(struct optset *set, enum compat level, struct err *err);

/*
 * Set another default (borrowed), for example because it depends on the build.
 */
int optset_set_default(struct optset *set, const char *name, const char *def,
                       struct err *err);

/* Add the argument as messages show it, without passwords; `meant` [opt] is the
 * name of the option that it stands for if it is mistyped. */
void optset_show_argument(const struct optset *set, const char *arg,
                          const char *meant, struct strbuf *out);

/*
 * Report "invalid option: ARG", and on a second line perhaps what to write
 * instead.  Returns -ENOENT.  This message is printed without a prefix.
 */
int optset_unknown(const struct optset *set, const struct opt_given *given,
                   struct err *err);

/*
 * Refuse the value of an option for a reason that no row can express.  Calls
 * opt_value_refuse() with the place that the value came from.  `value` NULL:
 * the text of the option.
 */
int opt_refuse(const struct opt_entry *e, const char *value,
               const char *expected, struct err *err);

/*
 * The entry that scripts and results show under this name.  For an alias it is
 * the option itself.  If a script declares an option that the program has too,
 * it is the program's entry if a value was given, otherwise the script's.
 */
const struct opt_entry *opt_shown(const struct opt_entry *e);

/*
 * Typed values of the entry that opt_shown() returns.  If the option has
 * another type: false, 0, "", empty.
 */
bool opt_get_bool(const struct opt_entry *e);
int64_t opt_get_int(const struct opt_entry *e);        /* INT, SIZE */
double opt_get_number(const struct opt_entry *e);      /* any kind of number */
const char *opt_get_string(const struct opt_entry *e); /* any type, as text */
const struct opt_list *opt_get_list(const struct opt_entry *e);

#endif
