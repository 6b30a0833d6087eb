/*
 * opt.h - one row describes one option: the field that its text fills in, the
 * values that are allowed, and what help, manual, scripts and results show.
 *
 * A module with options exports a const table of rows, which ends with OPT_END,
 * and the struct that they fill in.
 */
#ifndef BENCH_OPT_OPT_H
#define BENCH_OPT_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct err;

enum opt_type {
  OPT_TYPE_END,
  OPT_TYPE_BOOL,   /* bool */
  OPT_TYPE_INT,    /* int64_t or uint64_t (then min >= 0) */
  OPT_TYPE_SIZE,   /* uint64_t, bytes */
  OPT_TYPE_DOUBLE, /* double */
  OPT_TYPE_TIME,   /* double, seconds; limits as for DOUBLE */
  OPT_TYPE_STRING, /* const char *, "" when unset */
  OPT_TYPE_WORD,   /* int, the index of the text in `words`; -1 when unset */
  OPT_TYPE_LIST,   /* struct opt_list */
  OPT_TYPE_FILE,   /* const char *, NULL when unset; must be readable */
};

/* The items of a LIST, in the order in which they were given. */
struct opt_list {
  size_t n;
  const char *const *items; /* borrowed from the option set */
};

enum opt_flags {
  OPT_SECRET = 1 << 0,     /* a password: its value is never printed */
  OPT_HIDDEN = 1 << 1,     /* not in the help */
  OPT_OPEN_MIN = 1 << 2,   /* DOUBLE: fmin itself is not allowed */
  OPT_OPEN_MAX = 1 << 3,   /* DOUBLE: fmax itself is not allowed */
  OPT_INT_ITEMS = 1 << 4,  /* LIST: items are integers in min..max */
  OPT_NOT_EMPTY = 1 << 5,  /* STRING, LIST: an empty value is refused */
  OPT_ANY_CASE = 1 << 6,   /* WORD, LIST of words: in any letter case */
  OPT_COLLECT = 1 << 7,    /* STRING: each time it is given adds a line */
  OPT_DEPRECATED = 1 << 8, /* an alias (`alias_of`); its use causes a warning */
  OPT_NO_GAPS = 1 << 9,    /* LIST: an empty item is refused, not left out */
  OPT_OWN = 1 << 10,       /* new in bench: old scripts may use its name */
  OPT_COUNT = 1 << 11,     /* INT, DOUBLE: takes the suffixes of sizes: 1M */
  OPT_EMPTY_DEF = 1 << 12, /* `--NAME=` means the default */
  OPT_COMMON = 1 << 13,    /* on the first screen of the help */
  OPT_PATH = 1 << 14,      /* STRING, LIST: file names, for completion */
  OPT_SIZES = 1 << 15,     /* STRING: a text that is one size is a number in
                            * result files */
  OPT_DASHED = 1 << 16     /* messages spell `_` in its name as `-` */
};

struct opt {
  enum opt_type type;
  unsigned flags;      /* enum opt_flags */
  size_t off;          /* the field's offset in the owner's config struct */
  const char *name;    /* as in the help: with `-`, or `_` for scripts */
  const char *def;     /* default, as text; NULL: unset */
  const char *def_1_1; /* [opt] default at compat level 1.1, if other */
  int64_t min, max;    /* INT, SIZE, integer items; both 0: no limits */
  double fmin, fmax;   /* DOUBLE; both 0: no limits; fmax INFINITY: none */
  const char *const *words; /* WORD, LIST of words; ends with NULL.  STRING:
                               values to offer, which `check` has to allow */
  const char *expected;     /* [opt] what is allowed, if no rule says it */
  const char *alias_of;     /* [opt] the option that this name stands for */
  const char *show_as;      /* [opt] "=N" and the like, if not the type's */
  const char *bare; /* [opt] what --name alone means; BOOL: on, else "" */
  const char *help; /* one line */
  const char *more; /* [opt] end of the help line, except as sysbench */
  const char *man;  /* [opt] a paragraph for the manual */

  /* [opt] A further rule for the text, or for each item of a LIST.  False: the
   * value is refused, and the message shows `expected`. */
  bool (*check)(const char *text);

  /*
   * [opt] STRING of OPT_PARSED(): reads the text into the field, which has
   * `size` bytes.  The text stays valid as long as the value.  -EINVAL: it is
   * refused; `why` may have the end of the message, otherwise that shows
   * `expected`.
   */
  int (*parse)(const char *text, void *ret, struct err *why);
  size_t size;

  /* [opt] Advice about a value that is refused; NULL: there is none. */
  const char *(*advise)(const char *text);

  /* [opt] INT, SIZE: the lower limit, if it depends on the running system.  It
   * replaces `min`, except for the default. */
  int64_t (*min_now)(void);
};

/* Type, field offset and the check that the field has the right type. */
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
/* A text that has a type of its own: `fn` is the function `parse` above.  The
 * field is zeroed while the option is unset. */
#define OPT_PARSED(T, f, fn)                                     \
  .type = OPT_TYPE_STRING, .off = offsetof(T, f), .parse = (fn), \
  .size = sizeof(((T *)0)->f)
/* Makes such a function of one that reads a text and needs no `why`. */
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

/* The compat level: which report layout and defaults are in use. */
enum compat {
  COMPAT_1_0,
  COMPAT_1_1,
};

#endif
