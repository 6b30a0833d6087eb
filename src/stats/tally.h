/*
 * tally.h - named counters and histograms of a test, and errors by code. Takes
 * totals, returns differences. One thread at a time.
 */
#ifndef BENCH_STATS_TALLY_H
#define BENCH_STATS_TALLY_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct tally;
struct value_sum;

struct error_count {
  char source[32]; /* the driver */
  char code[32];
  char state[8]; /* SQLSTATE, or "" */
  uint64_t count;
  char text[256]; /* of the first one */
};

/* Borrowed from the tally until its next use. */
struct named_count {
  const char *name;
  double sum;
};

struct named_values {
  const char *name, *unit; /* unit: "": none */
  const struct value_sum *values;
};

/* All known names, and the errors that occurred. */
struct tally_report {
  size_t n_counts, n_values, n_errors;
  const struct named_count *count;
  const struct named_values *values;
  const struct error_count *error;
};

int tally_new(struct tally **ret, struct err *err);
void tally_free(struct tally *t);

/* Starts a new moment with zeroes. Names without memory are left out. */
void tally_clear(struct tally *t);
void tally_count(struct tally *t, const char *name, double n);
/* NULL: no memory. The first unit of a name is kept. */
struct value_sum *tally_values(struct tally *t, const char *name,
                               const char *unit);
void tally_error(struct tally *t, const struct error_count *e);

void tally_restart(struct tally *t);
/* Since the last call of tally_interval() or tally_restart(). */
void tally_interval(struct tally *t, struct tally_report *ret);
/* Since the last restart, or the beginning. */
void tally_total(struct tally *t, struct tally_report *ret);

#endif
