/*
 * result.h - reads result documents (JSON).
 *
 * A file holds one run, or the steps of a sweep, each with a run of its own.
 * Whatever a file contains, the functions here do not crash: a missing value is
 * NAN, NULL or an empty list.
 */
#ifndef BENCH_TOOLS_RESULT_H
#define BENCH_TOOLS_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct hist_sum;
struct strbuf;

#define RESULT_SCHEMA "bench/1"             /* a run */
#define RESULT_SCHEMA_SWEEP "bench-sweep/1" /* with runs in its steps */

/* One interval; times in seconds or nanoseconds as named. */
struct result_interval {
  double end_s;    /* since the measured start */
  double period_s; /* its length */
  double events, queries, errors;
  double mean_ns;     /* NAN without events */
  bool partial;       /* the last one, shorter than the others */
  const json_t *json; /* borrowed */
};

/* One run.  All pointers are borrowed from the file. */
struct result {
  const char *path;
  const json_t *json; /* the document of the run */

  const char *test, *version;
  double threads, period_s;
  double events, events_per_s;
  double queries_per_s; /* NAN: no database */
  double errors;
  double min_ns, mean_ns, max_ns;
  double cpu_per_event_ns, cpus_used; /* of the client itself */

  struct result_interval *intervals; /* owned */
  size_t n_intervals;
  /* The measured part in parts of about equal length: without `json`, and
   * errors are unknown. */
  struct result_interval *slices; /* owned */
  size_t n_slices;
};

/* A step of a sweep. */
struct result_step {
  size_t combination;   /* steps with the same values have the same number */
  const json_t *values; /* { option: text }; borrowed */
  int exit_status;
  struct result *run; /* owned; NULL: there is no result */
};

struct result_file {
  const char *path; /* borrowed */
  json_t *json;     /* owned */
  bool is_sweep;
  bool has_parts;            /* a sweep whose steps are different tests */
  struct result run;         /* if it is no sweep */
  struct result_step *steps; /* owned */
  size_t n_steps;
  size_t n_combinations;
};

/*
 * Returns -EINVAL if this is no result of this program, or one that this
 * version cannot read; other codes if it cannot be read at all.  `err` names
 * the file.
 */
int result_load(struct result_file *ret, const char *path, struct err *err);
/* The same for text in memory; `path` is what messages call it. */
int result_load_text(struct result_file *ret, const char *path,
                     const char *text, size_t len, struct err *err);
void result_file_done(struct result_file *f);

/* Read a document that is in memory; `json` must outlive *ret. */
int result_read(struct result *ret, const char *path, const json_t *json,
                struct err *err);
void result_done(struct result *r);

/* The percentile of a latency object, in nanoseconds; `key` is "95", "99.9". */
double result_percentile(const struct result *r, const char *key);
double result_interval_percentile(const struct result_interval *i,
                                  const char *key);

/* The latencies of the whole run; NULL: there is no histogram, or it cannot be
 * read.  The caller frees it with hist_sum_free(). */
struct hist_sum *result_histogram(const struct result *r);

/* The same of a class of operations, by its name. */
struct hist_sum *result_class_histogram(const struct result *r,
                                        const char *name);

/* Appends the value of an option, in the form of a command line; false: it has
 * none. */
bool result_option(const struct result *r, const char *name,
                   struct strbuf *out);

/* Values somewhere in a document: `path` is "run.start_time"; a number is a
 * place in a list, as in "servers.0.commits". */
const json_t *result_at(const json_t *json, const char *path);
double result_number_at(const json_t *json, const char *path);    /* or NAN */
const char *result_text_at(const json_t *json, const char *path); /* or NULL */

#endif
