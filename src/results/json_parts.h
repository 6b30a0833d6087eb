/*
 * json_parts.h - parts of the results as JSON values.
 *
 * All functions return a new value, or NULL when memory ran out.
 */
#ifndef BENCH_RESULTS_JSON_PARTS_H
#define BENCH_RESULTS_JSON_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct class_report;
struct client_use;
struct correlations;
struct warnings;
struct error_count;
struct facts;
struct figure;
struct hist_sum;
struct jobj;
struct marks;
struct monitor;
struct decision_result;
struct optset;
struct outage_report;
struct report;
struct report_setup;
struct results_shared;
struct slices;
struct slo_verdict;
struct storm_report;
struct run_end;
struct run_start;
struct server_reading;
struct server_waits;
struct system_use;

/* Latencies: numbers that are known exactly, and their histogram. */
struct latency {
  uint64_t count, sum_ns, min_ns, max_ns;
  const struct hist_sum *hist; /* NULL: neither percentiles nor histogram */
  bool brief;                  /* without the histogram */
};

/* All in nanoseconds; percentiles are the usual ones and those that the user
 * asked for. */
json_t *json_latency(const struct latency *l, const struct report_setup *setup);
json_t *json_class_latency(const struct class_report *c,
                           const struct report_setup *setup, bool brief);

/* Errors and how often they came; the texts only if asked for. */
json_t *json_error_counts(const struct error_count *of, size_t n,
                          bool with_text);

/* A figure of the table, as a number or a bool. */
void json_add_figure(struct jobj *o, const char *key, const struct figure *f,
                     double value);

/* What a server did, and what its sessions waited for, the most frequent waits
 * first. */
void json_add_metrics(struct jobj *o, const struct server_reading *r);
json_t *json_waits(const struct server_waits *w, unsigned max);

enum {
  /* With more classes, an interval of a document has no histograms of classes:
   * they would be most of it. */
  JSON_CLASSES_WHOLE = 4,
  /* An interval has the most frequent waits of a server.  What is not in a list
   * of so many is unknown, not 0. */
  JSON_WAITS_SHOWN = 8,
};

/* The object of an interval, a checkpoint or the whole run; `sys` may be NULL.
 * `brief`: classes of operations have no histograms. */
json_t *json_report(const struct report *r, const struct report_setup *setup,
                    const struct system_use *sys, bool brief);

/* An interval with the machine and the servers. */
json_t *json_interval(const struct report *r, const struct report_setup *setup,
                      const struct results_shared *shared, bool brief);

/* Call correlations_judge() before. */
json_t *json_correlations(const struct correlations *c);

/* What the servers did in all. */
json_t *json_servers(struct monitor *m);

/* The members of the document. */
json_t *json_tool(const char *name, const char *version);
json_t *json_facts(const struct facts *f);
json_t *json_options(const struct optset *set);
json_t *json_run(const struct run_start *start, const struct run_end *end,
                 const char *test);
json_t *json_classes(const struct report *r, const struct report_setup *setup,
                     bool brief);
/* The members of a mix. */
json_t *json_members(const struct report *r, const struct report_setup *setup,
                     bool brief);
json_t *json_threads(const struct report *total);
json_t *json_client(const struct client_use *use, uint64_t events);
/* The ranks of a run that has several. */
json_t *json_ranks(const struct run_end *end, const struct report_setup *setup);
json_t *json_warnings(const struct warnings *warnings);
/* The verdict on the objective. */
json_t *json_slo(const struct slo_verdict *v);
/* Times without service. */
json_t *json_outages(const struct outage_report *r);
/* Clients that came all at once. */
json_t *json_storms(const struct storm_report *of, unsigned n);
/* Marks `from` up to but not including `to`. */
json_t *json_marks(const struct marks *m, unsigned from, unsigned to);
/* What was decided about the objective while the run went on. */
json_t *json_decision(const struct decision_result *r);
/* The measured part in slices. */
json_t *json_slices(const struct slices *s);
/* Without the arrivals, which become known later. */
json_t *json_rate(const struct report *total, const struct report_setup *setup);

#endif
