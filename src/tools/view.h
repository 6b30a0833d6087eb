/*
 * view.h - what a report shows: one result, or several side by side.
 */
#ifndef BENCH_TOOLS_VIEW_H
#define BENCH_TOOLS_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/groups.h"
#include "tools/result.h"

struct err;
struct find;
struct strbuf;
struct table;

enum {
  VIEW_RUNS_MAX = 8, /* whose intervals are drawn */
};

/* A run; of repeats, the one with the median. */
struct view_run {
  char *label; /* owned; short */
  const struct group *group;
  const struct result *run;
};

struct view {
  struct result_file *files; /* owned */
  struct groups *groups;     /* owned; of each file */
  char **names; /* owned; of each file, short, and different if paths are */
  size_t n_files;
  struct view_run *runs; /* owned; all groups of all files */
  size_t n_runs;
  struct find **finds; /* owned; of each file: its search, or NULL */
  bool has_find;       /* there is a search */
  bool has_parts;      /* the runs are of different tests: see view_part() */
};

/* -EINVAL: a file is no result, or they are of different tests. */
int view_init(struct view *ret, const char *const *paths, size_t n,
              struct err *err);
/* The same for one document in memory. */
int view_init_text(struct view *ret, const char *path, const char *text,
                   size_t len, struct err *err);
void view_done(struct view *v);

/* With parts: the runs of all files that are of the same part as run `i`, in
 * the order of the files; the view has no files.  1: there are some; 0: they
 * are those of an earlier run; -ENOMEM.  view_part_done() frees *ret, which `v`
 * must outlive. */
int view_part(const struct view *v, size_t i, struct view *ret,
              struct err *err);
void view_part_done(struct view *part);
/* Its name, borrowed. */
const char *view_part_name(const struct view *part);

/* Read and replay the search of a file; called by view_init().  -EINVAL: its
 * steps do not lead to its answer. */
int view_find_load(struct view *v, size_t file, struct err *err);
/* The answers in sentences, one per line. */
void view_find_answers(const struct view *v, struct strbuf *out);
void view_find_steps(const struct view *v, struct table *t);

/* The tables; one without rows is empty.  The summary has the percentiles that
 * were asked for, and some usual ones. */
void view_summary(const struct view *v, struct table *t);
/* A row for each member of each mix. */
void view_members(const struct view *v, struct table *t);
/* The figures that a test has named. */
void view_figures(const struct view *v, struct table *t);
void view_statements(const struct view_run *r, struct table *t);
/* Those of all its servers, as these count them. */
void view_server_statements(const struct view_run *r, struct table *t);
/* What sessions waited for at its servers. */
void view_server_waits(const struct view_run *r, struct table *t);
/* What coincides with dips of the throughput and peaks of the latency. */
void view_coincidences(const struct view *v, struct table *t);
void view_errors(const struct view *v, struct table *t);
void view_warnings(const struct view *v, struct table *t);
/* Times without service, and with little of it. */
void view_outages(const struct view *v, struct table *t);
/* What the experimenter has put on the time axis. */
void view_marks(const struct view *v, struct table *t);
/* The steps without a result; view_warnings() has them, too. */
void view_failed(const struct view *v, struct table *t);

/* What all results have in common, and what differs. */
void view_same_options(const struct view *v, struct table *t);
void view_other_options(const struct view *v, struct table *t);
void view_same_environment(const struct view *v, struct table *t);
void view_other_environment(const struct view *v, struct table *t);

#endif
