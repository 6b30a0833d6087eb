/*
 * listener.c - one thread that serves all runs.
 */
#include "ack/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ack/format.h"
#include "ack/received.h"
#include "ack/wire.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/sock.h"
#include "os/os.h"

enum {
  RUNS_MAX = 64, /* at the same time */
  LOOK_MS = 500, /* at runs that say nothing */
  ROOM = sizeof(struct ack_batch) + ACK_WIRE_BATCH,
};

/* A connection; {0} has none. */
struct run {
  bool used;
  int fd;
  char peer[80];
  uint64_t heard_ns;
  struct received file; /* fd -1: the hello has not come */
  char *in;             /* owned; ROOM bytes */
  size_t got;
};

struct ack_listener {
  int fd, folder;
  FILE *out;
  struct run runs[RUNS_MAX];
};

/* ---- one run ---- */

static void end_run(struct ack_listener *l, struct run *r, const char *why)
{
  const bool known = r->file.name[0] != '\0';

  (void)fprintf(l->out, "%s: %s%s%s\n", r->peer, known ? r->file.name : "",
                known ? ": " : "", why);
  received_close(&r->file);
  (void)close(r->fd);
  free(r->in);
  *r = (struct run){ .used = false };
}

static bool reply(const struct run *r, uint64_t number, bool bad,
                  const char *text)
{
  struct ack_reply a = { .magic = ACK_WIRE_REPLY,
                         .bad = bad,
                         .number = number };

  (void)snprintf(a.text, sizeof(a.text), "%s", text);
  return sock_send(r->fd, &a, sizeof(a), 0) == (ssize_t)sizeof(a);
}

static void refuse(struct ack_listener *l, struct run *r, uint64_t number,
                   const char *why)
{
  (void)reply(r, number, true, why);
  end_run(l, r, why);
}

/* A run that has lost its link without a sign of it comes again. */
static void end_others(struct ack_listener *l, const struct run *self,
                       uint64_t run)
{
  for (int i = 0; i < RUNS_MAX; i++) {
    struct run *r = &l->runs[i];

    if (r->used && r != self && r->file.fd >= 0 && r->file.run == run)
      end_run(l, r, "the run has a new link");
  }
}

static void take_hello(struct ack_listener *l, struct run *r)
{
  struct ack_hello hello;
  struct err err = { "" };

  memcpy(&hello, r->in, sizeof(hello));
  if (memcmp(hello.magic, ACK_WIRE_HELLO, sizeof(hello.magic)) != 0) {
    end_run(l, r, "refused: it is no run of bench with --ack-log=tcp:");
    return;
  }
  if (hello.order != ACK_ORDER) {
    refuse(l, r, 0, "refused: the run's machine has another byte order");
    return;
  }
  if (hello.version != ACK_WIRE_VERSION) {
    refuse(l, r, 0, "refused: the run is of another version of bench");
    return;
  }
  end_others(l, r, hello.run);
  if (received_open(&r->file, l->folder, &hello, &err) < 0)
    refuse(l, r, 0, err.text);
  else if (!reply(r, 0, false, r->file.name))
    end_run(l, r, "the link broke");
  else
    (void)fprintf(l->out, "%s: %s: the log %s\n", r->peer, r->file.name,
                  hello.again ? "goes on" : "begins");
}

static void take_batch(struct ack_listener *l, struct run *r,
                       const struct ack_batch *b)
{
  struct err err = { "" };
  int rc = received_apply(&r->file, r->in + sizeof(*b), b->bytes, &err);

  if (rc == 0 && b->last) { /* verify may read it at once */
    rc = received_sync(&r->file, &err);
    received_close(&r->file);
  }
  if (rc < 0)
    refuse(l, r, b->number, err.text);
  else if (!reply(r, b->number, false, ""))
    end_run(l, r, "the link broke");
  else if (b->last)
    end_run(l, r, "the log is complete");
}

/* Takes a message if it is whole.  True: there may be more. */
static bool take_message(struct ack_listener *l, struct run *r)
{
  struct ack_batch b;
  size_t n;

  if (r->file.fd < 0) {
    n = sizeof(struct ack_hello);
    if (r->got < n)
      return false;
    take_hello(l, r);
  } else {
    if (r->got < sizeof(b))
      return false;
    memcpy(&b, r->in, sizeof(b));
    if (b.bytes > ACK_WIRE_BATCH) {
      refuse(l, r, b.number, "refused: a batch is too long");
      return false;
    }
    n = sizeof(b) + b.bytes;
    if (r->got < n)
      return false;
    take_batch(l, r, &b);
  }
  if (!r->used)
    return false;
  r->got -= n;
  memmove(r->in, r->in + n, r->got);
  return true;
}

static void hear(struct ack_listener *l, struct run *r)
{
  const ssize_t n = sock_recv(r->fd, r->in + r->got, ROOM - r->got);

  if (n > 0) {
    r->heard_ns = clock_now_ns();
    r->got += (size_t)n;
    while (take_message(l, r))
      ;
  } else if (n == 0 || !sock_is_early(errno)) {
    end_run(l, r, "the link broke: the log ends here, unless the run is back");
  }
}

