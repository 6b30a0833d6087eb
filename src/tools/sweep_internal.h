/*
 * sweep_internal.h - what the files of a sweep share.
 */
#ifndef BENCH_TOOLS_SWEEP_INTERNAL_H
#define BENCH_TOOLS_SWEEP_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "results/outfile.h"
#include "tools/child.h"
#include "tools/find.h"
#include "tools/result.h"
#include "tools/sweep.h"
#include "tools/sweep_plan.h"
#include "tools/table.h"

struct err;
struct usl;

/* The outcome of a step. */
struct sweep_outcome {
  size_t combination, repeat;
  int status;                /* of the process that failed, or of the run */
  const char *failed;        /* NULL, or the command that failed: "prepare" */
  bool missed;               /* the run succeeded, but not its objective */
  struct result_file result; /* json NULL: there is none */
};

/* A run of the first combination between the steps. */
struct sweep_reference {
  size_t before; /* the number of the step that follows it */
  struct sweep_outcome outcome;
};

/* A reference, or data, that change by more than this share are a warning. */
#define SWEEP_DRIFT_SHARE 0.05

struct sweep {
  const struct sweep_input *in;
  struct sweep_plan plan;
  struct children children;
  bool prepares; /* cleanup and prepare around each step */
  FILE *text;    /* where text goes: stdout or stderr */
  char *folder;  /* owned; for temporary files; NULL until it is made */
  /* Already open before the end if it is not a regular file. */
  struct whole_file document;

  /* Of a search: its steps, and lines with the options of the present one. */
  struct find find;
  struct strbuf extra;

  struct sweep_outcome *outcomes; /* owned; in the order of execution */
  size_t n_outcomes;
  uint64_t steps_ns; /* what these have taken */

  struct sweep_reference *references; /* owned */
  size_t n_references;
  int reset_status; /* of a reset that has failed and ended the sweep; else 0 */
};

/* Are the steps parts, each with a test of its own? */
static inline bool sweep_has_parts(const struct sweep *s)
{
  return s->in->n_parts > 0;
}

/* Is it a search, whose steps choose the next value? */
static inline bool sweep_finds(const struct sweep *s)
{
  return s->find.rules.what != SEARCH_OFF;
}

/* ---- sweep_find.c ---- */

/* The plan with the first value of a search. */
int sweep_find_plan(struct sweep_plan *ret, const struct sweep_cfg *cfg,
                    struct err *err);
/* Run the steps to the end of the search, or until a signal arrives. */
int sweep_find_steps(struct sweep *s, struct err *err);
/* Has an earlier step said why one that failed could not start? */
bool sweep_find_explained(const struct sweep *s, const struct sweep_outcome *o);
/* Print the answer. */
void sweep_find_print(const struct sweep *s);

/* ---- sweep_doubts.c ---- */

/* The code of a warning that makes the figures of a search doubtful, or NULL.
 */
const char *sweep_doubt(const json_t *warning);
/* The title, and a line for each code: how many steps have it, and the words of
 * the first one.  Nothing if there is none. */
void sweep_doubts(const struct sweep *s, const char *title,
                  enum table_format format, struct strbuf *out);

/* ---- sweep_check.c ---- */

/* Are all steps valid?  -EINVAL: one is not, which was printed. */
int sweep_check_steps(struct sweep *s, struct err *err);
/* -EEXIST: the steps would replace tables that exist. */
int sweep_check_data(struct sweep *s, struct err *err);

/* Can a file be written? */
int sweep_check_file(const char *name, struct err *err);
/* And the first files of steps? */
int sweep_check_files(const struct sweep *s, struct err *err);

/* ---- sweep_parts.c ---- */

/* The plan in which each part is a step. */
int sweep_parts_plan(struct sweep_plan *ret, const struct sweep_input *in,
                     struct err *err);

/* The table of all parts with their figures. */
void sweep_parts_table(const struct sweep *s, struct strbuf *out);

/* ---- sweep_args.c ---- */

