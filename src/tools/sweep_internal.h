/*
 * sweep_internal.h - what the files of a sweep share.
 */
#ifndef BENCH_TOOLS_SWEEP_INTERNAL_H
#define BENCH_TOOLS_SWEEP_INTERNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "results/outfile.h"
#include "tools/child.h"
#include "tools/result.h"
#include "tools/sweep.h"
#include "tools/sweep_plan.h"
#include "tools/table.h"

struct err;
struct strbuf;
struct usl;

/* The outcome of a step. */
struct sweep_outcome {
  size_t combination, repeat;
  int status;                /* of the process that failed, or of the run */
  const char *failed;        /* NULL, or the command that failed: "prepare" */
  bool missed;               /* the run succeeded, but not its objective */
  struct result_file result; /* json NULL: there is none */
};

struct sweep {
  const struct sweep_input *in;
  struct sweep_plan plan;
  struct children children;
  bool prepares; /* cleanup and prepare around each step */
  FILE *text;    /* where text goes: stdout or stderr */
  char *folder;  /* owned; for temporary files; NULL until it is made */
  /* Already open before the end if it is not a regular file. */
  struct whole_file document;

  struct sweep_outcome *outcomes; /* owned; in the order of execution */
  size_t n_outcomes;
};

/* Are the steps parts, each with a test of its own? */
static inline bool sweep_has_parts(const struct sweep *s)
{
  return s->in->n_parts > 0;
}

/* The plan in which each part is a step. */
int sweep_parts_plan(struct sweep_plan *ret, const struct sweep_input *in,
                     struct err *err);

/* The table of all parts with their figures. */
void sweep_parts_table(const struct sweep *s, struct strbuf *out);

/* Has the step succeeded, with figures? */
bool sweep_outcome_good(const struct sweep_outcome *o);

/* A process of a step. */
struct sweep_process {
  size_t combination;
  const char *command; /* "run", "prepare" */
  const char *role;    /* [opt] --sweep-role */
  const char *json;    /* [opt] */
  /* Number of the step with files of its own, from 1; 0: it has none. */
  size_t step;
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

/* Best and knee among the combinations, or KNEE_NONE. */
void sweep_find_knee(const struct sweep *s, size_t *ret_best, size_t *ret_knee);

/* How throughput grows with threads or clients, if that is what is swept;
 * false: it is not, or there are too few steps. */
bool sweep_find_usl(const struct sweep *s, struct usl *ret);

#endif
