/*
 * http_host.c - the Host header of a request.
 */
#include "results/http_host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
  NAME_MAX_BYTES = 256, /* with the terminator; DNS allows 253 */
};

static const char letters[] =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

bool http_host_are_names(const char *names)
{
  do {
    const size_t len = strspn(names, letters);

    if (len == 0 || len >= NAME_MAX_BYTES ||
        (names[len] != ',' && names[len] != '\0'))
      return false;
    names += len + (names[len] == ',');
  } while (*names);
  return names[-1] != ',';
}

static bool is_among(const char *host, const char *names)
{
  const size_t n = strlen(host);

  while (*names) {
    const size_t len = strcspn(names, ",");

    if (len == n && strncasecmp(host, names, n) == 0)
      return true;
    names += len + (names[len] == ',');
  }
  return false;
}

static bool is_this_machine(const char *host)
{
  char name[NAME_MAX_BYTES] = "";

  return gethostname(name, sizeof(name) - 1) == 0 && *name &&
         strcasecmp(host, name) == 0;
}

/* Cuts at the port; false: not a port. */
static bool cut_port(char *at)
{
  const char *port = at + 1;
  const bool ok = *at == '\0' ||
                  (*at == ':' && strspn(port, "0123456789") == strlen(port));

  *at = '\0';
  return ok;
}

/* `len` bytes. */
static bool is_host_allowed(const char *value, size_t len, const char *names)
{
  char host[NAME_MAX_BYTES] = "";
  struct in6_addr v6;
  struct in_addr v4;

  while (len > 0 && strchr(" \t\r", value[len - 1]))
    len--;
  while (len > 0 && strchr(" \t", value[0]))
    value++, len--;
  if (len >= sizeof(host))
    return false;
  memcpy(host, value, len);
  if (host[0] == '[') {
    char *end = strchr(host, ']');

    if (!end || !cut_port(end + 1))
      return false;
    *end = '\0';
    return inet_pton(AF_INET6, host + 1, &v6) == 1;
  }
  return cut_port(host + strcspn(host, ":")) &&
         (inet_pton(AF_INET, host, &v4) == 1 ||
          strcasecmp(host, "localhost") == 0 || is_this_machine(host) ||
          is_among(host, names));
}

bool http_host_is_allowed(const char *request, const char *names)
{
  static const char name[] = "host:";

  for (const char *p = strchr(request, '\n'); p; p = strchr(p, '\n')) {
    p++;
    if (strncasecmp(p, name, sizeof(name) - 1) != 0)
      continue;
    p += sizeof(name) - 1;
    if (!is_host_allowed(p, strcspn(p, "\n"), names))
      return false;
  }
  return true;
}
