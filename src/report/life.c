/*
 * life.c - names of the ways in which runs end.
 */
#include "report/life.h"

const char *end_reason_name(enum end_reason reason)
{
  static const char *const names[] = {
    [END_NOT_STARTED] = "not_started", [END_EVENTS] = "event_limit",
    [END_TIME] = "time_limit",         [END_ERROR] = "error",
    [END_OVERLOAD] = "overload",       [END_SIGNAL] = "signal",
    [END_FORCED] = "forced",           [END_DECIDED] = "decided",
  };

  return names[reason];
}
