/*
 * cmdline.h - the meaning of the command line.
 *
 * The scan stores the program's own options in the set and keeps others until
 * the test has declared its options.  The caller prints the warnings, then the
 * error, then follows `action`.
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
  char *const *argv;      /* unchanged while the result is in use */
  const char *compat_env; /* [opt] BENCH_COMPAT */
  bool stdin_is_terminal;
  /* [opt] replaces opt_file_load() */
  int (*load)(void *arg, const char *path, char **ret_text, size_t *ret_len);
  void *load_arg;
  const char *const *tools; /* [opt] names that can take the place of a test,
                             * with any number of arguments; ends with NULL */

  /* [opt] Checks options against each other; can call cmdline_warn(). */
  int (*check)(void *arg, struct cmdline *c, struct err *err);
  void *check_arg;
};

/* An option unknown to the program. */
struct cmdline_pending {
  struct cmdline_pending *next;
  struct opt_given given; /* borrows from an argument or a file */
  char *name;             /* [opt] owned: given.name */
  bool refused;           /* also if the test declares it */
};

struct cmdline_file {
  struct cmdline_file *next;
  const char *path; /* borrowed */
  struct opt_file file;
};

enum cmdline_action {
  CMDLINE_USAGE, /* no argument: short usage on stderr, exit 1 */
  CMDLINE_HELP,  /* of `test` if there is one */
  CMDLINE_LIST,
  CMDLINE_VERSION,
  CMDLINE_TOOL, /* `test` with `args` */
  CMDLINE_TEST, /* `command` of `test` */
};

enum cmdline_help {
  CMDLINE_HELP_COMMON,
  CMDLINE_HELP_ALL, /* without those for experts */
  CMDLINE_HELP_EXPERT,
  CMDLINE_HELP_JSON,
};

struct cmdline {
  enum identity identity;
  enum cmdline_action action;
  enum cmdline_help help;
  const char *test;    /* [opt] borrowed */
  const char *command; /* [opt] borrowed */
  size_t n_args;
  const char *const *args;
  size_t n_warnings;
  char **warnings; /* owned */

  struct optset *set;

  /* Private. */
  const struct cmdline_cfg *cfg;
  const char **positionals; /* owned */
  size_t n_positionals;
  struct cmdline_file *files;
  struct cmdline_pending *first; /* owned */
  struct cmdline_pending **last;
};

/* `set` has the options of `cfg` and of the drivers; both outlive *c.  After a
 * failure, print the warnings, then `err`.  Always call cmdline_done(). */
int cmdline_scan(struct cmdline *c, const struct cmdline_input *in,
                 struct optset *set, const struct cmdline_cfg *cfg,
                 struct err *err);

void cmdline_done(struct cmdline *c);

int cmdline_warn(struct cmdline *c, struct err *err, const char *fmt, ...)
  PRINTF_LIKE(3, 4);

/* Print the message without "FATAL: "? */
bool cmdline_is_usage_error(int rc);

struct cmdline_rules {
  bool accept_unknown; /* declare unknown options as strings */
  const char *owner;   /* their owner */

  /*
   * [opt] A script's rule for a value.  False: refused, and *ret_expected
   * (empty before) can name the allowed values.  If it stays empty, the message
   * is sysbench's for an unknown option, with a second line.
   */
  bool (*is_valid)(void *ctx, const struct opt_entry *e, const char *value,
                   struct strbuf *ret_expected);
  void *ctx;

  /* [opt] Skip this unknown entry of a configuration file, because it belongs
   * to another test? */
  bool (*is_foreign)(void *program, const struct opt_given *given);
  void *program;
};

/* Sets the options of the test, which are now in the set, in the order of the
 * command line.  Failures as above. */
int cmdline_apply(struct cmdline *c, const struct cmdline_rules *rules,
                  struct err *err);

#endif
