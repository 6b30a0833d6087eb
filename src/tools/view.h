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

/* Of repeats: the run with the median. */
struct view_run {
  char *label; /* owned; short */
  const struct group *group;
  const struct result *run;
};

struct view {
  struct result_file *files; /* owned */
  struct groups *groups;     /* owned; of each file */
  char **names;              /* owned; of each file */
  size_t n_files;
  struct view_run *runs; /* owned; all groups of all files */
  size_t n_runs;
  struct find **finds; /* owned; of each file; its search, or NULL */
  bool has_find;
  bool has_parts; /* see view_part() */
};

/* -EINVAL: not a result, or of different tests. */
int view_init(struct view *ret, const char *const *paths, size_t n,
              struct err *err);
int view_init_text(struct view *ret, const char *path, const char *text,
                   size_t len, struct err *err);
void view_done(struct view *v);

/* With parts: the runs of all files of the same part as run `i`, in the
 * order of the files; the view has no files.  1: filled in; 0: an earlier
 * run is of this part; -ENOMEM.  view_part_done() frees *ret; `v` must
 * outlive it. */
int view_part(const struct view *v, size_t i, struct view *ret,
              struct err *err);
void view_part_done(struct view *part);
/* Borrowed. */
const char *view_part_name(const struct view *part);

/* Reads and replays the search of a file.  -EINVAL: its steps do not lead to
 * its answer. */
int view_find_load(struct view *v, size_t file, struct err *err);
/* In sentences, one per line. */
void view_find_answers(const struct view *v, struct strbuf *out);
void view_find_steps(const struct view *v, struct table *t);

/* Tables; empty without rows.  The summary has the percentiles asked for,
 * and some usual ones. */
void view_summary(const struct view *v, struct table *t);
/* A row per member of each mix. */
void view_members(const struct view *v, struct table *t);
void view_figures(const struct view *v, struct table *t);
void view_statements(const struct view_run *r, struct table *t);
void view_server_statements(const struct view_run *r, struct table *t);
void view_server_waits(const struct view_run *r, struct table *t);
/* What coincides with dips of the throughput and peaks of the latency. */
void view_coincidences(const struct view *v, struct table *t);
void view_errors(const struct view *v, struct table *t);
void view_warnings(const struct view *v, struct table *t);
/* Times with little or no service. */
void view_outages(const struct view *v, struct table *t);
void view_marks(const struct view *v, struct table *t);
/* Steps without a result, which view_warnings() has, too. */
void view_failed(const struct view *v, struct table *t);

void view_same_options(const struct view *v, struct table *t);
void view_other_options(const struct view *v, struct table *t);
void view_same_environment(const struct view *v, struct table *t);
void view_other_environment(const struct view *v, struct table *t);

#endif
