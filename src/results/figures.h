/*
 * figures.h - the figures of a run, one row each, for JSON, CSV, Prometheus and
 * the live page.
 *
 * A form omits rows without a name for it.
 */
#ifndef BENCH_RESULTS_FIGURES_H
#define BENCH_RESULTS_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/machine/pressure.h"
#include "base/machine/sampler.h"

struct hist_sum;
struct report;
struct report_setup;
struct run_start;

enum figure_type {
  FIGURE_NONE, /* no such field */
  FIGURE_BOOL,
  FIGURE_UNSIGNED,
  FIGURE_U64,
  FIGURE_DOUBLE,
};

/* A field, and its bool "is known"; FIGURE_KNOWN: always. */
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

/* NAN: unknown. */
double figure_field(const struct figure_field *f, const void *of);

enum figure_source {
  FIGURE_OF_REPORT,  /* of struct report */
  FIGURE_OF_MACHINE, /* of struct system_use */
  /* Places in the order of rows: */
  FIGURE_OWN,         /* JSON: of the test */
  FIGURE_LATENCIES,   /* JSON */
  FIGURE_PERCENTILES, /* CSV: the usual percentiles */
  FIGURE_END,
};

enum figure_when {
  FIGURE_ALWAYS,
  FIGURE_RATED,
  FIGURE_INTERVAL,
  FIGURE_FORCED,
};

/* Counters of the machine. */
struct figure_counts {
  struct system_counts system;
  struct pressure_counts pressure;
};

struct figure {
  enum figure_source source;
  enum figure_when when;
  const char *group, *key; /* JSON: group in "system", and key */
  const char *column;      /* CSV */
  int decimals;            /* CSV, of reals */
  const char *live;        /* live page */
  bool live_per_s;         /* shows the rate */

  struct figure_field of;
  double unit;   /* divisor; 0: none */
  bool positive; /* 0 is unknown */
  /* [opt] instead of `of` */
  double (*value)(const struct report *r);

  /* Prometheus: family without "bench_", labels, help.  The value comes from
   * the sums since the start, or from struct figure_counts. */
  const char *metric, *labels, *help;
  bool level; /* a gauge */
  struct figure_field count;
  double count_unit;
  int metric_decimals; /* 0: shortest */
};

extern const struct figure figures[];
#define FOR_EACH_FIGURE(f) \
  for (const struct figure *f = figures; f->source != FIGURE_END; f++)

enum {
  FIGURES_USUAL = 7
};

extern const double figures_usual[FIGURES_USUAL];
/* The usual ones, and the user's, which can repeat them. */
size_t figures_percentile_count(const struct report_setup *setup);
double figures_percentile(const struct report_setup *setup, size_t i);

/* NAN: unknown, or not in the report.  `sys` [opt]. */
double figure_value(const struct figure *f, const struct report *r,
                    const struct report_setup *setup,
                    const struct system_use *sys);
bool figure_is_whole(const struct figure *f);

/* Sums of all workers since the start; `hist` gets the latencies.  Any
 * thread, while workers run. */
void figures_sums(const struct run_start *start, struct hist_sum *hist,
                  struct report *ret);

#endif
