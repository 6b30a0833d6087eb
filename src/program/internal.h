/*
 * internal.h - what the files of the program itself share.
 */
#ifndef BENCH_PROGRAM_INTERNAL_H
#define BENCH_PROGRAM_INTERNAL_H

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/leave.h"
#include "db/env.h"
#include "opt/cmdline.h"
#include "opt/help.h"
#include "opt/optset.h"
#include "program/options.h"
#include "report/text_reporter.h"
#include "run/peers.h"

struct driver;
struct err;
struct ranks;
struct resolved;
struct plan;
struct strbuf;
struct test;

/* Everything that lives as long as the program. */
struct program {
  int argc;
  char **argv;
  struct optset set;
  struct program_options opts;
  struct results *results;           /* owned; NULL: only text is wanted */
  struct ranks *ranks;               /* owned; NULL: this process is alone */
  struct peers peers;                /* the other ranks */
  struct ranks_report *ranks_report; /* owned; the reporter of several ranks */
  char *partial_file, *event_file;   /* owned; files of this process alone */
  struct program_drivers *drivers;   /* owned */
  struct cmdline cmdline;
  const char *name;    /* bench, or sysbench */
  const char *version; /* the same with the version */
  struct text_reporter text;
  char datadir[PATH_MAX]; /* of the bundled scripts */
  bool doctor;            /* nothing is run, only looked at */
  struct leave leave;     /* threads that are left behind */
};

/* Print the message, unless the user has seen it, as FATAL or, if it is about
 * usage, as it is; both return the exit status. */
int program_fail(const struct err *err);
int program_fail_usage(int rc, const struct err *err);
/* Print a usage error without prefix; returns the exit status. */
int program_complain(const char *fmt, ...) PRINTF_LIKE(1, 2);
void program_put_text(struct strbuf *text); /* and free it */

/*
 * The end of the program, before anything is freed: what was printed gets to
 * the standard output, and the other ranks are left.  Returns the exit status.
 */
int program_finish(struct program *p, int status);
/*
 * After a run and all that is to be printed about it, before anything that its
 * threads use is freed: if a thread was left behind (base/leave.h), the process
 * ends here.
 */
void program_leave(struct program *p, int status);

enum program_help {
  PROGRAM_HELP_OPTIONS, /* --help, of a test if one is named */
  PROGRAM_HELP_NAMES,   /* list */
  PROGRAM_HELP_DRIVERS, /* --db-driver=help */
};

/* Print it; return the exit status. */
int program_print_help(struct program *p, enum program_help what);
int program_print_usage(const struct program *p); /* on stderr */

/* For --version. */
void program_put_version(const struct program *p);

/* Open the files of results, before anything starts. */
int program_open_results(struct program *p, struct err *err);
int program_run_test(struct program *p, const struct test *test,
                     const void *cfg, const struct plan *plan);

enum {
  PROGRAM_TOOLS = 8, /* at most */
};

/* There is no such test: name the one that is only a slip away.  False: there
 * is none, and nothing was printed. */
bool program_suggest_test(const struct program *p, const char *typed);
/* Complains, with the commands that there are (blanks between them); returns
 * the exit status. */
int program_unknown_command(const char *typed, const char *commands);
/* After the error of an unknown option: it belongs to another test. */
void program_tell_owner(const struct program *p);
/* Rules for options that skip those of other tests in configuration files. */
struct cmdline_rules program_rules(struct program *p);

/* What the command line says of a test; returns the exit status. */
int program_test(struct program *p);
/* Find the script that the command line names, and set *ret, which is zero.  If
 * there is none, say where it was looked for.  Returns the exit status. */
int program_find_script(struct program *p, struct resolved *ret);
/* Give the options of the test their values; returns the exit status. */
int program_apply(struct program *p, const struct cmdline_rules *rules);

/* Is the command a run, so that there is something to report? */
static inline bool program_is_run(const struct program *p)
{
  return p->cmdline.command && strcmp(p->cmdline.command, "run") == 0;
}

/* Is only to be checked whether the command could be executed? */
static inline bool program_only_checks(const struct program *p)
{
  return p->opts.sweep.role == SWEEP_ROLE_CHECK;
}

/* `doctor [TEST]`: the test takes the place of the command.  False: it is not
 * that. */
bool program_take_doctor(struct program *p);
/* Look at what the run would need; all return the exit status. */
int program_doctor_machine(struct program *p);
int program_doctor_builtin(struct program *p, const struct test *test,
                           const struct plan *plan);
int program_doctor_script(struct program *p, struct db_process *db,
                          const char *script);

/* Is the run of a bundled script bound to fail, or to measure nothing?  Then it
 * is printed why.  `path` is that of the script. */
bool program_lacks_data(struct program *p, const struct run_facts *facts,
                        const char *path);

/* The test again and again, with other values. */
int program_sweep(struct program *p);

/* Work on files of results, in the place of a test, or print the help of
 * that. */
int program_tool(struct program *p);
bool program_is_tool(const char *name); /* doctor is one, too */

/*
 * Before a script is started: which driver, and the options of it that --dsn,
 * option files, the environment and a password that is read set.  Returns the
 * exit status.
 */
int program_settle_target(struct program *p);

/*
 * --password-file and --ask-password, or what the sweep that started this
 * process has read.  *ret is owned by the caller; NULL: neither is given.
 * `who` is for the prompt.
 */
int program_read_password(struct program *p, const char *who, char **ret,
                          struct err *err);
/* Leave it to the processes that this one starts. */
int program_hand_down_password(const char *password, struct err *err);

/* The config row of a driver of this build, by its name or an alias; NULL. */
const struct driver *program_find_driver(const struct program *p,
                                         const char *name);
/* The same by the scheme of a URL. */
const struct driver *program_find_scheme(const struct program *p,
                                         const char *scheme);

/* Add the options of all drivers to the set. */
int program_add_drivers(struct program *p, struct err *err);
void program_free_drivers(struct program *p);

/* Name and title of each driver; returns how many there are. */
size_t program_list_drivers(const struct program *p,
                            struct help_item items[DRIVERS_MAX]);

#endif
