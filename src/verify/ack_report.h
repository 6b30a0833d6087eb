/*
 * ack_report.h - compares acknowledgement logs with the database. Functions
 * return an exit status of verify.h.
 */
#ifndef BENCH_VERIFY_ACK_REPORT_H
#define BENCH_VERIFY_ACK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "verify/acks.h"

void ack_report_logs(FILE *out, const struct ack_logs *logs);

/* `replica`: the database can lack the newest numbers, so missing ones prove
 * nothing. */
int ack_report_numbers(FILE *out, const struct ack_logs *logs,
                       const struct ack_set *s, const struct losses *l,
                       bool replica);

/* A total that has grown by `growth`. */
int ack_report_total(FILE *out, const struct ack_logs *logs, double growth,
                     bool replica);

#endif
