/*
 * wear.h - how much the device below the files has written: sectors per disk
 * and partition, of all programs, but not what a disk does inside. Devices on
 * others (device mapper, RAID) are replaced by those.
 */
#ifndef BENCH_TESTS_FILEIO_WEAR_H
#define BENCH_TESTS_FILEIO_WEAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct facts;
struct worker;

/* Steady: the last windows differ little and show no trend, as in
 * specifications of storage tests. */

enum {
  STEADY_WINDOWS = 5 /* compared */
};

struct steady_state {
  double mean;  /* events per second */
  double range; /* highest - lowest, by the mean */
  double slope; /* of the fitted line, by the mean */
};

struct steady {
  double limit; /* of range and slope */
  uint64_t window_ns;

  /* Of the first worker. */
  double rate[STEADY_WINDOWS]; /* a ring */
  unsigned n;
  uint64_t start_ns; /* of the window, or 0 */
  uint64_t before;   /* events */

  _Atomic bool reached; /* by all workers */
};

void steady_init(struct steady *s, double percent, double window_s);

/* False: too few windows. */
bool steady_look(const struct steady *s, struct steady_state *ret);

void steady_add(struct steady *s, double rate);

/* Between events. False: steady, the worker can leave. */
bool steady_goes_on(struct steady *s, const struct worker *w);

/* After the run. */
void steady_tell(const struct steady *s);
void steady_facts(const struct steady *s, struct facts *to);

enum {
  WEAR_DEVICES_MAX = 32,
  WEAR_NAME_MAX = 64,
};

struct wear {
  const char *root; /* borrowed; "" except in tests */
  char name[WEAR_NAME_MAX];
  unsigned n; /* 0: unknown */
  char below[WEAR_DEVICES_MAX][WEAR_NAME_MAX];
  const char *unknown; /* why; NULL: known */
  uint64_t before;

  /* By the last worker. */
  _Atomic uint64_t test_bytes, device_bytes;
  _Atomic unsigned left; /* running workers */
};

/* Of the file system or device of this number. */
void wear_find(struct wear *w, const char *root, dev_t number);

void wear_start(struct wear *w, unsigned workers);

/* Any thread. */
void wear_add(struct wear *w, uint64_t bytes);

/* So far. False: unknown. */
bool wear_read(const struct wear *w, uint64_t *ret_bytes);

void wear_tell(const struct wear *w);
void wear_facts(const struct wear *w, struct facts *to);

#endif
