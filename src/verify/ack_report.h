/*
 * ack_report.h - what acknowledgement logs and the database say together.
 */
#ifndef BENCH_VERIFY_ACK_REPORT_H
#define BENCH_VERIFY_ACK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "verify/ack_logs.h"
#include "verify/losses.h"

/* About the logs themselves. */
void ack_report_logs(FILE *out, const struct ack_logs *logs);

/* Numbers that were looked for.  `replica`: in a database that may not have
 * everything yet, so what is missing proves nothing.  Returns an exit status of
 * verify.h. */
int ack_report_numbers(FILE *out, const struct ack_logs *logs,
                       const struct ack_set *s, const struct losses *l,
                       bool replica);

/* A total that has grown by `growth`.  Returns an exit status, too. */
int ack_report_total(FILE *out, const struct ack_logs *logs, double growth,
                     bool replica);

#endif
