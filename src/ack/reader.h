/*
 * reader.h - reads an acknowledgement log, also of a killed process.
 */
#ifndef BENCH_ACK_READER_H
#define BENCH_ACK_READER_H

#include <stdint.h>
#include <stdio.h>

#include "ack/format.h"

struct err;

struct ack_reader {
  const char *path; /* borrowed */
  FILE *file;
  struct ack_header header;
  uint64_t chunks;
  uint64_t damaged; /* records and chunks that are damaged or missing; valid at
                       the end of the file */
  struct ack_record *records; /* of the current chunk, in `raw` */
  _Alignas(struct ack_record) char raw[ACK_CHUNK];
};

/* -EINVAL: not a log, or of a machine with another byte order; -EBUSY: a run
 * writes it. */
int ack_reader_open(struct ack_reader *r, const char *path, struct err *err);
void ack_reader_done(struct ack_reader *r);

int ack_reader_rewind(struct ack_reader *r, struct err *err);

/* The number of records of the next chunk; 0 at the end.  The chunks of a
 * client are in the order of time. */
int ack_reader_next(struct ack_reader *r, struct err *err);

#endif
