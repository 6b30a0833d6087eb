#include "results/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

#include "base/parse.h"

static int address_parse_port(const char *text, uint16_t *ret)
{
  int64_t port;

  if (text[0] < '0' || text[0] > '9' || parse_int(text, &port) < 0 ||
      port > UINT16_MAX)
    return -EINVAL;
  *ret = htons((uint16_t)port);
  return 0;
}

static int address_parse_v6(const char *host, size_t len, const char *port,
                            struct address *ret)
{
  struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
  char text[INET6_ADDRSTRLEN] = "";

  if (len < 2 || host[len - 1] != ']' || len - 2 >= sizeof(text))
    return -EINVAL;
  memcpy(text, host + 1, len - 2);
  if (inet_pton(AF_INET6, text, &v6.sin6_addr) != 1 ||
      address_parse_port(port, &v6.sin6_port) < 0)
    return -EINVAL;
  memset(ret, 0, sizeof(*ret));
  memcpy(&ret->addr, &v6, sizeof(v6));
  ret->len = sizeof(v6);
  return 0;
}

int address_parse(const char *text, struct address *ret)
{
  struct sockaddr_in v4 = { .sin_family = AF_INET };
  const char *colon = strrchr(text, ':');
  const size_t len = colon ? (size_t)(colon - text) : 0;
  char host[INET_ADDRSTRLEN] = "";

  if (text[0] == '[')
    return colon ? address_parse_v6(text, len, colon + 1, ret) : -EINVAL;
  if (len >= sizeof(host))
    return -EINVAL;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  memcpy(host, text, len);
  if ((colon && inet_pton(AF_INET, host, &v4.sin_addr) != 1) ||
      address_parse_port(colon ? colon + 1 : text, &v4.sin_port) < 0)
    return -EINVAL;
  memset(ret, 0, sizeof(*ret));
  memcpy(&ret->addr, &v4, sizeof(v4));
  ret->len = sizeof(v4);
  return 0;
}

bool address_is_local(const struct address *a)
{
  struct sockaddr_in6 v6;
  struct sockaddr_in v4;

  if (a->addr.ss_family == AF_INET6) {
    memcpy(&v6, &a->addr, sizeof(v6));
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
  }
  memcpy(&v4, &a->addr, sizeof(v4));
  return ntohl(v4.sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
}

unsigned address_port(const struct address *a)
{
  struct sockaddr_in6 v6;
  struct sockaddr_in v4;

  if (a->addr.ss_family == AF_INET6) {
    memcpy(&v6, &a->addr, sizeof(v6));
    return ntohs(v6.sin6_port);
  }
  memcpy(&v4, &a->addr, sizeof(v4));
  return ntohs(v4.sin_port);
}
