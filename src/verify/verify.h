/*
 * verify.h - `bench verify FILE...`: judges the records of a run.
 *
 * The first line of the file is the magic of its kind.
 */
#ifndef BENCH_VERIFY_VERIFY_H
#define BENCH_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "opt/opt.h"

struct db_process;
struct err;

/* Exit statuses. */
enum {
  VERIFY_OK = 0,
  VERIFY_BAD = 1,       /* not as it should be */
  VERIFY_BAD_INPUT = 2, /* a wrong option, or an unknown file */
  VERIFY_UNKNOWN = 3,   /* undecided */
};

enum {
  VERIFY_OPTIONS = 8,
  VERIFY_LEVELS = 4,
};

/* Of all kinds. */
struct verify_cfg {
  const char *query;                    /* "": of the log */
  int expect;                           /* enum level */
  const char *export_edn, *export_json; /* "": none */
};

extern const struct opt verify_opts[];

struct verify_input {
  const char *const *paths; /* also for messages */
  size_t n_paths;
  const struct verify_cfg *cfg; /* only this kind's options */
  struct db_process *db;        /* NULL without uses_database */
  FILE *out;
};

struct verify_kind {
  /* The first line. No magic begins with another. */
  const char *magic;
  const char *title;  /* "an acknowledgement log" */
  bool uses_database; /* judge() connects */
  bool takes_several; /* at once */
  const char
    *const options[VERIFY_OPTIONS]; /* of verify_opts; ends with NULL */

  /* Writes to in->out; returns an exit status. Unless VERIFY_OK, the caller
   * prints err->text, if any. */
  int (*judge)(const struct verify_input *in, struct err *err);
};

extern const struct verify_kind *const verify_kinds[]; /* ends with NULL */

/* -EINVAL: an unknown kind; other codes: the file cannot be read. */
int verify_find(const struct verify_kind *const *kinds, const char *path,
                const struct verify_kind **ret, struct err *err);

bool verify_has_option(const struct verify_kind *kind, const char *name);

extern const struct verify_kind verify_acks, verify_lists, verify_registers;

#endif
