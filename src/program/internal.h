/*
 * internal.h - shared by the files of src/program.
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

struct program {
  int argc;
  char **argv;
  struct optset set;
  struct program_options opts;
  struct results *results; /* owned, or NULL */
  struct mark_fifo *marks; /* owned, or NULL */
  struct monitor *monitor; /* owned, or NULL */
  struct nodes *ranks;     /* owned, or NULL */
  struct peers peers;
  struct nodes_report *nodes_report; /* owned */
  char *partial_file, *event_file;   /* owned */
  struct program_drivers *drivers;   /* owned */
  struct cmdline cmdline;
  const char *name; /* "bench" or "sysbench" */
  const char *version;
  struct text_reporter text;
  char datadir[PATH_MAX];
  bool doctor;
  struct leave leave;
};

/* ---- say.c ---- */

enum {
  PROGRAM_STACK_KIB = 256 /* at most half is used */
};

/*
 * First in main(): opens /dev/null for closed descriptors 0 to 2, which the
 * next file would get, and lets writes fail with EFBIG instead of SIGXFSZ.
 * False: see errno.
 */
bool program_mend(void);
/* An overflow would be a signal. */
bool program_stack_suffices(void);
/* Then writes to a pipe without readers fail with EPIPE. */
void program_outlive_readers(void);

