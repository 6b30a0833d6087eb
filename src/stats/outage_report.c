/*
 * outage_report.c - how much a run's outages matter.
 */
#include "stats/outage_report.h"

#include "base/clock.h"

bool outage_report_serious(const struct outage_report *r)
{
  return r && (r->outages > 0 || r->longest_ns >= NS_PER_S);
}
