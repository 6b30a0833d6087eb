/*
 * wear.h - how much the device below the files has written, to compare it with
 * what the test wrote.
 *
 * The system counts the sectors of each disk and partition.  A device that
 * lies on others (device mapper, RAID) is replaced by these.  The counts are of
 * the whole device or partition, so other programs that write there are in
 * them; what a disk does inside is not.
 */
#ifndef BENCH_TESTS_FILEIO_WEAR_H
#define BENCH_TESTS_FILEIO_WEAR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct facts;

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

/* Prints the line of the report; adds the keys of the document. */
void wear_tell(const struct wear *w);
void wear_facts(const struct wear *w, struct facts *to);

#endif
