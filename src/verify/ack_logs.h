/*
 * ack_logs.h - the acknowledgement logs that are judged together: those of the
 * processes of one run, or of runs of one process each with the same query.
 */
#ifndef BENCH_VERIFY_ACK_LOGS_H
#define BENCH_VERIFY_ACK_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ack/reader.h"
#include "verify/acks.h"

struct err;

struct ack_log_read {
  struct ack_reader reader;
  struct ack_sums sums;
};

struct ack_logs {
  struct ack_log_read *const *of; /* borrowed; at least one */
  size_t n;
};

/* The sums of all, without their times. */
struct ack_sums ack_logs_sums(const struct ack_logs *logs);

/* Parts that are not what was written. */
uint64_t ack_logs_damaged(const struct ack_logs *logs);

/* All enum ack_flags. */
unsigned ack_logs_flags(const struct ack_logs *logs);

/* The first log that may miss something; NULL: none. */
const struct ack_reader *ack_logs_incomplete(const struct ack_logs *logs);

/* May they be judged together?  Those of several processes only if these were
 * of one run; -EINVAL. */
int ack_logs_check(const struct ack_logs *logs, struct err *err);

/* How many runs have written them. */
size_t ack_logs_runs(const struct ack_logs *logs);

/* How many processes of the run have no log among them; *ret is one of these.
 */
uint32_t ack_logs_absent(const struct ack_logs *logs, uint32_t *ret);

/* The total before the run. */
double ack_logs_before(const struct ack_logs *logs);

#endif
