#include "db/relay.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/sock.h"
#include "base/stream.h"
#include "base/thread.h"
#include "loop/loop.h"

enum {
  READ_MAX = 64 << 10,
  QUEUE_MAX = 16 << 20, /* bytes under way to a socket */
  EVENTS = 256,
  BACKLOG = 4096,
  TRIPS = 3, /* SYN, SYN and ACK, ACK */
};

#define STOP_SLACK_NS (100 * NS_PER_MS)

union relay_address {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  struct sockaddr_un path;
};

enum relay_kind {
  RELAY_WAKE,
  RELAY_DOOR,
  RELAY_END
};

/* `kind` first, for epoll. */
struct relay_door {
  enum relay_kind kind;
  int fd;
  union relay_address to;
  socklen_t len;
  struct relay_place place;
  struct relay_door *next;
  char name[];
};

enum relay_load {
  RELAY_BYTES,
  RELAY_EOF,
  RELAY_RESET,
  RELAY_OPEN
};

struct relay_pair;

struct relay_chunk {
  struct relay_chunk *next;
  struct relay_end *to;
  uint64_t due_ns;
  enum relay_load load;
  unsigned trips;
  size_t at, len;
  char bytes[];
};

struct relay_queue {
  struct relay_chunk *first, *last;
};

struct relay_end {
  enum relay_kind kind;
  int fd; /* -1: not connected yet */
  struct relay_pair *pair;
  struct relay_end *peer;
  uint32_t watched;
  bool connecting;
  bool heard; /* its end was read */
  bool told;  /* its end was sent */
  bool full;
  size_t under_way;        /* bytes */
  struct relay_queue here; /* due */
};

struct relay_pair {
  struct relay_end client, server;
  const struct relay_door *door;
  unsigned under_way; /* chunks in relay.way */
  bool closed;
  struct relay_pair *next, *before;
};

struct relay {
  pthread_mutex_t lock; /* protects the next two */
  struct relay_door *doors;
  bool stopped;
  pthread_t thread;
  _Atomic bool stopping;
  enum relay_kind wake;
  int wake_fd, epoll;
  uint64_t half_ns;

  /* The rest belongs to the thread. */
  struct relay_queue way; /* in the order of due_ns */
  struct relay_pair *pairs, *dead;
  bool no_files; /* doors are not watched */
  uint64_t waited_ns, waits;
  _Atomic uint64_t mean_ns; /* relaxed */
  char room[READ_MAX];
};

static void queue_add(struct relay_queue *q, struct relay_chunk *c)
{
  c->next = NULL;
  if (q->first)
    q->last->next = c;
  else
    q->first = c;
  q->last = c;
}

static struct relay_chunk *queue_take(struct relay_queue *q)
{
  struct relay_chunk *c = q->first;

  if (c)
    q->first = c->next;
  return c;
}

static void queue_clear(struct relay_queue *q)
{
  struct relay_chunk *c;

  while ((c = queue_take(q)) != NULL)
    free(c);
}

static void relay_watch_doors(struct relay *r, bool on)
{
  (void)pthread_mutex_lock(&r->lock);
  for (struct relay_door *d = r->doors; d; d = d->next) {
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = d };

    (void)epoll_ctl(r->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, d->fd,
                    &event);
  }
  (void)pthread_mutex_unlock(&r->lock);
  r->no_files = !on;
}

/* epoll reports the end of a socket again and again. */
static void relay_watch(struct relay *r, struct relay_end *e)
{
  const bool reads = !e->heard && e->peer->under_way < QUEUE_MAX &&
                     !e->connecting;
  struct epoll_event event = {
    .events = (reads ? EPOLLIN : 0u) |
              (e->full || e->connecting ? EPOLLOUT : 0u),
    .data.ptr = e,
  };
  int how = EPOLL_CTL_MOD;

  if (e->fd < 0 || e->watched == event.events)
    return;
  if (e->watched == 0)
    how = EPOLL_CTL_ADD;
  else if (event.events == 0)
    how = EPOLL_CTL_DEL;
  (void)epoll_ctl(r->epoll, how, e->fd, &event);
  e->watched = event.events;
}

