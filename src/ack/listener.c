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
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "ack/format.h"
#include "ack/received.h"
#include "ack/token.h"
#include "ack/wire.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/sock.h"
#include "os/os.h"

enum {
  RUNS_MAX = 64,  /* at the same time */
  LOOK_MS = 500,  /* at runs that say nothing */
  NEWS = 1 << 14, /* so many bytes of a batch show that the run is there */
  ROOM = sizeof(struct ack_batch) + ACK_WIRE_BATCH,
};

/* A connection; {0} has none. */
struct run {
  bool used;
  int fd;
  char peer[80];
  uint64_t heard_ns;    /* accepted; later: the last message or part of it */
  struct received file; /* fd -1: the run is not admitted yet */
  struct ack_hello hello;
  bool challenged; /* the nonce was sent, and its proof comes next */
  uint8_t nonce[ACK_WIRE_NONCE];
  size_t news; /* bytes since heard_ns */
  char *in;    /* owned; ROOM bytes */
  size_t got;
};

struct ack_listener {
  int fd;
  struct received_folder folder;
  struct ack_token token;
  uint64_t quiet_ns;
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

static bool reply(const struct run *r, uint64_t number, uint32_t bad,
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
  (void)reply(r, number, 1, why);
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

/* The run may write: open its log. */
static void admit(struct ack_listener *l, struct run *r)
{
  struct err err = { "" };
  int rc;

  end_others(l, r, r->hello.run);
  rc = received_open(&r->file, &l->folder, &r->hello, &err);
  r->heard_ns = clock_now_ns();
  if (rc == -EALREADY) {
    (void)reply(r, 0, ACK_WIRE_COMPLETE, err.text);
    end_run(l, r, err.text);
  } else if (rc < 0) {
    refuse(l, r, 0, err.text);
  } else if (!reply(r, 0, 0, r->file.name)) {
    end_run(l, r, "the link broke");
  } else {
    (void)fprintf(l->out, "%s: %s: the log %s\n", r->peer, r->file.name,
                  r->hello.again ? "goes on" : "begins");
  }
}

static void challenge(struct ack_listener *l, struct run *r)
{
  struct ack_reply a = { .magic = ACK_WIRE_REPLY,
                         .number = ACK_WIRE_CHALLENGE };

  if (getrandom(r->nonce, sizeof(r->nonce), 0) != (ssize_t)sizeof(r->nonce)) {
    refuse(l, r, 0, "refused: the system gives no random numbers");
    return;
  }
  memcpy(a.text, r->nonce, sizeof(r->nonce));
  r->challenged = true;
  if (sock_send(r->fd, &a, sizeof(a), 0) != (ssize_t)sizeof(a))
    end_run(l, r, "the link broke");
}

/* NULL: nothing is wrong with the beginning of a hello, `n` bytes. */
static const char *hello_fault(const struct ack_hello *hello, size_t n)
{
  if (n >= offsetof(struct ack_hello, run) && hello->order != ACK_ORDER)
    return "refused: the run's machine has another byte order";
  if (n >= offsetof(struct ack_hello, chunks) &&
      hello->version != ACK_WIRE_VERSION)
    return "refused: the run is of another version of bench";
  return NULL;
}

/* Returns the number of bytes that were taken. */
static size_t take_hello(struct ack_listener *l, struct run *r)
{
  const size_t n = min_u64(r->got, sizeof(r->hello));
  const char *fault;

  memcpy(&r->hello, r->in, n);
  if (memcmp(r->hello.magic, ACK_WIRE_HELLO,
             min_u64(n, sizeof(r->hello.magic))) != 0) {
    end_run(l, r, "refused: it is no run of bench with --ack-log=tcp:");
    return 0;
  }
  fault = hello_fault(&r->hello, n);
  if (fault)
    refuse(l, r, 0, fault);
  if (fault || n < sizeof(r->hello))
    return 0;
  if (l->token.len > 0)
    challenge(l, r);
  else
    admit(l, r);
  return sizeof(r->hello);
}

static size_t take_proof(struct ack_listener *l, struct run *r)
{
  struct ack_proof proof;

  if (r->got < sizeof(proof))
    return 0;
  memcpy(&proof, r->in, sizeof(proof));
  if (ack_token_accepts(&l->token, &r->hello, r->nonce, &proof))
    admit(l, r);
  else
    refuse(l, r, 0, "refused: the run has another token");
  return sizeof(proof);
}

static void take_batch(struct ack_listener *l, struct run *r,
                       const struct ack_batch *b)
{
  struct err err = { "" };
  int rc = received_apply(&r->file, r->in + sizeof(*b), b->bytes, &err);

  if (rc == 0 && b->last) { /* verify may read it at once */
    rc = received_complete(&r->file, &err);
    received_close(&r->file);
  }
  if (rc < 0)
    refuse(l, r, b->number, err.text);
  else if (!reply(r, b->number, 0, ""))
    end_run(l, r, "the link broke");
  else if (b->last)
    end_run(l, r, "the log is complete");
}

static size_t take_whole_batch(struct ack_listener *l, struct run *r)
{
  struct ack_batch b;
  size_t n;

  if (r->got < sizeof(b))
    return 0;
  memcpy(&b, r->in, sizeof(b));
  if (b.bytes > ACK_WIRE_BATCH) {
    refuse(l, r, b.number, "refused: a batch is too long");
    return 0;
  }
  n = sizeof(b) + b.bytes;
  if (r->got < n)
    return 0;
  r->heard_ns = clock_now_ns();
  take_batch(l, r, &b);
  return n;
}

/* Takes a message if it is whole.  True: there may be more. */
static bool take_message(struct ack_listener *l, struct run *r)
{
  size_t n;

  if (r->file.fd >= 0)
    n = take_whole_batch(l, r);
  else if (r->challenged)
    n = take_proof(l, r);
  else
    n = take_hello(l, r);
  if (!r->used || n == 0)
    return false;
  r->got -= n;
  memmove(r->in, r->in + n, r->got);
  return r->got > 0;
}

static void hear(struct ack_listener *l, struct run *r)
{
  const ssize_t n = sock_recv(r->fd, r->in + r->got, ROOM - r->got);

  if (n > 0) {
    r->got += (size_t)n;
    r->news += (size_t)n;
    if (r->file.fd >= 0 && r->news >= NEWS) { /* single bytes are no news */
      r->heard_ns = clock_now_ns();
      r->news = 0;
    }
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

/* If all places are taken, the one that has waited longest for admission gives
 * way: a run takes milliseconds for that, and a stranger may take for ever. */
static struct run *free_place(struct ack_listener *l)
{
  struct run *oldest = NULL;

  for (int i = 0; i < RUNS_MAX; i++) {
    struct run *r = &l->runs[i];

    if (!r->used)
      return r;
    if (r->file.fd < 0 && (!oldest || r->heard_ns < oldest->heard_ns))
      oldest = r;
  }
  if (oldest)
    end_run(l, oldest, "refused: no whole greeting, and others wait");
  return oldest;
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

    if (!r->used || now - r->heard_ns <= l->quiet_ns)
      continue;
    end_run(l, r,
            r->file.fd < 0
              ? "refused: no whole greeting within 10 s"
              : "nothing was heard for 10 s: the log ends here, unless the "
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

static int open_folder(struct ack_listener *l,
                       const struct ack_listener_cfg *cfg, struct err *err)
{
  const int fd = open(cfg->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  l->folder = (struct received_folder){ .fd = fd,
                                        .log_limit = cfg->log_limit,
                                        .dir_limit = cfg->dir_limit };
  if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, 0) < 0)
    return err_sys(err, "--dir: cannot make files in '%.400s',", cfg->folder);
  return 0;
}

int ack_listener_open(struct ack_listener **ret,
                      const struct ack_listener_cfg *cfg, struct err *err)
{
  struct ack_listener *l = calloc(1, sizeof(*l));
  const int on = 1;
  int rc;

  if (!l)
    return err_set(err, -ENOMEM, "not enough memory to listen");
  l->out = cfg->out;
  l->quiet_ns = cfg->quiet_ns;
  l->fd = -1;
  rc = open_folder(l, cfg, err);
  if (rc == 0)
    rc = ack_token_read(&l->token, cfg->token_file, err);
  if (rc == 0) {
    l->fd = os_stream_socket(cfg->where->sa_family);
    if (l->fd >= 0)
      (void)setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (l->fd < 0 || bind(l->fd, cfg->where, cfg->len) < 0 ||
        listen(l->fd, RUNS_MAX) < 0)
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
  if (l->folder.fd >= 0)
    (void)close(l->folder.fd);
  explicit_bzero(&l->token, sizeof(l->token));
  free(l);
}
