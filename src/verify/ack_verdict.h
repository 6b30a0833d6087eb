/*
 * ack_verdict.h - the last line about acknowledgement logs.  Each function
 * writes it, and returns the exit status of verify.h that belongs to it.
 */
#ifndef BENCH_VERIFY_ACK_VERDICT_H
#define BENCH_VERIFY_ACK_VERDICT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "verify/ack_logs.h"

/* How many numbers are not as they should be. */
struct ack_faults {
  uint64_t lost, phantom, duplicate, unexpected;
};

/* Nothing is wrong; but the logs may not say enough.  `doubt`: what is there
 * may be commits with unknown outcome in place of acknowledged ones. */
int ack_verdict_good(FILE *out, const struct ack_logs *logs, bool warning);

/* At least one is not 0. */
int ack_verdict_bad(FILE *out, struct ack_faults faults);

/* A replica has not got, or not applied, so many, and nothing else is wrong. */
int ack_verdict_behind(FILE *out, double missing);

/* Seconds since the begin of the run. */
double ack_seconds_at(const struct ack_header *h, uint64_t ns);

#endif
