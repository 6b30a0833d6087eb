/*
 * ack_report.h - what an acknowledgement log and the database say together.
 */
#ifndef BENCH_VERIFY_ACK_REPORT_H
#define BENCH_VERIFY_ACK_REPORT_H

#include <stdio.h>

#include "ack/reader.h"
#include "verify/acks.h"
#include "verify/losses.h"

/* About the log itself. */
void ack_report_log(FILE *out, const struct ack_reader *r,
                    const struct ack_set *s);

/* Numbers that were looked for.  Returns an exit status of verify.h. */
int ack_report_numbers(FILE *out, const struct ack_reader *r,
                       const struct ack_set *s, const struct losses *l);

/* A total that has grown by `growth`.  Returns an exit status, too. */
int ack_report_total(FILE *out, const struct ack_reader *r,
                     const struct ack_set *s, double growth);

#endif
