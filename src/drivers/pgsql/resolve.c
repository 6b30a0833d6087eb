/*
 * resolve.c - looks up the addresses of a host in a helper thread, so that a
 * slow name server cannot hold the caller beyond its time limit.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "drivers/pgsql/session.h"

/* Shared by the caller and its helper; the last one frees it. */
struct lookup {
  _Atomic unsigned refs;
  /* Futex: 1 when the members below are valid (release by the helper). */
  _Atomic uint32_t done;
  int gai; /* the result of getaddrinfo() */
  struct pgsql_addresses found;
  char host[]; /* constant */
};

static void unref(struct lookup *l)
{
  /* The last holder has seen everything that the other one wrote. */
  if (atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) == 1)
    free(l);
}

static void keep_addresses(struct pgsql_addresses *to, struct addrinfo *list)
{
  for (struct addrinfo *a = list; a && to->n < PGSQL_ADDRESSES;
       a = a->ai_next) {
    if (getnameinfo(a->ai_addr, a->ai_addrlen, to->text[to->n],
                    PGSQL_ADDRESS_MAX, NULL, 0, NI_NUMERICHOST) == 0)
      to->n++;
  }
}

static void *look_up(void *arg)
{
  const struct addrinfo hints = { .ai_family = AF_UNSPEC,
                                  .ai_socktype = SOCK_STREAM };
  struct lookup *l = arg;
  struct addrinfo *list = NULL;

  l->gai = getaddrinfo(l->host, NULL, &hints, &list);
  if (l->gai == 0) {
    keep_addresses(&l->found, list);
    freeaddrinfo(list);
  }
  /* Pairs with the acquire of the waiting thread. */
  atomic_store_explicit(&l->done, 1, memory_order_release);
  wait_wake_all(&l->done);
  unref(l);
  return NULL;
}

/* If no thread can be started, the caller does the lookup itself. */
static void start(struct lookup *l)
{
  if (thread_start_detached(0, look_up, l) < 0)
    (void)look_up(l);
}

static bool wait_done(struct lookup *l, uint64_t until_ns)
{
  while (atomic_load_explicit(&l->done, memory_order_acquire) == 0) {
    if (clock_now_ns() >= until_ns)
      return false;
    wait_while(&l->done, 0, until_ns);
  }
  return true;
}

static bool is_numeric(const char *host)
{
  struct in6_addr any;

  return inet_pton(AF_INET, host, &any) == 1 ||
         inet_pton(AF_INET6, host, &any) == 1;
}

int pgsql_resolve(const char *host, uint64_t until_ns,
                  struct pgsql_addresses *ret, struct err *err)
{
  const size_t size = strlen(host) + 1;
  struct lookup *l;
  int rc = 0;

  if (is_numeric(host) && size <= PGSQL_ADDRESS_MAX) {
    ret->n = 1;
    memcpy(ret->text[0], host, size);
    return 0;
  }
  l = calloc(1, sizeof(*l) + size);
  if (!l)
    return err_set(err, -ENOMEM, "not enough memory");
  memcpy(l->host, host, size);
  atomic_init(&l->refs, 2);
  start(l);
  /* One reference is ours.
   * NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
  if (!wait_done(l, until_ns))
    rc = err_set(err, -ETIMEDOUT,
                 "could not translate host name \"%s\" to address: "
                 "timeout expired",
                 host);
  else if (l->gai != 0 || l->found.n == 0)
    rc = err_set(err, -ENOENT,
                 "could not translate host name \"%s\" to address: %s", host,
                 gai_strerror(l->gai ? l->gai : EAI_NONAME));
  else
    *ret = l->found;
  unref(l);
  return rc;
}