/* Print an error, unless printed already.  Return the exit status. */
int program_fail(const struct err *err);
int program_fail_usage(int rc, const struct err *err);
int program_refuse(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Without "FATAL: ". */
int program_complain(const char *fmt, ...) PRINTF_LIKE(1, 2);
void program_put_text(struct strbuf *text);

/* Before anything is freed: flushes the output and leaves the other ranks.
 * Returns the exit status. */
int program_finish(struct program *p, int status);
/* After a run and its output: ends the process here if a thread was left
 * behind (base/leave.h), before its memory is freed. */
void program_leave(struct program *p, int status);

/* ---- help.c; exit statuses ---- */

enum program_help {
  PROGRAM_HELP_OPTIONS,
  PROGRAM_HELP_NAMES,
  PROGRAM_HELP_DRIVERS,
};

int program_print_help(struct program *p, enum program_help what);
int program_print_usage(const struct program *p); /* to stderr */
void program_put_version(const struct program *p);
/* `lacks`: os_lacks. */
void program_version_text(const struct program *p, const char *lacks,
                          struct strbuf *out);

/* ---- server.c ---- */

/* An exit status. */
int program_check_server(struct program *p);
/* Before a run.  Call program_free_server() before the end of the job. */
int program_watch_server(const struct job *job, struct err *err);
void program_free_server(struct program *p);
void program_print_server(const struct program *p);

/* ---- files.c ---- */

/* FILE.rank3.  The caller frees it; NULL: no memory. */
char *program_rank_file(const char *name, unsigned rank);
/* -EINVAL: the command would replace a file that it reads, or two outputs
 * are one file. */
int program_check_files(const struct program *p, struct err *err);

/* ---- find.c ---- */

enum {
  PROGRAM_TOOLS = 16,
  BUNDLED_MAX = 64,
  BUNDLED_NAME = 64,
  BUNDLED_SUMMARY = 256,
  BUNDLED_EXAMPLE = 128,
};

enum program_kind {
  PROGRAM_BUILTIN,
  PROGRAM_SCRIPT,
  PROGRAM_SQLFILE
};

/* By the name of any test, even a missing one.  NULL: a script. */
enum program_kind program_kind(const char *name);

/* Does the script come with the program?  NULL: no. */
bool program_has_script(const struct program *p, const char *path);

/* Sets *ret, which is zero, or prints the folders searched.  Returns the
 * exit status. */
int program_find_script(const struct job *job, struct resolved *ret);
/* The caller frees it.  NULL: not found. */
char *program_script_path(const struct program *p, const char *typed);
/* Is a test, or are all members of a --mix, part of the program? */
bool program_is_bundled(const struct program *p, const char *text, bool mix);

struct bundled {
  char name[BUNDLED_NAME];       /* without `.lua` */
  char summary[BUNDLED_SUMMARY]; /* first sentence of its comment */
  char example[BUNDLED_EXAMPLE]; /* arguments after "Example: " */
};

/* Sorted by name; returns their number.  Executes nothing.  Unreadable
 * folders are empty. */
size_t bundled_list(const char *datadir, struct bundled list[BUNDLED_MAX]);
/* False: a part of other scripts.  `ret->name` is set. */
bool bundled_read(const char *datadir, struct bundled *ret);

/* Suggests one of the commands, separated by blanks.  Returns the exit
 * status. */
int program_unknown_command(const char *typed, const char *commands);

/* Skips options of other tests in configuration files. */
struct cmdline_rules program_rules(struct program *p);
/* Give the options of the test, or of no test, values.  Exit statuses. */
int program_apply(struct program *p, const struct cmdline_rules *rules);
int program_apply_alone(struct program *p);

/* ---- job.c ---- */

const struct test_source *program_source(const struct program *p);
/* Returns the exit status. */
int program_test(struct program *p);
/* Adds the options of a bundled script.  Returns the exit status. */
int program_declare(struct program *p, const char *script, struct optset *set);

static inline bool program_is_run(const struct program *p)
{
  return p->cmdline.command && strcmp(p->cmdline.command, "run") == 0;
}

static inline bool program_only_checks(const struct program *p)
{
  return p->opts.sweep.role == SWEEP_ROLE_CHECK;
}

/* ---- doctor.c ---- */

/* `doctor [TEST]`: the test takes the command's place.  False: another
 * command line. */
bool program_take_doctor(struct program *p);
/* Exit statuses. */
int program_doctor_machine(struct program *p);
int program_doctor_builtin(struct program *p, const struct test *test,
                           const struct plan *plan);
int program_doctor_script(struct program *p, struct db_process *db,
                          const char *script);

/* ---- tools.c ---- */

int program_sweep(struct program *p);
int program_tool(struct program *p);
bool program_is_tool(const char *name);
/* For a wrong value of a program's option. */
int program_refused_status(const struct program *p);

/* ---- target.c ---- */

/* Before a script starts: chooses the driver, and sets values of --dsn,
 * option files, the environment and a password.  Returns the exit status. */
int program_settle_target(struct program *p);
/*
 * Of --password-file or --ask-password, or from a sweep.  *ret is owned by the
 * caller; NULL: neither option is given.  `who` is for the prompt.
 */
int program_read_password(struct program *p, const char *who, char **ret,
                          struct err *err);
/* To child processes. */
int program_hand_down_password(const char *password, struct err *err);

/* ---- drivers.c ---- */

int program_add_drivers(struct program *p, struct err *err);
void program_free_drivers(struct program *p);
size_t program_list_drivers(const struct program *p,
                            struct help_item items[DRIVERS_MAX]);

/* By name or alias, or by the scheme of a URL; NULL: not built in. */
const struct driver *program_find_driver(const struct program *p,
                                         const char *name);
const struct driver *program_find_scheme(const struct program *p,
                                         const char *scheme);
/* Returns the exit status. */
int program_check_driver(const struct program *p);

/* Starts *db, which is zero.  The caller calls process_done(). -EINVAL: a
 * wrong option. */
int program_start_database(struct program *p, const struct plan *plan,
                           struct db_process *db, struct err *err);
/* Are there too few open files for the connections?  Prints the reason. */
bool program_lacks_files(const struct program *p, const struct plan *plan,
                         const struct db_process *db);

/* Is the database file missing?  Connecting would create it. */
bool program_misses_file(const struct program *p);
/* If closed and without tables. */
void program_remove_empty_file(const struct program *p);
/* Would the run of a bundled script fail, or measure nothing?  Prints the
 * reason. */
bool program_lacks_data(struct program *p, const struct run_facts *facts);
/* Would a command that only reads or removes create the database file?
 * Prints the reason; *status is the exit status. */
bool program_lacks_file(struct program *p, int *status);

#endif
