/*
 * test_address.c - where to listen: nobody else can connect unless the user
 * says so.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

#include "results/address.h"
#include "tests/unit/tap.h"

static const struct {
  const char *text, *host; /* NULL: it is refused */
  unsigned port;
} rows[] = {
  { "9100", "127.0.0.1", 9100 },
  { "0", "127.0.0.1", 0 },
  { "0.0.0.0:9100", "0.0.0.0", 9100 },
  { "10.1.2.3:65535", "10.1.2.3", 65535 },
  { "[::1]:9100", "::1", 9100 },
  { "[::]:1", "::", 1 },
  { "", NULL, 0 },
  { "65536", NULL, 0 },
  { "-1", NULL, 0 },
  { " 9100", NULL, 0 },
  { "9100x", NULL, 0 },
  { ":9100", NULL, 0 },
  { "localhost:9100", NULL, 0 },
  { "10.1.2.3.4.5.6.7:9100", NULL, 0 },
  { "10.1.2.3:", NULL, 0 },
  { "::1:9100", NULL, 0 },
  { "[::1]", NULL, 0 },
  { "[::1:9100", NULL, 0 },
  { "[10.1.2.3]:9100", NULL, 0 },
};

static bool is_host(const struct address *a, const char *host)
{
  char text[INET6_ADDRSTRLEN] = "";
  struct sockaddr_in6 v6;
  struct sockaddr_in v4;

  if (a->addr.ss_family == AF_INET6) {
    memcpy(&v6, &a->addr, sizeof(v6));
    (void)inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  } else {
    memcpy(&v4, &a->addr, sizeof(v4));
    (void)inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
  }
  return strcmp(text, host) == 0;
}

int main(void)
{
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    struct address a;
    const int rc = address_parse(rows[i].text, &a);

    if (rows[i].host)
      OK(rc == 0 && is_host(&a, rows[i].host) &&
           address_port(&a) == rows[i].port,
         rows[i].text);
    else
      OK(rc == -EINVAL, rows[i].text);
  }
  return TAP_EXIT();
}
