/*
 * target.c - which server of the lists a connection goes to.
 */
#include "db/target.h"

#include <string.h>

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

/* One colon with digits after it: IPv6 addresses have two. */
static bool has_port(const char *text)
{
  const char *colon = strchr(text, ':');

  return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
}

bool target_is_host(const char *text)
{
  if (*text == '/' || *text == '@')
    return true;
  return !strpbrk(text, "[@") && !strstr(text, "://") && !has_port(text);
}

bool target_is_database(const char *text)
{
  return !strstr(text, "://");
}
