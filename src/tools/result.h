/*
 * result.h - reads result documents (JSON): a run, or the steps of a sweep with
 * a run each.
 *
 * No content crashes these functions: a missing value is NAN, NULL or an empty
 * list.
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
#define RESULT_SCHEMA_SWEEP "bench-sweep/1" /* with a run in each step */

struct result_interval {
  double end_s; /* since the measured start */
  double period_s;
  double events, queries, errors;
  double mean_ns;     /* NAN without events */
  bool partial;       /* shorter than the others */
  const json_t *json; /* borrowed */
};

/* Pointers into the file. */
struct result {
  const char *path;
  const json_t *json;

  const char *test, *version;
  double threads, period_s;
  double events, events_per_s;
  double queries_per_s; /* NAN: no database */
  double errors;
  double min_ns, mean_ns, max_ns;
  double cpu_per_event_ns, cpus_used; /* of the client */

  struct result_interval *intervals; /* owned */
  size_t n_intervals;
  /* Equal parts of the measured time, without `json` and errors. */
  struct result_interval *slices; /* owned */
  size_t n_slices;
};

struct result_step {
  size_t combination;   /* equal values, equal number */
  const json_t *values; /* { option: text }; borrowed */
  int exit_status;
  struct result *run; /* owned; NULL: no result */
};

struct result_file {
  const char *path; /* borrowed */
  json_t *json;     /* owned */
  bool is_sweep;
  bool has_parts;            /* steps are different tests */
  struct result run;         /* unless a sweep */
  struct result_step *steps; /* owned */
  size_t n_steps;
  size_t n_combinations;
};

/* -EINVAL: not a result of a known version; other codes: cannot be read. */
int result_load(struct result_file *ret, const char *path, struct err *err);
/* From memory; `path` is for messages. */
int result_load_text(struct result_file *ret, const char *path,
                     const char *text, size_t len, struct err *err);
/* `json` is taken over, also after an error. */
int result_load_json(struct result_file *ret, const char *path, json_t *json,
                     struct err *err);
void result_file_done(struct result_file *f);

/* "bench database", of a file with parts. */
const char *result_file_tool(const struct result_file *f);
/* -EINVAL: different versions of the protocol of bench database, or only one
 * follows it. */
int result_file_check_pair(const struct result_file *a,
                           const struct result_file *b, struct err *err);

/* In nanoseconds; `key` is "95", "99.9". */
double result_percentile(const struct result *r, const char *key);
double result_interval_percentile(const struct result_interval *i,
                                  const char *key);

/* NULL: missing or damaged.  Free with hist_sum_free(). */
struct hist_sum *result_histogram(const struct result *r);

struct hist_sum *result_class_histogram(const struct result *r,
                                        const char *name);

/* Appends the value as on a command line. */
bool result_option(const struct result *r, const char *name,
                   struct strbuf *out);

/* `path` is "run.start_time", or "servers.0.commits" with a place in a list. */
const json_t *result_at(const json_t *json, const char *path);
double result_number_at(const json_t *json, const char *path);    /* or NAN */
const char *result_text_at(const json_t *json, const char *path); /* or NULL */
/* The object of a list with this "name", or NULL. */
const json_t *result_named(const json_t *list, const char *name);

#endif
