/*
 * optset.h - all options of this run, with their values.
 *
 * A module adds const rows with the struct that they fill in; the set updates
 * both together.  A script declares rows at run time.  An alias (`alias_of`)
 * sets and shows the value of its option.  Threads can read once all options
 * are set.
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
  char *where; /* [opt] owned; "FILE:LINE" of the value, or shorthand */
  bool given;  /* by any of its names */
  bool lent;   /* another set owns the value's texts */

  void *cfg;              /* [opt] the struct that `row` fills in */
  struct opt_entry *real; /* [opt] alias: its option */
  struct opt_entry *twin; /* [opt] same name: the program's, the script's */
  struct opt_made *made;  /* [opt] owned: a row made at run time */
};

struct optset {
  struct opt_entry **entries; /* owned */
  size_t n, room;
  enum compat level;
  bool as_sysbench; /* help in the words of sysbench */
};

void optset_init(struct optset *set, enum compat level);
void optset_done(struct optset *set);

/* A view has the options of `of`, which outlives it and keeps its values.  More
 * can be added. */
int optset_view(struct optset *view, const struct optset *of, struct err *err);

/*
 * Adds rows up to OPT_END and sets the defaults in `cfg`, which outlives the
 * set.  An alias comes after its option. -EEXIST: the set has the name;
 * -EINVAL: a bad default.
 */
int optset_add(struct optset *set, enum opt_section section, const char *owner,
               const struct opt *rows, void *cfg, struct err *err);

/* Copies a script's row, which fills in no struct.  A name of the program gets
 * a second entry, see opt_shown(). -EEXIST: declared before. */
int optset_declare(struct optset *set, const char *owner, const struct opt *row,
                   struct opt_entry **ret, struct err *err);

/* An option of optset_declare() without a value accepts any text now. */
void optset_widen(struct opt_entry *e);

/* `-` and `_` are equal.  The program's option comes before the script's. */
struct opt_entry *optset_find(const struct optset *set, const char *name);

/* -EINVAL: refused, see opt_value_read(); changes nothing. */
int opt_set(struct opt_entry *e, const struct opt_given *given,
            struct err *err);

/* By the program itself. -ENOENT: no such option. */
int optset_set_text(struct optset *set, const char *name, const char *text,
                    struct err *err);

/* Applies opt.sets to options neither given nor missing in this build. */
int optset_expand(struct optset *set, struct err *err);

/* Also sets the defaults that depend on the level. */
int optset_set_level(struct optset *set, enum compat level, struct err *err);

/* For defaults that depend on the build or the system.  `def` is borrowed. */
int optset_set_default(struct optset *set, const char *name, const char *def,
                       struct err *err);

/* Hides passwords.  `meant` [opt]: the likely option of a mistyped name. */
void optset_show_argument(const struct optset *set, const char *arg,
                          const char *meant, struct strbuf *out);

/* "invalid option: ARG", sometimes with advice; print it without a prefix.
 * Returns -ENOENT. */
int optset_unknown(const struct optset *set, const struct opt_given *given,
                   struct err *err);

/* opt_value_refuse() for a reason that no row can express, with the place of
 * the value.  `value` NULL: the text of the option. */
int opt_refuse(const struct opt_entry *e, const char *value,
               const char *expected, struct err *err);

/* For scripts and results: an alias's option; of two entries with a name the
 * program's, if it was given. */
const struct opt_entry *opt_shown(const struct opt_entry *e);

/* The value of opt_shown(); false, 0, "" or empty for another type. */
bool opt_get_bool(const struct opt_entry *e);
int64_t opt_get_int(const struct opt_entry *e); /* INT, SIZE */
double opt_get_number(const struct opt_entry *e);
const char *opt_get_string(const struct opt_entry *e);
const struct opt_list *opt_get_list(const struct opt_entry *e);

#endif
