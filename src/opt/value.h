/*
 * value.h - turns text into a typed value, completely and in range, or refuses
 * it.
 */
#ifndef BENCH_OPT_VALUE_H
#define BENCH_OPT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"

struct err;
struct strbuf;

enum opt_source {
  OPT_SOURCE_DEFAULT,
  OPT_SOURCE_ENVIRONMENT,
  OPT_SOURCE_FILE,
  OPT_SOURCE_CMDLINE,
  OPT_SOURCE_SCRIPT,      /* by a script or the program itself */
  OPT_SOURCE_DSN,         /* part of --dsn */
  OPT_SOURCE_CLIENT_FILE, /* of the database's own programs */
  OPT_SOURCE_PASSWORD,    /* --password-file or --ask-password */
  OPT_SOURCE_SHORTHAND,   /* see opt.sets */
};

/* All pointers are borrowed. */
struct opt_given {
  const char *name; /* without the leading `--` */
  const char *arg;  /* as typed, for messages */
  const char *text;
  bool bare;   /* without `=` */
  bool unseen; /* can be missing: another process reads the FILE */
  bool exact;  /* an empty text is a value, despite OPT_EMPTY_DEF */
  enum opt_source source;
  const struct opt_list *items; /* [opt] from a file: items of `text` */
  const char *where;            /* [opt] "FILE:LINE" */
};

struct opt_value {
  char *text; /* owned; NULL: unset */
  bool on;
  int64_t number;
  double real;
  struct opt_list list;
  void *list_memory; /* owned */
  void *parsed;      /* owned; made by opt.parse(); NULL: unset */
};

/*
 * opt_value_done() frees *ret. -EINVAL: "Invalid value for --NAME: 'VALUE'
 * (expected WHAT)[, FILE:LINE]", or the words of a file's line need quotes;
 * -ENOMEM.
 */
int opt_value_read(const struct opt *row, const struct opt_given *given,
                   struct opt_value *ret, struct err *err);

struct opt_value opt_value_unset(const struct opt *row);

void opt_value_done(struct opt_value *v);

/* Stores the value in the field of `row`; `v` owns what the field points to. */
void opt_value_store(const struct opt *row, const struct opt_value *v,
                     void *cfg);

/* The WHAT of that message. */
void opt_expected(const struct opt *row, struct strbuf *out);

/* The name as messages spell it. */
void opt_value_spell(const struct opt *row, struct strbuf *out);

/* For INT, SIZE or an integer item, also without a limit. */
int64_t opt_max(const struct opt *row);

/* Returns -EINVAL. `where` [opt]. */
int opt_value_refuse(const struct opt *row, const char *value,
                     const char *expected, const char *where, struct err *err);

#endif
