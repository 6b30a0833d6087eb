/*
 * tally.h - the counts of a test besides its events: counters and histograms
 * with names, and errors by their code.
 *
 * A tally is filled with the numbers of a moment, again and again.  It keeps
 * those of earlier moments and returns the differences.  One thread at a time
 * uses it.
 */
#ifndef BENCH_STATS_TALLY_H
#define BENCH_STATS_TALLY_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct tally;
struct value_sum;

/* An error of the system under test, counted by its code. */
struct error_count {
  char source[32]; /* the driver */
  char code[32];   /* the driver's own number or word */
  char state[8];   /* SQLSTATE, or "" */
  uint64_t count;
  char text[256]; /* text of the first one */
};

/* Borrowed from the tally until it is used again, like the lists. */
struct named_count {
  const char *name;
  double sum;
};

struct named_values {
  const char *name, *unit; /* unit: "" if there is none */
  const struct value_sum *values;
};

/* A period: all names that are known, and the errors that occurred. */
struct tally_report {
  size_t n_counts, n_values, n_errors;
  const struct named_count *count;
  const struct named_values *values;
  const struct error_count *error;
};

int tally_new(struct tally **ret, struct err *err);
void tally_free(struct tally *t);

/*
 * Begin a new moment: everything is 0 until it is added.  Names for which there
 * is no memory are left out.
 */
void tally_clear(struct tally *t);
void tally_count(struct tally *t, const char *name, double n);
/* Returns the place to add to; NULL when out of memory.  The first unit of a
 * name is kept. */
struct value_sum *tally_values(struct tally *t, const char *name,
                               const char *unit);
void tally_error(struct tally *t, const struct error_count *e);

/* Periods begin at this moment. */
void tally_restart(struct tally *t);
/* The interval from the last call of either function to this moment; the next
 * one begins. */
void tally_interval(struct tally *t, struct tally_report *ret);
/* The time from the last restart to this moment; without one, from the
 * beginning. */
void tally_total(struct tally *t, struct tally_report *ret);

#endif
