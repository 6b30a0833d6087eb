/*
 * text_num.h - conversions of text reports.
 */
#ifndef BENCH_REPORT_TEXT_NUM_H
#define BENCH_REPORT_TEXT_NUM_H

#include <stdint.h>

#include "base/clock.h"
#include "stats/report.h"

#define TEXT_MIB 1048576.0
#define TEXT_MB 1000000.0

static inline double text_ms(uint64_t ns)
{
  return (double)ns / (double)NS_PER_MS;
}

static inline double text_s(uint64_t ns)
{
  return (double)ns / (double)NS_PER_S;
}

/* 0 for an empty period. */
static inline double text_per_s(const struct report *r, double amount)
{
  return r->period_ns ? amount / text_s(r->period_ns) : 0.0;
}

#endif
