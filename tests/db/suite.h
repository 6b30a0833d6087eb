/*
 * suite.h - the one suite that every driver has to pass.
 */
#ifndef TESTS_DB_SUITE_H
#define TESTS_DB_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/bulk.h"
#include "db/conn.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/stmt.h"
#include "stats/recorder.h"

/* What differs between databases as scripts see them. */
struct specifics {
  const char *driver;
  bool stores;         /* null does not */
  bool nul_in_text;    /* text values may hold a NUL byte */
  bool minus_zero;     /* -0.0 is not stored as 0 */
  bool digits_15;      /* doubles come back as text of 15 digits */
  bool skips_empty;    /* results without columns are passed over */
  bool autocommit_ddl; /* CREATE TABLE is not part of a transaction */
  const char *int_type, *double_type, *text_type;
  /* Three placeholders, and `?` in every region that has none; the columns
   * are 'a?' and the three values. */
  const char *regions;
  const char *slow;           /* runs for ever */
  const char *slow_option[3]; /* ... with these options */
  int interrupted;            /* its code then; 0: look at the state */
  const char *interrupted_state;
  const char *kill_self; /* breaks the connection; NULL: impossible */
  const char *duplicate_state, *missing_state, *syntax_state;
  const char *integrity; /* returns "ok"; NULL: none */
};

/* One process with one thread. */
struct rig {
  const struct specifics *is;
  void *cfg; /* owned */
  struct driver_config config;
  struct db_process *process; /* owned */
  struct recorders recorders;
  struct db_env env; /* of this thread */
  struct driver_handle *handle;
  struct conn *con;
  bool raw; /* sessions are those of clients that share a thread */
};

struct rig_settings {
  int argc;
  char **argv; /* options of the driver, and of the suite: suite.c */
  int ps_mode; /* enum ps_mode */
  double query_timeout_s;
  const char *const *ignore; /* [n_ignore], --db-ignore-errors */
  size_t n_ignore;
  const char *const *more; /* further options, up to 3, NULL at the end */
  unsigned threads;        /* recorders; 0: one */
};

/* False after a diagnostic line. */
bool rig_open(struct rig *r, const struct rig_settings *set);
void rig_close(struct rig *r);

/* Another thread of the same process: an env of its own and a connection. */
bool rig_thread(struct db_env *env, const struct rig *r, unsigned number,
                struct conn **ret_con);

/* Executes; true: no error.  Results are dropped. */
bool run_sql(struct conn *c, const char *sql);
/* The first value of the first row, "" without one, "(null)" for NULL. */
const char *ask_sql(struct conn *c, const char *sql);
uint64_t counted(const struct rig *r, enum counter c);

/* Fill the config struct of a driver from its rows and `--name=value`. */
void *cfg_make(const struct driver *d, int argc, char **argv,
               const char *const *more);
void cfg_free(const struct driver *d, void *cfg);

void suite_values(const struct rig_settings *set);
void suite_results(const struct rig_settings *set);
void suite_rows(const struct rig_settings *set);
void suite_errors(const struct rig_settings *set);
void suite_threads(const struct rig_settings *set);
void suite_pipeline(const struct rig_settings *set);
void suite_time(const struct rig_settings *set);

/* TAP, from several files. */
void ok(bool good, const char *what, ...) PRINTF_LIKE(2, 3);
void ok_str(const char *got, const char *want, const char *what);
/* The plan; 0, or 1 when something was not ok. */
int tap_end(void);

#endif
