/*
 * received.h - the file of a log that another machine sends (wire.h).
 */
#ifndef BENCH_ACK_RECEIVED_H
#define BENCH_ACK_RECEIVED_H

#include <stddef.h>
#include <stdint.h>

#include "ack/wire.h"

struct err;

enum {
  RECEIVED_PAST = 256, /* logs whose `most` is kept */
};

/* The folder of all logs, and what they may take of it, in bytes. */
struct received_folder {
  int fd;
  uint64_t log_limit, dir_limit; /* of a log; of all logs in the folder */
  uint64_t used;                 /* by all logs, those of earlier runs too */

  /* What the last logs that were closed may have, when their runs are back. */
  struct {
    uint64_t run, most;
  } past[RECEIVED_PAST];
  unsigned next_past;
};

struct received {
  int fd; /* -1: there is no file */
  struct received_folder *folder;
  uint64_t run, bytes;
  uint64_t most; /* that the file may have after what was sent so far */
  char name[64]; /* made of the run's time and number */
};

/*
 * Make the file in the folder, or go on with it; others are refused while it is
 * open.  -EALREADY: the log is complete.  -EDQUOT: the folder is full, or the
 * log would begin with too many chunks.
 */
int received_open(struct received *r, struct received_folder *folder,
                  const struct ack_hello *hello, struct err *err);

/* Write the frames of a batch.  -EPROTO: one is behind the end of the file, or
 * makes no sense.  -EDQUOT: the file would be too long. */
int received_apply(struct received *r, const char *frames, size_t n,
                   struct err *err);

/* The log has come to its end: its bytes have to be on the disk, and nobody
 * opens it again. */
int received_complete(const struct received *r, struct err *err);

void received_close(struct received *r);

#endif
