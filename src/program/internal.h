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

/* Everything that lives as long as the program. */
struct program {
  int argc;
  char **argv;
  struct optset set;
  struct program_options opts;
  struct results *results;           /* owned; NULL: only text is wanted */
  struct mark_fifo *marks;           /* owned; NULL: no marks are taken */
  struct monitor *monitor;           /* owned; NULL: no server is read */
  struct nodes *ranks;               /* owned; NULL: this process is alone */
  struct peers peers;                /* the other ranks */
  struct nodes_report *nodes_report; /* owned; merges the ranks' reports */
  char *partial_file, *event_file;   /* owned; files of this process alone */
  struct program_drivers *drivers;   /* owned */
  struct cmdline cmdline;
  const char *name;    /* "bench" or "sysbench" */
  const char *version; /* name and version */
  struct text_reporter text;
  char datadir[PATH_MAX]; /* folder of the bundled scripts */
  bool doctor;            /* only check, run nothing */
  struct leave leave;     /* threads that are left behind */
};

/* ---- say.c ---- */

enum {
  PROGRAM_STACK_KIB = 256 /* half of it is in use at most */
};

/*
 * Comes first in main(): opens /dev/null for closed descriptors 0 to 2, whose
 * numbers the next file or socket would get, and makes writes fail with EFBIG
 * where SIGXFSZ would end the program.  False: errno says why /dev/null cannot
 * be opened.
 */
bool program_mend(void);
/* Does the stack suffice for the first thread?  A signal would end it. */
bool program_stack_suffices(void);
/* From here on, a write to a pipe without readers fails with EPIPE. */
void program_outlive_readers(void);

/* Print an error that the user has not seen yet, a usage error without "FATAL:
 * " before it.  These return the exit status. */
int program_fail(const struct err *err);
int program_fail_usage(int rc, const struct err *err);
int program_complain(const char *fmt, ...) PRINTF_LIKE(1, 2);
void program_put_text(struct strbuf *text); /* Print the text and free it. */

/* The end of the program, before anything is freed: write what was printed and
 * leave the other ranks.  Returns the exit status. */
int program_finish(struct program *p, int status);
/* After a run and all output about it: end the process here if a thread was
 * left behind (base/leave.h), which may use what would be freed. */
void program_leave(struct program *p, int status);

/* ---- help.c; these return the exit status ---- */

enum program_help {
  PROGRAM_HELP_OPTIONS, /* --help, of a test if one is named */
  PROGRAM_HELP_NAMES,   /* list */
  PROGRAM_HELP_DRIVERS, /* --db-driver=help */
};

int program_print_help(struct program *p, enum program_help what);
int program_print_usage(const struct program *p); /* to stderr */
void program_put_version(const struct program *p);
/* The text of --version; `lacks` is what os_lacks says of the system. */
void program_version_text(const struct program *p, const char *lacks,
                          struct strbuf *out);

/* ---- server.c ---- */

/* Do the options of --server-stats go together?  An exit status. */
int program_check_server(struct program *p);
/* Before a run: start to read the servers, if that is wanted.
 * program_free_server() comes before the end of the job. */
int program_watch_server(const struct job *job, struct err *err);
void program_free_server(struct program *p);
/* After the report: what the servers did, if that is wanted. */
void program_print_server(const struct program *p);

/* ---- files.c ---- */

/* FILE.rank3: the file of a rank that is not the first.  The caller frees it;
 * NULL: no memory. */
char *program_rank_file(const char *name, unsigned rank);
/* -EINVAL: the command would replace a file that it reads, or two of its
 * outputs are one file. */
int program_check_files(const struct program *p, struct err *err);

/* ---- find.c ---- */

enum {
  PROGRAM_TOOLS = 16, /* the most that there can be */
  BUNDLED_MAX = 64,
  BUNDLED_NAME = 64,
  BUNDLED_SUMMARY = 256,
};

enum program_kind {
  PROGRAM_BUILTIN,
  PROGRAM_SCRIPT,
  PROGRAM_SQLFILE
};

/* The kind of a test by its name, whether it exists or not.  NULL: a script. */
enum program_kind program_kind(const char *name);

/* Is this the path of a script that comes with the program?  NULL: no. */
bool program_has_script(const struct program *p, const char *path);

/* Find the script of the job, and set *ret, which is zero; print where it was
 * looked for if there is none.  Returns the exit status. */
int program_find_script(const struct job *job, struct resolved *ret);
/* The file of such a script; the caller frees it.  NULL: there is none. */
char *program_script_path(const struct program *p, const char *typed);
/* Does a test, or do all members of a --mix, come with the program? */
bool program_is_bundled(const struct program *p, const char *text, bool mix);

