/*
 * opt.h - one row describes one option: its field, its allowed values, and its
 * texts in help, manual, scripts and results.  A module exports a const table
 * of rows up to OPT_END, and the struct that they fill in.
 */
#ifndef BENCH_OPT_OPT_H
#define BENCH_OPT_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

struct err;

enum opt_type {
  OPT_TYPE_END,
  OPT_TYPE_BOOL,
  OPT_TYPE_INT,  /* int64_t or uint64_t (then min >= 0) */
  OPT_TYPE_SIZE, /* uint64_t, bytes */
  OPT_TYPE_DOUBLE,
  OPT_TYPE_TIME,   /* double, seconds; limits as for DOUBLE */
  OPT_TYPE_STRING, /* const char *, "" when unset */
  OPT_TYPE_WORD,   /* int: index in `words`; -1 when unset */
  OPT_TYPE_LIST,
  OPT_TYPE_FILE, /* const char *, NULL when unset; must be readable */
};

struct opt_list {
  size_t n;
  const char *const *items; /* in order; borrowed from the option set */
};

static inline bool opt_list_has(const struct opt_list *l, const char *item)
{
  for (size_t i = 0; i < l->n; i++) {
    if (strcmp(l->items[i], item) == 0)
      return true;
  }
  return false;
}

enum opt_flags {
  OPT_SECRET = 1 << 0, /* its value is never printed */
  OPT_HIDDEN = 1 << 1,
  OPT_OPEN_MIN = 1 << 2,   /* DOUBLE: not fmin itself */
  OPT_OPEN_MAX = 1 << 3,   /* DOUBLE: not fmax itself */
  OPT_INT_ITEMS = 1 << 4,  /* LIST: integers in min..max */
  OPT_NOT_EMPTY = 1 << 5,  /* STRING, LIST */
  OPT_ANY_CASE = 1 << 6,   /* WORD, LIST of words */
  OPT_COLLECT = 1 << 7,    /* STRING: each use adds a line */
  OPT_DEPRECATED = 1 << 8, /* an alias (`alias_of`) that causes a warning */
  OPT_NO_GAPS = 1 << 9,    /* LIST: refuses empty items */
  OPT_OWN = 1 << 10,       /* new in bench: old scripts can use its name */
  OPT_COUNT = 1 << 11,     /* INT, DOUBLE: takes suffixes of sizes: 1M */
  OPT_EMPTY_DEF = 1 << 12, /* `--NAME=` means the default */
  OPT_COMMON = 1 << 13,    /* on the first screen of the help */
  OPT_PATH = 1 << 14,      /* STRING, LIST: file names, for completion */
  OPT_SIZES = 1 << 15,     /* STRING: a size is a number in result files */
  OPT_DASHED = 1 << 16,    /* messages spell `_` in its name as `-` */
  OPT_EXPERT = 1 << 17,    /* only in --help=expert */
  OPT_PERCENT = 1 << 18    /* INT, DOUBLE: a percentage, 20 or 20% */
};

struct opt {
  enum opt_type type;
  unsigned flags; /* enum opt_flags */
  size_t off;
  const char *name;         /* with `-`, or `_` for scripts */
  const char *def;          /* text; NULL: unset */
  const char *def_1_1;      /* [opt] default at compat level 1.1 */
  int64_t min, max;         /* INT, SIZE, integer items; both 0: no limits */
  double fmin, fmax;        /* DOUBLE; both 0: no limits; fmax INFINITY: none */
  const char *const *words; /* WORD, LIST of words; ends with NULL.  STRING:
                             * offered values, which `check` has to allow */
  const char *expected;     /* [opt] allowed values, in words */
  const char *alias_of;     /* [opt] the option with the value */
  const char *aliases;      /* [opt] other names, separated by blanks */
  int64_t unit_ns;          /* [opt] INT: a time; this is 1 without a unit */
  const char *show_as;      /* [opt] "=N" and the like, instead of the type's */
  const char *sysbench_as;  /* [opt] the same in sysbench's help */
  const char *group; /* [opt] heading in the help, also for following rows */
  const char *bare;  /* [opt] value of --NAME alone; BOOL: on, else "" */
  /* [opt] Of BOOL on, or of each word: "NAME=VALUE NAME". */
  const char *const *sets;
  const char *help; /* one line */
  const char *more; /* [opt] end of the help line, except as sysbench */
  const char *man;  /* [opt] a paragraph for the manual */

  /* [opt] Checks the text, or each item of a LIST.  False: refused, with
   * `expected`. */
  bool (*check)(const char *text);

  /*
   * [opt] OPT_PARSED(): reads the text, which lives as long as the value, into
   * `size` bytes. -EINVAL: refused; `why` can have the end of the message, else
   * `expected`.
   */
  int (*parse)(const char *text, void *ret, struct err *why);
  size_t size;

  /* [opt] Advice about a refused value, or NULL. */
  const char *(*advise)(const char *text);

  /* [opt] INT, SIZE: replaces `min`, except for the default, if the limit
   * depends on the system. */
  int64_t (*min_now)(void);
};

/* Type and offset.  Another type of the field breaks the build. */
#define OPT_BOOL(T, f) \
  .type = OPT_TYPE_BOOL, .off = offsetof(T, f) + FIELD_IS(T, f, bool)
#define OPT_INT(T, f)   \
  .type = OPT_TYPE_INT, \
  .off = offsetof(T, f) + FIELD_IS2(T, f, int64_t, uint64_t)
#define OPT_SIZE(T, f) \
  .type = OPT_TYPE_SIZE, .off = offsetof(T, f) + FIELD_IS(T, f, uint64_t)
#define OPT_DOUBLE(T, f) \
  .type = OPT_TYPE_DOUBLE, .off = offsetof(T, f) + FIELD_IS(T, f, double)
#define OPT_TIME(T, f) \
  .type = OPT_TYPE_TIME, .off = offsetof(T, f) + FIELD_IS(T, f, double)
#define OPT_STRING(T, f) \
  .type = OPT_TYPE_STRING, .off = offsetof(T, f) + FIELD_IS(T, f, const char *)
#define OPT_WORD(T, f) \
  .type = OPT_TYPE_WORD, .off = offsetof(T, f) + FIELD_IS(T, f, int)
#define OPT_LIST(T, f) \
  .type = OPT_TYPE_LIST, .off = offsetof(T, f) + FIELD_IS(T, f, struct opt_list)
#define OPT_FILE(T, f) \
  .type = OPT_TYPE_FILE, .off = offsetof(T, f) + FIELD_IS(T, f, const char *)
/* `fn` is the function `parse`.  The field is zeroed while unset. */
#define OPT_PARSED(T, f, fn)                                     \
  .type = OPT_TYPE_STRING, .off = offsetof(T, f), .parse = (fn), \
  .size = sizeof(((T *)0)->f)
/* Makes the function for OPT_PARSED() from one without `why`. */
#define OPT_PARSER(name, read)                                  \
  static int name(const char *text, void *ret, struct err *why) \
  {                                                             \
    (void)why;                                                  \
    return read(text, ret);                                     \
  }
#define OPT_END          \
  {                      \
    .type = OPT_TYPE_END \
  }

static inline const char *opt_or_null(const char *text)
{
  return text && *text ? text : NULL;
}

/* Report layout and defaults. */
enum compat {
  COMPAT_1_0,
  COMPAT_1_1,
};

#endif
