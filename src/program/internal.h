/*
 * internal.h - what the files of src/program share.
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
struct job;
struct monitor;
struct nodes;
struct resolved;
struct plan;
struct strbuf;
struct test;
struct test_source;
struct tool_args;

struct program {
  int argc;
  char **argv;
  struct optset set;
  struct program_options opts;
  struct results *results;           /* owned; NULL: text only */
  struct mark_fifo *marks;           /* owned; NULL: no marks */
  struct monitor *monitor;           /* owned; NULL: no server is read */
  struct nodes *ranks;               /* owned; NULL: a single process */
  struct peers peers;                /* the other ranks */
  struct nodes_report *nodes_report; /* owned; merges the ranks' reports */
  char *partial_file, *event_file;   /* owned; files of this rank only */
  struct program_drivers *drivers;   /* owned */
  struct cmdline cmdline;
  const char *name;    /* "bench" or "sysbench" */
  const char *version; /* name and version */
  struct text_reporter text;
  char datadir[PATH_MAX]; /* folder of the bundled scripts */
  bool doctor;
  struct leave leave; /* threads left behind */
};

/* ---- say.c ---- */

enum {
  PROGRAM_STACK_KIB = 256 /* at most half of it is used */
};

/*
 * Call first in main(): opens /dev/null for closed descriptors 0 to 2, whose
 * numbers the next file or socket would get, and lets writes fail with EFBIG
 * instead of SIGXFSZ.  False: errno has the reason.
 */
bool program_mend(void);
/* Is the stack of the first thread large enough?  Overflow would be a
 * signal. */
bool program_stack_suffices(void);
/* From here on, writes to a pipe without readers fail with EPIPE. */
void program_outlive_readers(void);

/* Print an error, unless printed already; a usage error without "FATAL: ".
 * Return the exit status. */
int program_fail(const struct err *err);
int program_fail_usage(int rc, const struct err *err);
int program_complain(const char *fmt, ...) PRINTF_LIKE(1, 2);
void program_put_text(struct strbuf *text);

/* Flush the output and leave the other ranks, before anything is freed.
 * Returns the exit status. */
int program_finish(struct program *p, int status);
/* After a run and all output about it: if a thread was left behind
 * (base/leave.h), which may use what would be freed, end the process here. */
void program_leave(struct program *p, int status);

/* ---- help.c; exit statuses ---- */

enum program_help {
  PROGRAM_HELP_OPTIONS, /* --help, for a test if one is given */
  PROGRAM_HELP_NAMES,   /* list */
  PROGRAM_HELP_DRIVERS, /* --db-driver=help */
};

int program_print_help(struct program *p, enum program_help what);
int program_print_usage(const struct program *p); /* to stderr */
void program_put_version(const struct program *p);
/* The text of --version; `lacks`: os_lacks. */
void program_version_text(const struct program *p, const char *lacks,
                          struct strbuf *out);

/* ---- server.c ---- */

/* Checks the options of --server-stats.  An exit status. */
int program_check_server(struct program *p);
/* Before a run: start reading the servers, if wanted.  Call
 * program_free_server() before the end of the job. */
int program_watch_server(const struct job *job, struct err *err);
void program_free_server(struct program *p);
/* After the report, if wanted. */
void program_print_server(const struct program *p);

/* ---- files.c ---- */

/* FILE.rank3: the file of another rank.  The caller frees it; NULL: no
 * memory. */
char *program_rank_file(const char *name, unsigned rank);
/* -EINVAL: the command would replace a file that it reads, or two outputs are
 * one file. */
int program_check_files(const struct program *p, struct err *err);

/* ---- find.c ---- */

enum {
  PROGRAM_TOOLS = 16, /* upper bound */
  BUNDLED_MAX = 64,
  BUNDLED_NAME = 64,
  BUNDLED_SUMMARY = 256,
};

enum program_kind {
  PROGRAM_BUILTIN,
  PROGRAM_SCRIPT,
  PROGRAM_SQLFILE
};

/* The kind of a test by its name, whether the test exists or not.  NULL: a
 * script. */
enum program_kind program_kind(const char *name);

/* Is this the path of a script that comes with the program?  NULL: no. */
bool program_has_script(const struct program *p, const char *path);

/* Find the script of the job, and set *ret, which is zero, or print the folders
 * searched.  Returns the exit status. */