struct bundled {
  char name[BUNDLED_NAME];       /* without `.lua` */
  char summary[BUNDLED_SUMMARY]; /* the first sentence of its comment */
};

/* The bundled scripts that can be run, sorted by name; returns how many there
 * are.  Nothing is executed.  A folder that cannot be read has none. */
size_t bundled_list(const char *datadir, struct bundled list[BUNDLED_MAX]);

/* Complain, and suggest one of the commands, which have blanks between them.
 * Returns the exit status. */
int program_unknown_command(const char *typed, const char *commands);

/* Rules for options that skip those of other tests in configuration files. */
struct cmdline_rules program_rules(struct program *p);
/* Give the options of the test, or of no test, their values; return the exit
 * status. */
int program_apply(struct program *p, const struct cmdline_rules *rules);
int program_apply_alone(struct program *p);

/* ---- job.c ---- */

/* The source of the test that the command line names. */
const struct test_source *program_source(const struct program *p);
/* Do what the command line asks of a test; returns the exit status. */
int program_test(struct program *p);

/* Is the command a run, so that there is something to report? */
static inline bool program_is_run(const struct program *p)
{
  return p->cmdline.command && strcmp(p->cmdline.command, "run") == 0;
}

/* Is the command only checked, not executed? */
static inline bool program_only_checks(const struct program *p)
{
  return p->opts.sweep.role == SWEEP_ROLE_CHECK;
}

/* ---- doctor.c ---- */

/* Take `doctor [TEST]`, where the test has the place of the command.  False:
 * the command line is another one. */
bool program_take_doctor(struct program *p);
/* Check what the run would need; all return the exit status. */
int program_doctor_machine(struct program *p);
int program_doctor_builtin(struct program *p, const struct test *test,
                           const struct plan *plan);
int program_doctor_script(struct program *p, struct db_process *db,
                          const char *script);

/* ---- tools.c ---- */

/* Run the test many times, with different values. */
int program_sweep(struct program *p);
/* Run a tool on files of results, or print its help. */
int program_tool(struct program *p);
bool program_is_tool(const char *name); /* doctor is a tool, too */
/* The exit status for a wrong value of an option of the program. */
int program_refused_status(const struct program *p);

/* ---- target.c ---- */

/* Before a script is started: choose the driver, and set what --dsn, option
 * files, the environment and a password that is read give.  Returns the exit
 * status. */
int program_settle_target(struct program *p);
/* Read the password of --password-file or --ask-password, or take the one that
 * the sweep that started this process has read.  *ret is owned by the caller;
 * NULL: neither option is given.  `who` is for the prompt. */
int program_read_password(struct program *p, const char *who, char **ret,
                          struct err *err);
/* Pass the password on to the processes that this one starts. */
int program_hand_down_password(const char *password, struct err *err);

/* ---- drivers.c ---- */

/* Add the options of all drivers to the set. */
int program_add_drivers(struct program *p, struct err *err);
void program_free_drivers(struct program *p);
/* The name and title of each driver; returns how many there are. */
size_t program_list_drivers(const struct program *p,
                            struct help_item items[DRIVERS_MAX]);

/* A driver of this build, by its name or an alias, or by the scheme of a URL;
 * NULL: there is none. */
const struct driver *program_find_driver(const struct program *p,
                                         const char *name);
const struct driver *program_find_scheme(const struct program *p,
                                         const char *scheme);
/* Complain unless --db-driver names a driver; returns the exit status. */
int program_check_driver(const struct program *p);

/* Fill in *db, which is zero, from the options, and start it.  The caller calls
 * process_done().  -EINVAL: an option is wrong. */
int program_start_database(struct program *p, const struct plan *plan,
                           struct db_process *db, struct err *err);
/* Once the database is started: are there too few open files for a connection
 * of each worker?  Then the reason is printed. */
bool program_lacks_files(const struct program *p, const struct plan *plan,
                         const struct db_process *db);

/* Is it a database in a file that does not exist?  Connecting would create it.
 */
bool program_misses_file(const struct program *p);
/* Remove the file of the database, if that has no table, and is closed. */
void program_remove_empty_file(const struct program *p);
/* Is the run of a bundled script bound to fail, or to measure nothing?  Then
 * the reason is printed. */
bool program_lacks_data(struct program *p, const struct run_facts *facts);
/* Would a command that only reads or removes create the file of the database?
 * Then the reason is printed, and *status is the exit status. */
bool program_lacks_file(struct program *p, int *status);

#endif
