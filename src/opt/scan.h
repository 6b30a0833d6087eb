/*
 * scan.h - private to the command line: handles one argument at a time.
 */
#ifndef BENCH_OPT_SCAN_H
#define BENCH_OPT_SCAN_H

#include <stdbool.h>

#include "base/err.h"
#include "opt/cmdline.h"
#include "opt/file.h"
#include "opt/value.h"

/* An option that the program itself does not know. */
struct cmdline_pending {
  struct cmdline_pending *next;
  struct opt_given given; /* points to an argument or a line of a file */
  char *name;             /* [opt] owned: what given.name points to */
  bool refused;           /* refused, whatever the test declares */
};

/* A configuration file, kept for the pending options in it. */
struct cmdline_file {
  struct cmdline_file *next;
  const char *path; /* borrowed */
  struct opt_file file;
};

/*
 * One scan.  The first failure counts, but the scan goes on to look for --help.
 */
struct scan {
  struct cmdline *c;
  const struct cmdline_input *in;
  struct err first;
  int first_rc;
  bool test_given;
};

/*
 * Handle an argument that begins with `--`: store the option, or keep it until
 * the options of the test are known.  Returns an error only when there is no
 * memory; other failures are kept in *s until the whole command line is read.
 */
int scan_option(struct scan *s, const char *arg, struct err *err);

/*
 * Set the compat level of the environment ([opt]), which the option may still
 * override.  Fails as above.
 */
int scan_environment(struct scan *s, const char *value, struct err *err);

/*
 * Refuse `extra`, an argument too many: returns -E2BIG with what was probably
 * meant.
 */
int scan_refuse_argument(const struct cmdline *c,
                         const struct cmdline_input *in, const char *extra,
                         struct err *err);

/* Return -ENOMEM with its text. */
int scan_no_memory(struct err *err);

#endif
