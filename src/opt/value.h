/*
 * value.h - turns text into a typed value: completely and in range, or not at
 * all.
 */
#ifndef BENCH_OPT_VALUE_H
#define BENCH_OPT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"

struct err;
struct strbuf;

/* Where a value comes from. */
enum opt_source {
  OPT_SOURCE_DEFAULT,     /* no value was given */
  OPT_SOURCE_ENVIRONMENT, /* a variable of the environment */
  OPT_SOURCE_FILE,        /* a configuration file */
  OPT_SOURCE_CMDLINE,     /* the command line */
  OPT_SOURCE_SCRIPT,      /* set by a script or by the program itself */
  OPT_SOURCE_DSN,         /* a part of --dsn */
  OPT_SOURCE_CLIENT_FILE, /* an option file of the database's own programs */
  OPT_SOURCE_PASSWORD,    /* --password-file or --ask-password */
};

/* One option as it was written down.  All pointers are borrowed. */
struct opt_given {
  const char *name; /* without the leading `--` */
  const char *arg;  /* as typed, for messages */
  const char *text; /* the value; "" when there is none */
  bool bare;        /* the name alone, without `=` */
  bool unseen;      /* a FILE need not exist: another process reads it */
  bool exact;       /* an empty text is a value, also with OPT_EMPTY_DEF */
  enum opt_source source;
  const struct opt_list *items; /* [opt] from a file: the items of `text` */
  const char *where;            /* [opt] "FILE:LINE" */
};

/* A value: its text, and what the text means for the type of its row. */
struct opt_value {
  char *text;           /* owned; NULL: unset */
  bool on;              /* BOOL */
  int64_t number;       /* INT, SIZE; WORD: index of the word, -1 when unset */
  double real;          /* DOUBLE, TIME */
  struct opt_list list; /* LIST */
  void *list_memory;    /* owned: what `list` points to */
  void *parsed;         /* owned: what opt.parse() has read; NULL: unset */
};

/* Read the value given for `row`; opt_value_done() frees *ret.  -EINVAL:
 * refused, as "Invalid value for --NAME: 'VALUE' (expected WHAT)[, FILE:LINE]",
 * or because the words of a line in a file need quotes; -ENOMEM. */
int opt_value_read(const struct opt *row, const struct opt_given *given,
                   struct opt_value *ret, struct err *err);

/* The value of an option that has none: false, 0, "", an empty list. */
struct opt_value opt_value_unset(const struct opt *row);

void opt_value_done(struct opt_value *v);

/* Put the value into the field of `row`; `v` owns what the field points to. */
void opt_value_store(const struct opt *row, const struct opt_value *v,
                     void *cfg);

/* Add the WHAT of the message above: which values the row allows. */
void opt_expected(const struct opt *row, struct strbuf *out);

/* Add the name of the option as messages spell it. */
void opt_value_spell(const struct opt *row, struct strbuf *out);

/* The highest INT, SIZE or integer item, also where the row sets no limit. */
int64_t opt_max(const struct opt *row);

/* The message of a refused value; returns -EINVAL.  `where` may be NULL. */
int opt_value_refuse(const struct opt *row, const char *value,
                     const char *expected, const char *where, struct err *err);

#endif
