#include "verify/history/anomaly.h"

enum {
  RC = 1 << LEVEL_READ_COMMITTED,
  RR = 1 << LEVEL_REPEATABLE_READ,
  SI = 1 << LEVEL_SNAPSHOT,
  SER = 1 << LEVEL_SERIALIZABLE,
  ALL = RC | RR | SI | SER,
};

static const struct {
  const char *name;
  const char *meaning;
  unsigned excluded_by;
} kinds[ANOMALIES] = {
  [ANOMALY_GARBAGE] = { "garbage", "a value was read that nobody has written",
                        ALL },
  [ANOMALY_DUPLICATE] = { "duplicate", "an element is in a list twice", ALL },
  [ANOMALY_ORDER] = { "incompatible-order",
                      "a list contradicts another one, or the transaction that "
                      "has appended to it: appends were lost, or their order "
                      "has changed",
                      ALL },
  [ANOMALY_G1A] = { "G1a", "a write of a failed transaction was read", ALL },
  [ANOMALY_G1B] = { "G1b",
                    "a value was read that its transaction has changed later",
                    ALL },
  [ANOMALY_INTERNAL] = { "internal",
                         "a read contradicts what the same transaction has "
                         "read or written before",
                         RR | SI | SER },
  [ANOMALY_LOST_UPDATE] = { "lost-update",
                            "two transactions have read the same version and "
                            "changed it",
                            RR | SI | SER },
  [ANOMALY_G0] = { "G0", "a cycle of writes", ALL },
  [ANOMALY_G1C] = { "G1c", "a cycle of writes, and reads of what was written",
                    ALL },
  [ANOMALY_G_SINGLE] = { "G-single",
                         "a cycle with one read of what was overwritten",
                         RR | SI | SER },
  [ANOMALY_G_NONADJACENT] = { "G-nonadjacent",
                              "a cycle with reads of what was overwritten, "
                              "none right after another",
                              RR | SI | SER },
  [ANOMALY_G2_ITEM] = { "G2-item",
                        "a cycle with two reads in a row of what was "
                        "overwritten",
                        RR | SER },
};

const char *anomaly_name(enum anomaly a)
{
  return kinds[a].name;
}

const char *anomaly_meaning(enum anomaly a)
{
  return kinds[a].meaning;
}

const char *level_name(enum level l)
{
  static const char *const names[LEVELS] = { "read-committed",
                                             "repeatable-read", "snapshot",
                                             "serializable" };
  return names[l];
}

bool level_excludes(enum level l, enum anomaly a)
{
  return kinds[a].excluded_by >> l & 1;
}
