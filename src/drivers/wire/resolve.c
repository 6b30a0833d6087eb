/*
 * resolve.c - looks up a host in a helper thread, within a time limit.  Equal
 * questions at a time have one answer.
 */
#include "drivers/wire/resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "loop/loop.h"

/* Freed by the last owner. */
struct lookup {
  _Atomic unsigned refs;
  /* Futex: 1: the members below are valid (release by the helper). */
  _Atomic uint32_t done;
  int gai; /* of getaddrinfo() */
  struct wire_addresses found;
  struct lookup *next; /* under way */
  uint64_t begun_ns;
  char host[]; /* constant */
};

#define SHARED_NS NS_PER_S

static struct lookup *under_way;
static pthread_mutex_t under_way_lock = PTHREAD_MUTEX_INITIALIZER;

static void resolve_unref(struct lookup *l)
{
  /* Pairs with the release of the other holder. */
  if (atomic_fetch_sub_explicit(&l->refs, 1, memory_order_acq_rel) == 1)
    free(l);
}

static void resolve_keep_addresses(struct wire_addresses *to,
                                   struct addrinfo *list)
{
  for (struct addrinfo *a = list; a && to->n < WIRE_ADDRESSES; a = a->ai_next) {
    if (getnameinfo(a->ai_addr, a->ai_addrlen, to->text[to->n],
                    WIRE_ADDRESS_MAX, NULL, 0, NI_NUMERICHOST) == 0)
      to->n++;
  }
}

static void *look_up(void *arg)
{
  const struct addrinfo hints = { .ai_family = AF_UNSPEC,
                                  .ai_socktype = SOCK_STREAM };
  struct lookup *l = arg, **at = &under_way;
  struct addrinfo *list = NULL;

  l->gai = getaddrinfo(l->host, NULL, &hints, &list);
  if (l->gai == 0) {
    resolve_keep_addresses(&l->found, list);
    freeaddrinfo(list);
  }
  (void)pthread_mutex_lock(&under_way_lock);
  while (*at != l)
    at = &(*at)->next;
  *at = l->next;
  (void)pthread_mutex_unlock(&under_way_lock);
  /* Pairs with the acquire of the caller. */
  atomic_store_explicit(&l->done, 1, memory_order_release);
  loop_wake_all(&l->done);
  resolve_unref(l);
  return NULL;
}

static struct lookup *resolve_begin(const char *host)
{
  const size_t size = strlen(host) + 1;
  const uint64_t now = clock_now_ns();
  struct lookup *l;
  bool mine = false;

  (void)pthread_mutex_lock(&under_way_lock);
  for (l = under_way; l; l = l->next) {
    if (strcmp(l->host, host) == 0 && now < l->begun_ns + SHARED_NS)
      break;
  }
  if (l) {
    (void)atomic_fetch_add_explicit(&l->refs, 1, memory_order_relaxed);
  } else if ((l = calloc(1, sizeof(*l) + size)) != NULL) {
    memcpy(l->host, host, size);
    atomic_init(&l->refs, 2);
    l->begun_ns = now;
    l->next = under_way;
    under_way = l;
    mine = true;
  }
  (void)pthread_mutex_unlock(&under_way_lock);
  if (mine && thread_start_detached(0, look_up, l) < 0)
    (void)look_up(l);
  return l;
}

static bool wait_done(struct lookup *l, uint64_t until_ns)
{
  while (atomic_load_explicit(&l->done, memory_order_acquire) == 0) {
    if (clock_now_ns() >= until_ns)
      return false;
    loop_wait_while(&l->done, 0, until_ns);
  }
  return true;
}

static bool resolve_is_numeric(const char *host)
{
  struct in6_addr any;

  return inet_pton(AF_INET, host, &any) == 1 ||
         inet_pton(AF_INET6, host, &any) == 1;
}

static int look_up_until(const char *host, uint64_t until_ns,
                         struct wire_addresses *ret, struct err *err)
{
  struct lookup *l = resolve_begin(host);
  int rc = 0;

  if (!l)
    return err_set(err, -ENOMEM, "not enough memory");
  /* One reference is ours.
   * NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
  if (!wait_done(l, until_ns))
    rc = err_set(err, -ETIMEDOUT, "timeout expired");
  else if (l->gai != 0 || l->found.n == 0)
    rc = err_set(err, -ENOENT, "%s",
                 gai_strerror(l->gai ? l->gai : EAI_NONAME));
  else
    *ret = l->found;
  resolve_unref(l);
  return rc;
}

int wire_resolve(const char *host, uint64_t until_ns,
                 struct wire_addresses *ret, struct err *err)
{
  const size_t size = strlen(host) + 1;

  if (resolve_is_numeric(host) && size <= WIRE_ADDRESS_MAX) {
    ret->n = 1;
    memcpy(ret->text[0], host, size);
    return 0;
  }
  return look_up_until(host, until_ns, ret, err);
}
