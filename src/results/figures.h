/*
 * figures.h - the figures of a run, one row each.  JSON, CSV, Prometheus and
 * the live page are written from these rows, so a new figure is a new row.
 *
 * A figure that a row has no name for is missing in that form of results.
 */
#ifndef BENCH_RESULTS_FIGURES_H
#define BENCH_RESULTS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/pressure.h"
#include "machine/sampler.h"

struct hist_sum;
struct report;
struct report_setup;
struct run_start;

enum figure_type {
  FIGURE_NONE, /* there is no such field */
  FIGURE_BOOL,
  FIGURE_UNSIGNED,
  FIGURE_U64,
  FIGURE_DOUBLE,
};

/* A field of a struct, and the field of type bool that is true if the value is
 * known; FIGURE_KNOWN: it always is. */
struct figure_field {
  uint8_t type; /* enum figure_type */
  uint16_t at, known;
};

#define FIGURE_KNOWN UINT16_MAX
#define FIGURE_FIELD(type, field, known) \
  {                                      \
    _Generic(((type *)0)->field, bool    \
             : FIGURE_BOOL, unsigned     \
             : FIGURE_UNSIGNED, uint64_t \
             : FIGURE_U64, double        \
             : FIGURE_DOUBLE),           \
      offsetof(type, field), known       \
  }

/* The value of a field of `of`; NAN: unknown. */
double figure_field(const struct figure_field *f, const void *of);

enum figure_source {
  FIGURE_OF_REPORT,  /* `of` is a field of struct report */
  FIGURE_OF_MACHINE, /* `of` is a field of struct system_use */
  /* Not figures but places in the order of the others: */
  FIGURE_OWN,         /* in JSON: what only this test has */
  FIGURE_LATENCIES,   /* in JSON: the object of latencies */
  FIGURE_PERCENTILES, /* in CSV: the columns of the usual percentiles */
  FIGURE_END,         /* after the last figure */
};

/* When does a report have the figure? */
enum figure_when {
  FIGURE_ALWAYS,
  FIGURE_RATED,    /* with --rate */
  FIGURE_INTERVAL, /* in intervals */
  FIGURE_FORCED,   /* after a forced end */
};

/* The machine's counters since its start. */
struct figure_counts {
  struct system_counts system;
  struct pressure_counts pressure;
};

struct figure {
  enum figure_source source;
  enum figure_when when;
  const char *group, *key; /* JSON: the group in "system", and the key */
  const char *column;      /* CSV */
  int decimals;            /* in CSV, of reals */
  const char *live;        /* key of the live page */
  bool live_per_s;         /* the live page gets the value per second */

  struct figure_field of;
  double unit;   /* what the field is divided by; 0: by nothing */
  bool positive; /* 0 means that the value is unknown */
  /* [opt] instead of `of` */
  double (*value)(const struct report *r);

  /* Prometheus: the family without "bench_", labels, and help.  The value is
   * that of the report with the sums since the start, or `count`, a field of
   * struct figure_counts. */
  const char *metric, *labels, *help;
  bool level; /* the metric rises and falls */
  struct figure_field count;
  double count_unit;
  int metric_decimals; /* 0: as many as needed */
};

extern const struct figure figures[];
#define FOR_EACH_FIGURE(f) \
  for (const struct figure *f = figures; f->source != FIGURE_END; f++)

enum {
  FIGURES_USUAL = 7
};

/* The percentiles that all latencies have. */
extern const double figures_usual[FIGURES_USUAL];
/* These, and those that the user asked for, which may be among them. */
size_t figures_percentile_count(const struct report_setup *setup);
double figures_percentile(const struct report_setup *setup, size_t i);

/* The value; NAN: it is unknown, or such a report has none.  `sys` may be NULL:
 * nothing is known of the machine. */
double figure_value(const struct figure *f, const struct report *r,
                    const struct report_setup *setup,
                    const struct system_use *sys);
/* Is it a whole number? */
bool figure_is_whole(const struct figure *f);

/* Make a report with the sums over all workers since the start.  `hist` gets
 * their latencies.  Any thread may call while workers run. */
void figures_sums(const struct run_start *start, struct hist_sum *hist,
                  struct report *ret);

#endif
