/*
 * cmdline.h - what the command line asks for.
 *
 * The scan stores the options of the set (the program's own) and keeps others
 * until those of the test are known. Nothing here prints: the caller prints the
 * warnings, then the error, then does what `action` says.
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
  /* [opt] instead of opt_file_load() */
  int (*load)(void *arg, const char *path, char **ret_text, size_t *ret_len);
  void *load_arg;
  const char *const *tools; /* [opt] names with any number of arguments in the
                               place of a test; ends with NULL */

  /* [opt] Checks options against each other; may call cmdline_warn(). */
  int (*check)(void *arg, struct cmdline *c, struct err *err);
  void *check_arg;
};

/* An option unknown to the program. */
struct cmdline_pending {
  struct cmdline_pending *next;
  struct opt_given given; /* borrows from an argument or a line of a file */
  char *name;             /* [opt] owned: given.name */
  bool refused;           /* whatever the test declares */
};

/* Kept for its pending options. */
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

/* The options of CMDLINE_HELP. */
enum cmdline_help {
  CMDLINE_HELP_COMMON,
  CMDLINE_HELP_ALL, /* not for experts */
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
  char **warnings; /* owned, in the order of printing */

  struct optset *set;

  /* Private. */
  const struct cmdline_cfg *cfg;
  const char **positionals; /* owned */
  size_t n_positionals;
  struct cmdline_file *files;
  struct cmdline_pending *first; /* owned */
  struct cmdline_pending **last;
};

/*
 * `set` holds the options of `cfg` and of the drivers; both outlive *c. After a
 * failure, the warnings are printed before the text of `err`. Always call
 * cmdline_done().
 */
int cmdline_scan(struct cmdline *c, const struct cmdline_input *in,
                 struct optset *set, const struct cmdline_cfg *cfg,
                 struct err *err);

void cmdline_done(struct cmdline *c);

int cmdline_warn(struct cmdline *c, struct err *err, const char *fmt, ...)
  PRINTF_LIKE(3, 4);

/* Printed as it is, without "FATAL: "? */
bool cmdline_is_usage_error(int rc);

/* For options that the program itself does not have. */
struct cmdline_rules {
  bool accept_unknown; /* declare unknown options as strings */
  const char *owner;   /* of these */

  /*
   * [opt] A script's own rule for an option, declared or not. False: refused,
   * and *ret_expected (empty before) may name what is allowed; else the message
   * is that of an unknown option, as in sysbench, with a second line.
   */
  bool (*is_valid)(void *ctx, const struct opt_entry *e, const char *value,
                   struct strbuf *ret_expected);
  void *ctx;

  /* [opt] An unknown entry of a configuration file for another test, which is
   * skipped? */
  bool (*is_foreign)(void *program, const struct opt_given *given);
  void *program;
};

/* Gives the options of the test, now in the set, their values in the order of
 * the command line. Failures as above. */
int cmdline_apply(struct cmdline *c, const struct cmdline_rules *rules,
                  struct err *err);

#endif
