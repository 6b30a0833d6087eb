/*
 * target.c - which server of the lists a connection goes to.
 */
#include "db/target.h"

struct target target_pick(size_t sockets, size_t hosts, size_t ports,
                          uint64_t number, unsigned attempt)
{
  const uint64_t i = number + attempt;
  struct target t = { 0 };

  if (sockets > 0) {
    t.socket = (size_t)(i % sockets);
  } else {
    t.port = (size_t)(i % ports);
    t.host = (size_t)(i / ports % hosts);
  }
  return t;
}
