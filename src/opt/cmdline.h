/*
 * cmdline.h - what the command line asks for.
 *
 * The scan stores the options that the set already knows (the program's own)
 * and keeps the others until the options of the test are known.  Nothing here
 * prints.  The caller prints the warnings, then the error, and then does what
 * `action` says.
 */
#ifndef BENCH_OPT_CMDLINE_H
#define BENCH_OPT_CMDLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "opt/file.h"
#include "opt/identity.h"
#include "opt/opt.h"
#include "opt/value.h"

struct strbuf;

struct err;
struct opt_entry;
struct opt_given;
struct opt_line;
struct optset;

struct cmdline_cfg {
  bool help;
  bool version;
  const char *config_file; /* the last one, or NULL */
  int compat;              /* enum compat */
  const char *test;
};

extern const struct opt cmdline_opts[];
extern const struct opt cmdline_test_opts[];

struct cmdline;

struct cmdline_input {
  int argc;
  char *const *argv;      /* stays as it is while the result is in use */
  const char *compat_env; /* [opt] the variable BENCH_COMPAT */
  bool stdin_is_terminal;
  /* [opt] Reads a configuration file; NULL: opt_file_load() is used. */
  int (*load)(void *arg, const char *path, char **ret_text, size_t *ret_len);
  void *load_arg;
  const char *const *tools; /* [opt] names that take any number of arguments
                               in the place of a test; ends with NULL */

  /* [opt] Checks the options of the set against each other, and may call
   * cmdline_warn(). */
  int (*check)(void *arg, struct cmdline *c, struct err *err);
  void *check_arg;
};

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

enum cmdline_action {
  CMDLINE_USAGE,   /* no argument at all: short usage on stderr, exit 1 */
  CMDLINE_HELP,    /* --help, of `test` if there is one */
  CMDLINE_LIST,    /* list the tests */
  CMDLINE_VERSION, /* --version */
  CMDLINE_TOOL,    /* run the tool `test` with `args` */
  CMDLINE_TEST,    /* run `command` of `test` */
};

struct cmdline {
  enum identity identity;
  enum cmdline_action action;
  bool help_all;       /* --help=all */
  const char *test;    /* [opt] borrowed; NULL: none was named */
  const char *command; /* [opt] borrowed */
  size_t n_args;       /* number of arguments after the name of the tool */
  const char *const *args;
  size_t n_warnings;
  char **warnings; /* owned, in the order in which they are printed */

  struct optset *set;

  /* Private. */
  const struct cmdline_cfg *cfg;
  const char **positionals; /* owned */
  size_t n_positionals;
  struct cmdline_file *files;    /* owned */
  struct cmdline_pending *first; /* owned: options that are still unknown */
  struct cmdline_pending **last;
};

/* Read the arguments.  `set` holds the options of `cfg` and of the drivers;
 * both must outlive *c.  After a failure, the warnings are printed before the
 * text of `err`.  Always call cmdline_done(). */
int cmdline_scan(struct cmdline *c, const struct cmdline_input *in,
                 struct optset *set, const struct cmdline_cfg *cfg,
                 struct err *err);

void cmdline_done(struct cmdline *c);

/* Add a warning. */
int cmdline_warn(struct cmdline *c, struct err *err, const char *fmt, ...)
  PRINTF_LIKE(3, 4);

/* Is the text of this failure printed as it is, without "FATAL: "? */
bool cmdline_is_usage_error(int rc);

/* How to treat the options that the program itself does not know. */
struct cmdline_rules {
  bool accept_unknown; /* declare unknown options as strings */
  const char *owner;   /* the owner of options declared that way */

  /*
   * [opt] A script's own rule for one of its options, declared or not.  False:
   * the value is refused, and *ret_expected (empty before) may name what is
   * allowed.  Otherwise the message is that of an unknown option, as in
   * sysbench, with a second line.
   */
  bool (*is_valid)(void *ctx, const struct opt_entry *e, const char *value,
                   struct strbuf *ret_expected);
  void *ctx;

  /* [opt] Is this unknown entry of a configuration file an option of another
   * test, and skipped? */
  bool (*is_foreign)(void *program, const struct opt_given *given);
  void *program;
};

/* Give the options of the test, which are in the set, their values, in the
 * order of the command line.  Failures as above. */
int cmdline_apply(struct cmdline *c, const struct cmdline_rules *rules,
                  struct err *err);

#endif