int program_find_script(const struct job *job, struct resolved *ret);
/* The file of a script; the caller frees it.  NULL: not found. */
char *program_script_path(const struct program *p, const char *typed);
/* Is a test, or are all members of a --mix, part of the program? */
bool program_is_bundled(const struct program *p, const char *text, bool mix);

struct bundled {
  char name[BUNDLED_NAME];       /* without `.lua` */
  char summary[BUNDLED_SUMMARY]; /* first sentence of its comment */
};

/* The runnable bundled scripts, sorted by name; returns their number.  Executes
 * nothing.  An unreadable folder has none. */
size_t bundled_list(const char *datadir, struct bundled list[BUNDLED_MAX]);

/* Complain, and suggest one of the commands, separated by blanks.  Returns the
 * exit status. */
int program_unknown_command(const char *typed, const char *commands);

/* Rules for options: those of other tests in configuration files are
 * skipped. */
struct cmdline_rules program_rules(struct program *p);
/* Give the options of the test, or of no test, their values.  Exit statuses. */
int program_apply(struct program *p, const struct cmdline_rules *rules);
int program_apply_alone(struct program *p);

/* ---- job.c ---- */

const struct test_source *program_source(const struct program *p);
/* Executes the command line's test; returns the exit status. */
int program_test(struct program *p);

static inline bool program_is_run(const struct program *p)
{
  return p->cmdline.command && strcmp(p->cmdline.command, "run") == 0;
}

/* Is the command only checked? */
static inline bool program_only_checks(const struct program *p)
{
  return p->opts.sweep.role == SWEEP_ROLE_CHECK;
}

/* ---- doctor.c ---- */

/* Take `doctor [TEST]`: the test has the place of the command.  False: another
 * command line. */
bool program_take_doctor(struct program *p);
/* Check what the run would need.  Exit statuses. */
int program_doctor_machine(struct program *p);
int program_doctor_builtin(struct program *p, const struct test *test,
                           const struct plan *plan);
int program_doctor_script(struct program *p, struct db_process *db,
                          const char *script);

/* ---- tools.c ---- */

/* Run the test many times, with different values. */
int program_sweep(struct program *p);
/* Run a tool, or print its help. */
int program_tool(struct program *p);
bool program_is_tool(const char *name); /* including doctor */
/* The exit status for a wrong value of an option of the program. */
int program_refused_status(const struct program *p);

/* ---- target.c ---- */

/* Before a script starts: choose the driver, and set the values of --dsn,
 * option files, the environment and a password.  Returns the exit status. */
int program_settle_target(struct program *p);
/*
 * Read the password of --password-file or --ask-password, or take the one that
 * a sweep hands down.  *ret is owned by the caller; NULL: neither option is
 * given.  `who` is for the prompt.
 */
int program_read_password(struct program *p, const char *who, char **ret,
                          struct err *err);
/* Pass the password on to child processes. */
int program_hand_down_password(const char *password, struct err *err);

/* ---- drivers.c ---- */

/* Add the options of all drivers to the set. */
int program_add_drivers(struct program *p, struct err *err);
void program_free_drivers(struct program *p);
/* Names and titles; returns the number. */
size_t program_list_drivers(const struct program *p,
                            struct help_item items[DRIVERS_MAX]);

/* A driver of this build, by name or alias, or by the scheme of a URL, or
 * NULL. */
const struct driver *program_find_driver(const struct program *p,
                                         const char *name);
const struct driver *program_find_scheme(const struct program *p,
                                         const char *scheme);
/* Complain unless --db-driver names a driver; returns the exit status. */
int program_check_driver(const struct program *p);

/* Fill in *db, which is zero, from the options, and start it.  The caller calls
 * process_done(). -EINVAL: an option is wrong. */
int program_start_database(struct program *p, const struct plan *plan,
                           struct db_process *db, struct err *err);
/* With a started database: are there too few open files for the connections?
 * Prints the reason. */
bool program_lacks_files(const struct program *p, const struct plan *plan,
                         const struct db_process *db);

/* Does the database file not exist?  Connecting would create it. */
bool program_misses_file(const struct program *p);
/* Remove the database file if closed and without tables. */
void program_remove_empty_file(const struct program *p);
/* Would the run of a bundled script fail, or measure nothing?  Prints the
 * reason. */
bool program_lacks_data(struct program *p, const struct run_facts *facts);
/* Would a command that only reads or removes create the database file?  Prints
 * the reason; *status is the exit status. */
bool program_lacks_file(struct program *p, int *status);

#endif