/* A process of a step. */
struct sweep_process {
  size_t combination;
  const char *command; /* "run", "prepare" */
  const char *role;    /* [opt] --sweep-role */
  const char *json;    /* [opt] */
  const char *place;   /* [opt] --sweep-place */
  /* Number of the step with files of its own, from 1; 0: it has none. */
  size_t step;
  bool dry_run; /* cleanup only prints what it would drop */
};

/* Its arguments, owned by the caller, who frees them with sweep_args_free();
 * NULL: out of memory. */
char **sweep_args(const struct sweep *s, const struct sweep_process *p);
void sweep_args_free(char **args);

/* The file of a step. */
void sweep_file_name(const char *path, size_t step, struct strbuf *out);

/* The table of all steps, with best and knee. */
void sweep_table(const struct sweep *s, enum table_format format,
                 struct strbuf *out);

/* Write the file of the summary. */
int sweep_write_summary(const struct sweep *s, struct err *err);

/* The document of the whole sweep; NULL: out of memory. */
json_t *sweep_document(const struct sweep *s);

/* ---- sweep_step.c ---- */

/* Has the step succeeded, with figures? */
bool sweep_outcome_good(const struct sweep_outcome *o);

/* Run one command of a step in a process of its own. */
int sweep_command(struct sweep *s, const struct sweep_process *p,
                  struct child_command how, int *ret_status, struct err *err);

/* Copy a file with messages of a process to stderr. */
void sweep_show_file(FILE *from);

/* Run the next step. */
int sweep_step(struct sweep *s, size_t combination, size_t repeat,
               struct err *err);

/* Has nothing been run yet? */
bool sweep_is_first(const struct sweep *s);

/* Is there a reason why no step can follow: a signal, or a failed reset? */
bool sweep_is_over(const struct sweep *s);

/* Run everything that belongs to a step.  `step` is the number of the step, or
 * 0 for a reference, which has no files of its own. */
int sweep_perform(struct sweep *s, struct sweep_outcome *o, size_t step,
                  struct err *err);

/* ---- sweep_reset.c ---- */

/* Run --reset before a step.  If it fails, the user has been told, and
 * s->reset_status is set. */
int sweep_reset(struct sweep *s, const struct sweep_outcome *o,
                struct err *err);

/* ---- sweep_reference.c ---- */

/* How many there may be, and whether one is due after `step` of `all` steps. */
size_t sweep_references_max(const struct sweep *s);
bool sweep_reference_due(const struct sweep *s, size_t step, size_t all);

/* Run the first step once more, before step number `before`. */
int sweep_run_reference(struct sweep *s, size_t before, struct err *err);

/* The largest change against the first of the figures, and whose it is; NAN:
 * there are no two.  Those that are not above 0 do not count. */
double sweep_reference_drift(const double *figures, size_t n, size_t *ret_at);

/* A line below the table, the warning, and the list of the document. */
void sweep_references_table(const struct sweep *s, struct strbuf *out);
void sweep_references_warn(const struct sweep *s);
json_t *sweep_references(const struct sweep *s);

/* ---- sweep_data.c ---- */

/*
 * The largest change of the data against the first step, or against the first
 * one with the same values if each step prepares its own; NAN: not known.
 * *ret_step is the number of the step that found them so.
 */
double sweep_data_change(const struct sweep *s, size_t *ret_step);

/* Warn if the data have changed by more than SWEEP_DRIFT_SHARE. */
void sweep_data_warn(const struct sweep *s);

/* ---- sweep_spread.c ---- */

/* The components of the variance of a combination's events per second. */
struct variance sweep_spread(const struct sweep *s, size_t combination);

/* Best and knee among the combinations, or KNEE_NONE. */
void sweep_find_knee(const struct sweep *s, size_t *ret_best, size_t *ret_knee);

/* How throughput grows with threads or clients, if that is what is swept;
 * false: it is not, or there are too few steps. */
bool sweep_find_usl(const struct sweep *s, struct usl *ret);

#endif
