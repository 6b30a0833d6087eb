/*
 * received.h - the file of a log that another machine sends (wire.h).
 */
#ifndef BENCH_ACK_RECEIVED_H
#define BENCH_ACK_RECEIVED_H

#include <stddef.h>
#include <stdint.h>

#include "ack/wire.h"

struct err;

struct received {
  int fd; /* -1: there is no file */
  uint64_t run, bytes;
  char name[64]; /* made of the run's time and number */
};

/* Make the file in the folder, or go on with it; others are refused while it
 * is open. */
int received_open(struct received *r, int folder, const struct ack_hello *hello,
                  struct err *err);

/* Write the frames of a batch.  -EPROTO: one is behind the end of the file, or
 * makes no sense. */
int received_apply(struct received *r, const char *frames, size_t n,
                   struct err *err);

/* The log has come to its end: its bytes have to be on the disk. */
int received_sync(const struct received *r, struct err *err);

void received_close(struct received *r);

#endif
