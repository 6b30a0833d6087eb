/*
 * verify.h - `bench verify FILE...`: judges what a run has written down.
 *
 * The first line of the file says which kind it is, and the kind has the
 * function that judges.  To add a kind: a `const struct verify_kind` in a file
 * of its own, a line in kind_list.c, and the rows of its options in options.c.
 */
#ifndef BENCH_VERIFY_VERIFY_H
#define BENCH_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "opt/opt.h"

struct db_process;
struct err;

/* Exit statuses of the command. */
enum {
  VERIFY_OK = 0,
  VERIFY_BAD = 1,       /* it is not as it should be */
  VERIFY_BAD_INPUT = 2, /* an option makes no sense, or no file of a kind */
  VERIFY_UNKNOWN = 3,   /* nobody can tell */
};

enum {
  VERIFY_OPTIONS = 8, /* options of a kind, at most */
  VERIFY_LEVELS = 4,  /* words of --expect */
};

/* The options of all kinds, which verify_opts fill in. */
struct verify_cfg {
  const char *query;                    /* "": the one of the log */
  int expect;                           /* enum level */
  const char *export_edn, *export_json; /* files; "": none */
};

extern const struct opt verify_opts[];

struct verify_input {
  const char *const *paths;     /* of the files, also for messages */
  size_t n_paths;               /* one, or more */
  const struct verify_cfg *cfg; /* options of other kinds were not given */
  struct db_process *db;        /* NULL without uses_database */
  FILE *out;                    /* what the user reads */
};

struct verify_kind {
  /*
   * The file begins with this text and the end of a line.  No magic is the
   * beginning of another one.
   */
  const char *magic;
  const char *title;  /* "an acknowledgement log" */
  bool uses_database; /* the options say which; judge() connects */
  bool takes_several; /* files; judge() gets them all */
  const char *const options[VERIFY_OPTIONS]; /* of verify_opts; NULL: the end */

  /*
   * Judges the files, and writes to in->out.  Returns one of the exit statuses;
   * with another one than VERIFY_OK, the caller prints err->text, if any.
   */
  int (*judge)(const struct verify_input *in, struct err *err);
};

extern const struct verify_kind *const verify_kinds[]; /* ends with NULL */

/* Which kind is the file?  -EINVAL, or what prevents reading it. */
int verify_find(const struct verify_kind *const *kinds, const char *path,
                const struct verify_kind **ret, struct err *err);

/* Does the option of this name belong to the kind? */
bool verify_has_option(const struct verify_kind *kind, const char *name);

#endif