static void relay_end_close(struct relay_end *e, bool hard)
{
  const struct linger now = { .l_onoff = 1 };

  if (e->fd >= 0 && hard)
    (void)setsockopt(e->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  if (e->fd >= 0)
    (void)close(e->fd);
  e->fd = -1;
  queue_clear(&e->here);
}

/* Events and chunks point to the pair: relay_bury() frees it. */
static void relay_close(struct relay *r, struct relay_pair *p, bool hard)
{
  if (p->closed)
    return;
  p->closed = true;
  relay_end_close(&p->client, hard);
  relay_end_close(&p->server, hard);
  *(p->before ? &p->before->next : &r->pairs) = p->next;
  if (p->next)
    p->next->before = p->before;
  p->next = r->dead;
  r->dead = p;
  if (r->no_files)
    relay_watch_doors(r, true);
}

static void relay_bury(struct relay *r)
{
  struct relay_pair **at = &r->dead;

  while (*at) {
    struct relay_pair *p = *at;

    if (p->under_way > 0) {
      at = &p->next;
      continue;
    }
    *at = p->next;
    free(p);
  }
}

static bool relay_put(struct relay *r, struct relay_end *to,
                      enum relay_load load, const char *bytes, size_t n)
{
  struct relay_chunk *c = malloc(sizeof(*c) + n);

  if (!c)
    return false;
  *c = (struct relay_chunk){
    .to = to,
    .due_ns = clock_now_ns() + r->half_ns,
    .load = load,
    .trips = load == RELAY_OPEN ? TRIPS : 1,
    .len = n,
  };
  if (n > 0)
    memcpy(c->bytes, bytes, n);
  to->under_way += n;
  to->pair->under_way++;
  queue_add(&r->way, c);
  return true;
}

static void relay_hear(struct relay *r, struct relay_end *e)
{
  const ssize_t n = recv(e->fd, r->room, READ_MAX, MSG_DONTWAIT);
  enum relay_load load = RELAY_BYTES;

  if (n < 0 && sock_is_early(errno))
    return;
  if (n <= 0) {
    e->heard = true;
    load = n == 0 ? RELAY_EOF : RELAY_RESET;
  }
  if (!relay_put(r, e->peer, load, r->room, n > 0 ? (size_t)n : 0)) {
    relay_close(r, e->pair, true);
    return;
  }
  relay_watch(r, e);
}

static void relay_deaf(struct relay *r, struct relay_end *e)
{
  queue_clear(&e->here);
  e->told = true;
  e->full = false;
  e->peer->heard = true;
  relay_watch(r, e->peer);
}

static bool relay_send(struct relay *r, struct relay_end *e,
                       struct relay_chunk *c)
{
  while (c->at < c->len) {
    const ssize_t n = sock_send(e->fd, c->bytes + c->at, c->len - c->at,
                                MSG_DONTWAIT);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && sock_is_early(errno))
      e->full = true;
    else if (n < 0)
      relay_deaf(r, e);
    if (n < 0)
      return false;
    c->at += (size_t)n;
    e->under_way -= (size_t)n;
  }
  return true;
}

static void relay_tell(struct relay *r, struct relay_end *e)
{
  struct relay_pair *p = e->pair;

  e->full = false;
  while (!e->told && e->here.first) {
    if (!relay_send(r, e, e->here.first))
      break;
    if (e->here.first->load == RELAY_RESET) {
      relay_close(r, p, true);
      return;
    }
    if (e->here.first->load == RELAY_EOF) {
      (void)shutdown(e->fd, SHUT_WR);
      e->told = true;
    }
    free(queue_take(&e->here));
  }
  if (e->told && e->peer->told) {
    relay_close(r, p, false);
    return;
  }
  relay_watch(r, e);
  relay_watch(r, e->peer);
}

