/*
 * reader.h - reads an acknowledgement log, also one that a killed process has
 * left behind.
 */
#ifndef BENCH_ACK_READER_H
#define BENCH_ACK_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ack/format.h"

struct err;

struct ack_reader {
  const char *path; /* borrowed */
  FILE *file;
  struct ack_header header;
  uint64_t chunks;  /* that were read */
  uint64_t damaged; /* records and chunks that are not what was written, or
                     * not there; complete at the end of the file */
  struct ack_record *records; /* of the present chunk, in `raw` */
  _Alignas(struct ack_record) char raw[ACK_CHUNK];
};

/* -EINVAL for another file, or one of a machine with another byte order; -EBUSY
 * while a run writes it. */
int ack_reader_open(struct ack_reader *r, const char *path, struct err *err);
void ack_reader_done(struct ack_reader *r);

/* Begin again with the first chunk. */
int ack_reader_rewind(struct ack_reader *r, struct err *err);

/* The records of the next chunk, in their order: how many; 0: the file has
 * ended.  The chunks of a client are in the order of time. */
int ack_reader_next(struct ack_reader *r, struct err *err);

#endif
