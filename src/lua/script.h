/*
 * script.h - a script as a test: load it, read its options, run its commands.
 *
 * Order: script_new(), script_declare(), values are given to the options, then
 * one script_command() or a run of script_test(), then script_free().  The main
 * state belongs to the thread that calls these.
 */
#ifndef BENCH_LUA_SCRIPT_H
#define BENCH_LUA_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

struct bundle;
struct db_process;
struct err;
struct opt_entry;
struct optset;
struct plan;
struct resolved;
struct script;
struct strbuf;
struct test;
struct text_hooks;

/* All is borrowed and must outlive the script. */
struct script_setup {
  const struct plan *plan;
  const struct resolved *what; /* RESOLVE_SCRIPT or RESOLVE_STDIN */
  const char *datadir;         /* the folder of the bundled scripts */
  const struct optset *opts;
  struct db_process *db;
  bool db_line;        /* the default driver may add a line to the mode block */
  const char *command; /* NULL: none */
  const char *luajit_cmd; /* "" or NULL: none */
  int argc;
  char *const *argv;

  /* [opt] What other processes have to know is added here... */
  struct bundle *record;
  /* [opt] ...and what this one was given: it is read instead of files. */
  const struct bundle *bundle;
};

/*
 * Read the script and execute its body in the main state.  The message of a
 * failure is to be printed as FATAL.
 */
int script_new(struct script **ret, const struct script_setup *setup,
               struct err *err);
void script_free(struct script *script);

/* Its text has no byte. */
bool script_is_empty(const struct script *script);

/*
 * Read sysbench.cmdline.options and add a row to the set for each.
 * *ret_declared: the script has such a table; if it has none, it takes any
 * option, and all options become globals.
 */
int script_declare(struct script *script, struct optset *set,
                   bool *ret_declared, struct err *err);

/* The script's own rule for a value, for struct cmdline_rules. */
bool script_is_valid(void *script, const struct opt_entry *e, const char *value,
                     struct strbuf *ret_expected);

enum script_action {
  SCRIPT_RUN,     /* the benchmark */
  SCRIPT_CALL,    /* a command of the script */
  SCRIPT_OPTIONS, /* print the options */
  SCRIPT_LACKS,   /* a known command that the script does not implement */
  SCRIPT_UNKNOWN, /* no such command */
};

/* Add the names of the commands that the script has, with blanks between. */
void script_list_commands(struct script *script, struct strbuf *out);

/* What the command is; from now on it is settled. */
enum script_action script_find_command(struct script *script);

/*
 * Execute a command (SCRIPT_CALL).  A positive number: this signal has ended it
 * early, in good order.  -ECANCELED: it failed, and all that is to be said was
 * said; other negative ones: the message is to be printed as FATAL.
 */
int script_command(struct script *script, struct err *err);

/* "NAME options:" and the options; for SCRIPT_OPTIONS. */
void script_print_options(const struct script *script, struct strbuf *out);

/* For SCRIPT_RUN; `cfg` of the test is the script itself. */
const struct test *script_test(struct script *script);

/*
 * The program is about to end without script_free(), because threads were left
 * behind: what report functions have begun to write is completed, but not that
 * of a state that one of those threads is in.
 */
void script_end_output(struct script *script);

/* The script's report functions. */
const struct text_hooks *script_hooks(struct script *script);

#endif
