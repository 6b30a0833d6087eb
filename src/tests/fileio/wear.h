/*
 * wear.h - how much the device below the files has written, to compare it with
 * what the test wrote.
 *
 * The system counts the sectors of each disk and partition.  A device that lies
 * on others (device mapper, RAID) is replaced by these.  The counts are of the
 * whole device or partition, so other programs that write there are in them;
 * what a disk does inside is not.
 */
#ifndef BENCH_TESTS_FILEIO_WEAR_H
#define BENCH_TESTS_FILEIO_WEAR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct facts;
struct fileio;
struct worker;

/* ---- steady ---- */

/*
 * Detects when the throughput is steady.  As in specifications of storage
 * tests, it is when the last windows differ little and show no trend.
 */

enum {
  STEADY_WINDOWS = 5 /* number of windows compared */
};

/* The figures of the last windows. */
struct steady_state {
  double mean;  /* events per second */
  double range; /* highest - lowest, as a share of the mean */
  double slope; /* change of the fitted line over the windows, as a share of
                 * the mean; may be negative */
};

struct steady {
  /* Constant while workers exist. */
  double limit; /* for range and slope, as a share of the mean */
  uint64_t window_ns;

  /* Used by the first worker only. */
  double rate[STEADY_WINDOWS]; /* a ring; [n % STEADY_WINDOWS] is next */
  unsigned n;                  /* windows so far */
  uint64_t start_ns;           /* of the current window, or 0 */
  uint64_t before;             /* events before it */

  _Atomic bool reached; /* read by all workers */
};

void steady_init(struct steady *s, double percent, double window_s);

/* Compute the figures of the last windows; false: there were too few. */
bool steady_look(const struct steady *s, struct steady_state *ret);

/* Add a window that has ended, with this many events per second. */
void steady_add(struct steady *s, double rate);

/*
 * Call this between events; false: the throughput is steady, and the worker can
 * leave.
 */
bool steady_goes_on(struct steady *s, const struct worker *w);

/*
 * Call this after the run: print whether the throughput became steady, with the
 * figures of the last windows, and add them to the structured results.
 */
void steady_tell(const struct steady *s);
void steady_facts(const struct steady *s, struct facts *to);

enum {
  WEAR_DEVICES_MAX = 32,
  WEAR_NAME_MAX = 64,
};

struct wear {
  const char *root;         /* borrowed; of the tree of files, "" in a run */
  char name[WEAR_NAME_MAX]; /* of the device that holds the files */
  unsigned n;               /* devices below it, or itself; 0: unknown */
  char below[WEAR_DEVICES_MAX][WEAR_NAME_MAX];
  const char *unknown; /* why there is no figure; NULL: there is one */
  uint64_t before;     /* bytes */

  /* The result; the last worker writes it. */
  _Atomic uint64_t test_bytes, device_bytes;
  _Atomic unsigned left; /* workers that have not ended */
};

/* Finds the devices below a file system or device with this number. */
void wear_find(struct wear *w, const char *root, dev_t number);

/* Begins to count, for so many workers. */
void wear_start(struct wear *w, unsigned workers);

/* A worker has written so much, and it is on the device.  Any thread. */
void wear_add(struct wear *w, uint64_t bytes);

/* Reads what the devices have written so far.  False: it is not known. */
bool wear_read(const struct wear *w, uint64_t *ret_bytes);

/* Adds the keys of the document. */
void wear_facts(const struct wear *w, struct facts *to);

/* ---- wear run ---- */

/*
 * In a run that writes: what the device wrote, beside what the test wrote.
 */

/* Find the device of the open files, and begin to count. */
void wear_run_begin(struct fileio *fio);

/* A worker has ended without an error, its final fsyncs included. */
void wear_run_worker_ended(struct fileio *fio, const struct worker *w);

/* Print the line after the report; not under the name sysbench. */
void wear_run_tell(const struct fileio *fio);

void wear_run_facts(const struct fileio *fio, struct facts *to);

#endif
