/*
 * sweep_internal.h - what sweep.c, sweep_step.c and sweep_table.c share.
 */
#ifndef BENCH_TOOLS_SWEEP_INTERNAL_H
#define BENCH_TOOLS_SWEEP_INTERNAL_H

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/outfile.h"
#include "tools/child.h"
#include "tools/find.h"
#include "tools/result.h"
#include "tools/sweep.h"
#include "tools/sweep_plan.h"
#include "tools/table.h"

struct sweep_outcome {
  size_t combination, repeat;
  int status;
  const char *failed;        /* the failed command; NULL: none */
  bool missed;               /* the objective */
  struct result_file result; /* json NULL: none */
};

struct sweep_reference {
  size_t before; /* number of a step */
  struct sweep_outcome outcome;
};

#define SWEEP_DRIFT_SHARE 0.05

struct sweep {
  const struct sweep_input *in;
  struct sweep_plan plan;
  struct children children;
  bool prepares;              /* cleanup and prepare around each step */
  FILE *text;                 /* stdout or stderr */
  char *folder;               /* owned; for temporary files */
  struct whole_file document; /* open at once unless a regular file */

  struct find find;    /* of a search */
  struct strbuf extra; /* of a search: options, in lines */

  struct sweep_outcome *outcomes; /* owned; in the order of execution */
  size_t n_outcomes;
  uint64_t steps_ns; /* duration of all outcomes */

  struct sweep_reference *references; /* owned */
  size_t n_references;
  int reset_status; /* of a failed --sweep-reset, which ends the sweep */
};

static inline bool sweep_has_parts(const struct sweep *s)
{
  return s->in->n_parts > 0;
}

static inline bool sweep_finds(const struct sweep *s)
{
  return s->find.rules.what != SEARCH_OFF;
}

static inline size_t sweep_steps(const struct sweep *s)
{
  return s->plan.n_combinations * s->plan.repeats;
}

static inline int sweep_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "not enough memory for the sweep");
}

/* ---- sweep.c ---- */

bool sweep_find_explained(const struct sweep *s, const struct sweep_outcome *o);

/* The largest change against the first of the figures, and its place; NAN:
 * fewer than two are above 0. */
double sweep_reference_drift(const double *figures, size_t n, size_t *ret_at);

/*
 * The largest change of the data against the first step, or, if each step
 * prepares its own, against the first with the same values; *ret_step is the
 * step's number.  NAN: not known.
 */
double sweep_data_change(const struct sweep *s, size_t *ret_step);

/* ---- sweep_step.c ---- */

/* -EINVAL: a step is not valid; printed. */
int sweep_check_steps(struct sweep *s, struct err *err);
/* -EEXIST: steps would replace tables. */
int sweep_check_data(struct sweep *s, struct err *err);
int sweep_check_file(const char *name, struct err *err);
int sweep_check_files(const struct sweep *s, struct err *err);

bool sweep_outcome_good(const struct sweep_outcome *o);

bool sweep_is_first(const struct sweep *s);

bool sweep_is_over(const struct sweep *s);

int sweep_step(struct sweep *s, size_t combination, size_t repeat,
               struct err *err);

/* `step`: its number; 0: a reference, which has no files of its own. */
int sweep_perform(struct sweep *s, struct sweep_outcome *o, size_t step,
                  struct err *err);

/* A failure is printed and sets s->reset_status. */
int sweep_reset(struct sweep *s, const struct sweep_outcome *o,
                struct err *err);

/* ---- sweep_table.c ---- */

/* The code of a warning that makes the figures of a search doubtful, or NULL.
 */
const char *sweep_doubt(const json_t *warning);
/* The title, and a line per code: the number of steps with it, and the text
 * of the first.  Nothing without a code. */
void sweep_doubts(const struct sweep *s, const char *title,
                  enum table_format format, struct strbuf *out);

void sweep_table(const struct sweep *s, enum table_format format,
                 struct strbuf *out);
void sweep_parts_table(const struct sweep *s, struct strbuf *out);

/* NULL: out of memory. */
json_t *sweep_document(const struct sweep *s);

int sweep_write_summary(const struct sweep *s, struct err *err);

#endif
