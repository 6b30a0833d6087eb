/*
 * json_parts.h - parts of results as JSON.
 *
 * Functions return a new value; NULL: out of memory.
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

struct latency {
  uint64_t count, sum_ns, min_ns, max_ns;
  const struct hist_sum *hist; /* NULL: no percentiles, no histogram */
  bool brief;                  /* without the histogram */
};

/* Nanoseconds; usual and the user's percentiles. */
json_t *json_latency(const struct latency *l, const struct report_setup *setup);
json_t *json_class_latency(const struct class_report *c,
                           const struct report_setup *setup, bool brief);

/* With counts; texts only if asked for. */
json_t *json_error_counts(const struct error_count *of, size_t n,
                          bool with_text);

/* A number or a bool. */
void json_add_figure(struct jobj *o, const char *key, const struct figure *f,
                     double value);

/* Counters, and waits of sessions, most frequent first. */
void json_add_metrics(struct jobj *o, const struct server_reading *r);
json_t *json_waits(const struct server_waits *w, unsigned max);

enum {
  /* Intervals with more classes have no histograms of classes. */
  JSON_CLASSES_WHOLE = 4,
  /* Of an interval; others are unknown, not 0. */
  JSON_WAITS_SHOWN = 8,
};

/* `sys` [opt].  `brief`: classes without histograms. */
json_t *json_report(const struct report *r, const struct report_setup *setup,
                    const struct system_use *sys, bool brief);

json_t *json_interval(const struct report *r, const struct report_setup *setup,
                      const struct results_shared *shared, bool brief);

/* After correlations_judge(). */
json_t *json_correlations(const struct correlations *c);

json_t *json_servers(struct monitor *m);

json_t *json_tool(const char *name, const char *version);
json_t *json_facts(const struct facts *f);
json_t *json_options(const struct optset *set);
json_t *json_run(const struct run_start *start, const struct run_end *end,
                 const char *test);
json_t *json_classes(const struct report *r, const struct report_setup *setup,
                     bool brief);
json_t *json_members(const struct report *r, const struct report_setup *setup,
                     bool brief);
json_t *json_threads(const struct report *total);
json_t *json_client(const struct client_use *use, uint64_t events);
json_t *json_ranks(const struct run_end *end, const struct report_setup *setup);
json_t *json_warnings(const struct warnings *warnings);
json_t *json_slo(const struct slo_verdict *v);
json_t *json_outages(const struct outage_report *r);
json_t *json_storms(const struct storm_report *of, unsigned n);
/* `to` is excluded. */
json_t *json_marks(const struct marks *m, unsigned from, unsigned to);
json_t *json_decision(const struct decision_result *r);
json_t *json_slices(const struct slices *s);
/* Without arrivals, which are known later. */
json_t *json_rate(const struct report *total, const struct report_setup *setup);

#endif
