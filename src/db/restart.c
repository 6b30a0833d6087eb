/*
 * restart.c - pauses between the attempts of an event.
 */
#include "db/restart.h"

#include "base/clock.h"

enum {
  PATIENT_RESTARTS = 10, /* restarts without a pause between them */
  LONGEST_PAUSE_MS = 100,
};

/* Returns 1, 2, 4, ... up to LONGEST_PAUSE_MS after many attempts. */
uint64_t restart_pause_ns(int attempt)
{
  const int doublings = attempt - PATIENT_RESTARTS - 1;
  uint64_t ms = LONGEST_PAUSE_MS;

  if (attempt <= PATIENT_RESTARTS)
    return 0;
  if (doublings < 7 && (UINT64_C(1) << doublings) < ms)
    ms = UINT64_C(1) << doublings;
  return ms * NS_PER_MS;
}
