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
  uint64_t damaged; /* damaged or missing records and chunks; valid at the end
                     * of the file */
  struct ack_record *records; /* the current chunk's, in `raw` */
  _Alignas(struct ack_record) char raw[ACK_CHUNK];
};

/* -EINVAL: not a log, or of another byte order; -EBUSY: a run writes it. */
int ack_reader_open(struct ack_reader *r, const char *path, struct err *err);
void ack_reader_done(struct ack_reader *r);

int ack_reader_rewind(struct ack_reader *r, struct err *err);

/* Returns the number of records of the next chunk; 0 at the end. */
int ack_reader_next(struct ack_reader *r, struct err *err);

#endif
