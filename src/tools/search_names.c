/*
 * search_names.c - the words of documents and tables for the parts of a search.
 */
#include "tools/search.h"

const char *search_what_name(enum search_what what)
{
  static const char *const names[] = { "off", "rate", "clients", "threads" };

  return names[what];
}

const char *search_phase_name(enum search_phase phase)
{
  static const char *const names[] = { "ceiling", "bracket", "bisect",
                                       "confirm", "reference" };

  return names[phase];
}

const char *search_verdict_name(enum search_verdict verdict)
{
  static const char *const names[] = { "held",     "failed", "open",
                                       "client",   "frozen", "refused",
                                       "no_result" };

  return names[verdict];
}

const char *search_end_name(enum search_end end)
{
  static const char *const names[] = {
    "goes_on",        "found",        "no_value_holds", "undecided",
    "not_stationary", "client_limit", "frozen",         "no_events",
    "step_failed",    "alien",        "too_long",
  };

  return names[end];
}