/* ---- all of them ---- */

static void name_peer(const struct sockaddr *addr, socklen_t len, char *ret,
                      size_t size)
{
  char host[NI_MAXHOST], port[NI_MAXSERV];

  if (getnameinfo(addr, len, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) == 0)
    (void)snprintf(ret, size, "%.60s port %.10s", host, port);
  else
    (void)snprintf(ret, size, "a run");
}

static struct run *free_place(struct ack_listener *l)
{
  for (int i = 0; i < RUNS_MAX; i++) {
    if (!l->runs[i].used)
      return &l->runs[i];
  }
  return NULL;
}

/* False: runs that call cannot be accepted, and will call on. */
static bool accept_run(struct ack_listener *l)
{
  struct sockaddr_storage addr;
  socklen_t len = sizeof(addr);
  const int fd = accept4(l->fd, (struct sockaddr *)&addr, &len,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
  struct run *r;

  if (fd < 0)
    return !sock_is_exhausted();
  r = free_place(l);
  if (r)
    *r = (struct run){ .used = true,
                       .fd = fd,
                       .file.fd = -1,
                       .heard_ns = clock_now_ns(),
                       .in = malloc(ROOM) };
  if (!r || !r->in) {
    if (r)
      r->used = false;
    (void)close(fd);
    return true;
  }
  name_peer((const struct sockaddr *)&addr, len, r->peer, sizeof(r->peer));
  return true;
}

static void end_quiet_runs(struct ack_listener *l)
{
  const uint64_t now = clock_now_ns();

  for (int i = 0; i < RUNS_MAX; i++) {
    struct run *r = &l->runs[i];

    if (r->used && now - r->heard_ns > ACK_WIRE_QUIET_S * NS_PER_S)
      end_run(l, r,
              "nothing was heard for 10 s: the log ends here, unless the "
              "run is back");
  }
}

int ack_listener_serve(struct ack_listener *l, int stop, struct err *err)
{
  struct pollfd p[RUNS_MAX + 2];
  uint64_t deaf_until_ns = 0; /* to runs that call */

  for (;;) {
    p[0] = (struct pollfd){ .fd = stop, .events = POLLIN };
    p[1] = (struct pollfd){ .fd = clock_now_ns() < deaf_until_ns ? -1 : l->fd,
                            .events = POLLIN };
    for (int i = 0; i < RUNS_MAX; i++)
      p[i + 2] = (struct pollfd){ .fd = l->runs[i].used ? l->runs[i].fd : -1,
                                  .events = POLLIN };
    if (poll(p, RUNS_MAX + 2, LOOK_MS) < 0 && errno != EINTR)
      return err_sys(err, "cannot wait for runs,");
    if (p[0].revents)
      return 0;
    for (int i = 0; i < RUNS_MAX; i++) {
      if (p[i + 2].revents && l->runs[i].used)
        hear(l, &l->runs[i]);
    }
    end_quiet_runs(l);
    if (p[1].revents && !accept_run(l))
      deaf_until_ns = clock_now_ns() + LOOK_MS * NS_PER_MS;
    (void)fflush(l->out);
  }
}

int ack_listener_open(struct ack_listener **ret, const struct sockaddr *where,
                      socklen_t len, const char *folder, FILE *out,
                      struct err *err)
{
  struct ack_listener *l = calloc(1, sizeof(*l));
  const int on = 1;
  int rc = 0;

  if (!l)
    return err_set(err, -ENOMEM, "not enough memory to listen");
  l->out = out;
  l->fd = -1;
  l->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (l->folder < 0 || faccessat(l->folder, ".", W_OK | X_OK, 0) < 0) {
    rc = err_sys(err, "--dir: cannot make files in '%.400s',", folder);
  } else {
    l->fd = os_stream_socket(where->sa_family);
    if (l->fd >= 0)
      (void)setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (l->fd < 0 || bind(l->fd, where, len) < 0 || listen(l->fd, RUNS_MAX) < 0)
      rc = err_sys(err, "cannot listen,");
  }
  if (rc < 0) {
    ack_listener_free(l);
    return rc;
  }
  *ret = l;
  return 0;
}

unsigned ack_listener_port(const struct ack_listener *l)
{
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } at;
  socklen_t len = sizeof(at);

  memset(&at, 0, sizeof(at));
  (void)getsockname(l->fd, &at.any, &len);
  return ntohs(at.any.sa_family == AF_INET6 ? at.v6.sin6_port : at.v4.sin_port);
}

void ack_listener_free(struct ack_listener *l)
{
  if (!l)
    return;
  for (int i = 0; i < RUNS_MAX; i++) {
    if (l->runs[i].used)
      end_run(l, &l->runs[i], "the listener ends");
  }
  if (l->fd >= 0)
    (void)close(l->fd);
  if (l->folder >= 0)
    (void)close(l->folder);
  free(l);
}