static void relay_connected(struct relay *r, struct relay_end *e)
{
  socklen_t len = sizeof(int);
  int error = 0;

  if (getsockopt(e->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || error != 0) {
    relay_close(r, e->pair, true);
    return;
  }
  e->connecting = false;
  relay_tell(r, e);
}

static void relay_connect(struct relay *r, struct relay_end *e)
{
  const struct relay_door *d = e->pair->door;

  e->fd = stream_socket(d->to.any.sa_family);
  if (e->fd >= 0 && connect(e->fd, &d->to.any, d->len) == 0) {
    relay_tell(r, e);
  } else if (e->fd >= 0 && errno == EINPROGRESS) {
    e->connecting = true;
    relay_watch(r, e);
  } else if (e->fd >= 0 && errno == EAGAIN) { /* the backlog is full */
    (void)close(e->fd);
    e->fd = -1;
    if (!relay_put(r, e, RELAY_OPEN, NULL, 0))
      relay_close(r, e->pair, true);
  } else {
    relay_close(r, e->pair, true);
  }
}

static void relay_arrive(struct relay *r, struct relay_chunk *c, uint64_t now)
{
  struct relay_end *e = c->to;

  r->waited_ns += now - c->due_ns + r->half_ns;
  r->waits++;
  if (c->trips > 1 && !e->pair->closed) {
    c->trips--;
    c->due_ns = now + r->half_ns;
    queue_add(&r->way, c);
    return;
  }
  e->pair->under_way--;
  if (e->pair->closed || e->told) {
    free(c);
  } else if (c->load == RELAY_OPEN) {
    free(c);
    relay_connect(r, e);
  } else {
    queue_add(&e->here, c);
    if (e->fd >= 0 && !e->connecting)
      relay_tell(r, e);
  }
}

static void relay_arrivals(struct relay *r)
{
  const uint64_t now = clock_now_ns();

  while (r->way.first && r->way.first->due_ns <= now)
    relay_arrive(r, queue_take(&r->way), now);
  if (r->waits > 0)
    atomic_store_explicit(&r->mean_ns, 2 * (r->waited_ns / r->waits),
                          memory_order_relaxed);
}

/* The server takes all users of the relay for programs of this machine. */
static bool relay_lets_in(int fd)
{
  union relay_address here = { 0 }, there = { 0 };
  socklen_t len = sizeof(here), far = sizeof(there);

  if (sock_is_local(fd))
    return true;
  return getsockname(fd, &here.any, &len) == 0 &&
         getpeername(fd, &there.any, &far) == 0 && len == far &&
         (here.any.sa_family == AF_INET
            ? here.four.sin_addr.s_addr == there.four.sin_addr.s_addr
            : memcmp(&here.six.sin6_addr, &there.six.sin6_addr,
                     sizeof(here.six.sin6_addr)) == 0);
}

static struct relay_end relay_end_of(struct relay_pair *p,
                                     struct relay_end *peer, int fd)
{
  return (
    struct relay_end){ .kind = RELAY_END, .fd = fd, .pair = p, .peer = peer };
}

static void relay_accept(struct relay *r, const struct relay_door *d)
{
  const int fd = accept4(d->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  const int on = 1;
  struct relay_pair *p;

  if (fd < 0 && sock_is_exhausted())
    relay_watch_doors(r, false);
  if (fd < 0)
    return;
  p = relay_lets_in(fd) ? calloc(1, sizeof(*p)) : NULL;
  if (!p) {
    (void)close(fd);
    return;
  }
  if (d->to.any.sa_family != AF_UNIX)
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  p->client = relay_end_of(p, &p->server, fd);
  p->server = relay_end_of(p, &p->client, -1);
  p->door = d;
  p->next = r->pairs;
  if (p->next)
    p->next->before = p;
  r->pairs = p;
  if (!relay_put(r, &p->server, RELAY_OPEN, NULL, 0))
    relay_close(r, p, true);
  else
    relay_watch(r, &p->client);
}

static void relay_event(struct relay *r, const struct epoll_event *event)
{
  const enum relay_kind *kind = event->data.ptr;
  struct relay_end *e = event->data.ptr;
  uint64_t n;

  if (*kind == RELAY_WAKE) {
    (void)!read(r->wake_fd, &n, sizeof(n));
    return;
  }
  if (*kind == RELAY_DOOR) {
    relay_accept(r, event->data.ptr);
    return;
  }
  if (e->pair->closed)
    return;
  if (e->connecting) {
    relay_connected(r, e);
    return;
  }
  if (e->full && (event->events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
    relay_tell(r, e);
  if (!e->pair->closed && (e->watched & EPOLLIN) &&
      (event->events & ~(uint32_t)EPOLLOUT))
    relay_hear(r, e);
}

/* epoll_wait() takes milliseconds. */
static void relay_look(struct relay *r, uint64_t until_ns)
{
  const uint64_t now = clock_now_ns();
  const struct timespec left = clock_timespec(until_ns > now ? until_ns - now
                                                             : 0);
  struct pollfd p = { .fd = r->epoll, .events = POLLIN };
  struct epoll_event events[EVENTS];
  int n = 0;

  if (ppoll(&p, 1, until_ns == UINT64_MAX ? NULL : &left, NULL) > 0)
    n = epoll_wait(r->epoll, events, EVENTS, 0);
  for (int i = 0; i < n; i++)
    relay_event(r, &events[i]);
}

static void *relay_work(void *arg)
{
  struct relay *r = arg;
  uint64_t end_ns = UINT64_MAX;

  thread_set_name("relay");
  thread_exact_timers(true);
  while (end_ns == UINT64_MAX || (r->pairs && clock_now_ns() < end_ns)) {
    relay_look(r, r->way.first && r->way.first->due_ns < end_ns
                    ? r->way.first->due_ns
                    : end_ns);
    relay_arrivals(r);
    relay_bury(r);
    if (end_ns == UINT64_MAX && atomic_load(&r->stopping))
      end_ns = clock_now_ns() + 2 * r->half_ns + STOP_SLACK_NS;
  }
  while (r->pairs)
    relay_close(r, r->pairs, false);
  for (struct relay_chunk *c; (c = queue_take(&r->way)) != NULL; free(c))
    c->to->pair->under_way--;
  relay_bury(r);
  return NULL;
}

static void relay_done(struct relay *r)
{
  if (r->epoll >= 0)
    (void)close(r->epoll);
  if (r->wake_fd >= 0)
    (void)close(r->wake_fd);
  (void)pthread_mutex_destroy(&r->lock);
  free(r);
}

int relay_new(struct relay **ret, uint64_t rtt_ns, struct err *err)
{
  struct relay *r = calloc(1, sizeof(*r));
  struct epoll_event event = { .events = EPOLLIN };
  int rc;

  if (!r)
    return err_set(err, -ENOMEM, "not enough memory");
  (void)pthread_mutex_init(&r->lock, NULL);
  r->half_ns = rtt_ns / 2;
  r->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  r->epoll = epoll_create1(EPOLL_CLOEXEC);
  event.data.ptr = &r->wake;
  if (r->wake_fd < 0 || r->epoll < 0 ||
      epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->wake_fd, &event) < 0)
    rc = err_sys(err, "--rtt cannot wait for sockets,");
  else
    rc = thread_start_masked(&r->thread, relay_work, r, err);
  if (rc < 0)
    relay_done(r);
  else
    *ret = r;
  return rc;
}

static void relay_shut(struct relay_door *d)
{
  (void)close(d->fd);
  if (!*d->place.folder)
    return;
  (void)unlink(d->place.path);
  (void)rmdir(d->place.folder);
}

void relay_stop(struct relay *r)
{
  const uint64_t one = 1;

  if (!r || r->stopped)
    return;
  atomic_store(&r->stopping, true);
  (void)!write(r->wake_fd, &one, sizeof(one));
  (void)pthread_join(r->thread, NULL);
  (void)pthread_mutex_lock(&r->lock);
  r->stopped = true;
  for (struct relay_door *d = r->doors; d; d = d->next)
    relay_shut(d);
  (void)pthread_mutex_unlock(&r->lock);
}

void relay_free(struct relay *r)
{
  if (!r)
    return;
  relay_stop(r);
  for (struct relay_door *d = r->doors, *next; d; d = next) {
    next = d->next;
    free(d);
  }
  relay_done(r);
}

uint64_t relay_round_trip_ns(const struct relay *r)
{
  return r ? atomic_load_explicit(&r->mean_ns, memory_order_relaxed) : 0;
}

/* ---- places ---- */

struct relay_question {
  struct relay *r;
  const char *host, *port; /* NULL: `name` is a path */
  uint64_t until_ns;
  const struct relay_place *place;
  struct err *err;
  int rc;
  char name[512];
};

static bool relay_knows(struct relay_question *q)
{
  for (struct relay_door *d = q->r->doors; d && !q->place; d = d->next) {
    if (strcmp(d->name, q->name) == 0)
      q->place = &d->place;
  }
  return q->place != NULL;
}

static int relay_bind_path(struct relay_door *d, const char *path)
{
  const char *folder = getenv("TMPDIR"), *name = strrchr(path, '/');
  union relay_address at = { .path = { .sun_family = AF_UNIX } };
  int n;

  if (!folder || !*folder || strlen(folder) > RELAY_PATH / 3)
    folder = "/tmp";
  (void)snprintf(d->place.folder, sizeof(d->place.folder),
                 "%s/bench-rtt-XXXXXX", folder);
  if (!mkdtemp(d->place.folder)) {
    d->place.folder[0] = '\0';
    return -errno;
  }
  n = snprintf(d->place.path, RELAY_PATH, "%.60s/%s", d->place.folder,
               name ? name + 1 : path);
  if (n >= RELAY_PATH || (size_t)n >= sizeof(at.path.sun_path))
    return -ENAMETOOLONG;
  memcpy(at.path.sun_path, d->place.path, (size_t)n + 1);
  return bind(d->fd, &at.any, sizeof(at.path)) < 0 ? -errno : 0;
}

/* Only addresses of this machine can be bound. */
static int relay_bind_port(struct relay_door *d)
{
  union relay_address at = d->to;
  socklen_t len = sizeof(at);
  char host[64];
  int rc;

  if (at.any.sa_family == AF_INET && at.four.sin_addr.s_addr == INADDR_ANY)
    at.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (at.any.sa_family == AF_INET6 &&
      IN6_IS_ADDR_UNSPECIFIED(&at.six.sin6_addr))
    at.six.sin6_addr = in6addr_loopback;
  if (at.any.sa_family == AF_INET)
    at.four.sin_port = 0;
  else
    at.six.sin6_port = 0;
  if (bind(d->fd, &at.any, d->len) < 0 || getsockname(d->fd, &at.any, &len) < 0)
    return -errno;
  rc = getnameinfo(&at.any, len, host, sizeof(host), d->place.port,
                   sizeof(d->place.port), NI_NUMERICHOST | NI_NUMERICSERV);
  return rc == 0 ? 0 : -EADDRNOTAVAIL;
}

static int relay_probe(const struct relay_door *d, uint64_t until_ns)
{
  int fd;
  const int rc = stream_open(&fd, &d->to.any, d->len,
                             &(struct stream_limit){ .until_ns = until_ns });

  if (rc == 0)
    (void)close(fd);
  return rc;
}

static int relay_hang(struct relay_question *q, struct relay_door *d)
{
  struct epoll_event event = { .events = EPOLLIN, .data.ptr = d };
  int rc = 0;

  (void)pthread_mutex_lock(&q->r->lock);
  if (q->r->stopped || relay_knows(q))
    rc = -ECANCELED;
  else if (epoll_ctl(q->r->epoll, EPOLL_CTL_ADD, d->fd, &event) < 0)
    rc = -errno;
  if (rc == 0) {
    d->next = q->r->doors;
    q->r->doors = d;
    q->place = &d->place;
  }
  (void)pthread_mutex_unlock(&q->r->lock);
  return rc;
}

static int relay_open_door(struct relay_question *q, struct relay_door *d)
{
  int rc = 0;

  d->fd = stream_socket(d->to.any.sa_family);
  if (d->fd < 0)
    return -errno;
  if (q->port)
    rc = relay_bind_port(d);
  if (rc == 0)
    rc = relay_probe(d, q->until_ns);
  if (rc == 0 && !q->port)
    rc = relay_bind_path(d, q->name);
  if (rc == 0 && listen(d->fd, BACKLOG) < 0)
    rc = -errno;
  if (rc == 0)
    rc = relay_hang(q, d);
  if (rc < 0)
    relay_shut(d);
  return q->place ? 0 : rc;
}

static int relay_try(struct relay_question *q, const struct sockaddr *to,
                     socklen_t len)
{
  const size_t size = strlen(q->name) + 1;
  struct relay_door *d = calloc(1, sizeof(*d) + size);
  int rc;

  if (!d)
    return -ENOMEM;
  d->kind = RELAY_DOOR;
  d->len = len;
  memcpy(&d->to, to, len);
  memcpy(d->name, q->name, size);
  rc = relay_open_door(q, d);
  if (q->place != &d->place)
    free(d);
  return rc;
}

static int relay_try_path(struct relay_question *q)
{
  union relay_address to = { .path = { .sun_family = AF_UNIX } };
  const size_t n = strlen(q->name);
  socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);

  if (n >= sizeof(to.path.sun_path))
    return -ENAMETOOLONG;
  memcpy(to.path.sun_path, q->name, n);
  if (q->name[0] == '@')
    to.path.sun_path[0] = '\0';
  else
    len++;
  return relay_try(q, &to.any, len);
}

static int relay_try_host(struct relay_question *q)
{
  const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  struct addrinfo *list = NULL;
  int rc = -EADDRNOTAVAIL;

  if (getaddrinfo(q->host, q->port, &hints, &list) != 0)
    return -ENXIO;
  for (struct addrinfo *a = list; a && !q->place; a = a->ai_next) {
    const int now = relay_try(q, a->ai_addr, a->ai_addrlen);

    if (now == 0 || rc == -EADDRNOTAVAIL)
      rc = now;
  }
  freeaddrinfo(list);
  return rc;
}

static void relay_answer(void *arg)
{
  struct relay_question *q = arg;
  char text[128];
  const int rc = q->port ? relay_try_host(q) : relay_try_path(q);

  q->rc = rc;
  if (rc == -EADDRNOTAVAIL)
    (void)err_set(q->err, rc,
                  "--rtt needs a server on this machine, and '%.255s' is "
                  "elsewhere: leave --rtt out",
                  q->host);
  else if (rc < 0)
    (void)err_set(q->err, rc, "connection to server at %s failed: %s", q->name,
                  rc == -ENXIO ? "the name has no address"
                               : err_text(-rc, text, sizeof(text)));
}

static int relay_ask(struct relay_question *q, const struct relay_place **ret)
{
  bool known;

  (void)pthread_mutex_lock(&q->r->lock);
  known = relay_knows(q);
  (void)pthread_mutex_unlock(&q->r->lock);
  if (!known)
    loop_aside(relay_answer, q, LOOP_ASIDE_CONNECT);
  *ret = q->place;
  return q->rc;
}

int relay_to_host(struct relay *r, const char *host, const char *port,
                  uint64_t until_ns, const struct relay_place **ret,
                  struct err *err)
{
  struct relay_question q = {
    .r = r, .host = host, .port = port, .until_ns = until_ns, .err = err
  };

  *ret = NULL;
  if (!r)
    return 0;
  (void)snprintf(q.name, sizeof(q.name), "host '%.255s', port %.16s", host,
                 port);
  return relay_ask(&q, ret);
}

int relay_to_path(struct relay *r, const char *path, uint64_t until_ns,
                  const struct relay_place **ret, struct err *err)
{
  struct relay_question q = { .r = r, .until_ns = until_ns, .err = err };

  *ret = NULL;
  if (!r)
    return 0;
  (void)snprintf(q.name, sizeof(q.name), "%s", path);
  return relay_ask(&q, ret);
}
