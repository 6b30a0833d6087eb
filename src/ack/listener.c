/*
 * listener.c - one thread serves all runs.
 */
#include "ack/listener.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ack/format.h"
#include "ack/token.h"
#include "ack/wire.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/minmax.h"
#include "base/os/os.h"
#include "base/sock.h"

enum {
  RECEIVED_PAST = 256,
};

struct received_folder {
  int fd;
  uint64_t log_limit, dir_limit; /* bytes: one log; all logs */
  uint64_t used;

  /* Runs that can connect again, and the limits of their logs. */
  struct {
    uint64_t run, most;
  } past[RECEIVED_PAST];
  unsigned next_past;
};

struct received {
  int fd; /* -1: no file */
  struct received_folder *folder;
  uint64_t run, bytes;
  uint64_t most; /* size limit: follows from what was sent */
  char name[64];
};

#define NAME_START "acks-"

/* Limits for announced chunks: bytes, or part of --log-limit. */
enum {
  EARLY_BYTES = 1 << 30,
  EARLY_PART = 16,
};

static void listener_make_name(struct received *r,
                               const struct ack_hello *hello)
{
  const time_t at = (time_t)(hello->start_real_ns / NS_PER_S);
  char when[32] = "";
  struct tm tm;

  if (gmtime_r(&at, &tm))
    (void)strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
  (void)snprintf(r->name, sizeof(r->name), NAME_START "%s-%08" PRIx32 ".log",
                 when, (uint32_t)hello->run);
}

/* Leaves out files that cannot be examined. */
static void received_count(struct received_folder *f)
{
  const int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir(fd);
  const struct dirent *e;
  struct stat st;

  if (!dir) {
    if (fd >= 0)
      (void)close(fd);
    return;
  }
  f->used = 0;
  while ((e = readdir(dir)) != NULL) {
    if (strncmp(e->d_name, NAME_START, strlen(NAME_START)) == 0 &&
        fstatat(f->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(st.st_mode))
      f->used += (uint64_t)st.st_size;
  }
  (void)closedir(dir);
}

/* Counts again before a refusal: the user can have removed logs. */
static int received_reserve(struct received_folder *f, uint64_t bytes,
                            struct err *err)
{
  if (f->used + bytes > f->dir_limit)
    received_count(f);
  if (f->used + bytes > f->dir_limit)
    return err_set(err, -EDQUOT,
                   "refused: all logs together would exceed --dir-limit, "
                   "%" PRIu64 " bytes",
                   f->dir_limit);
  return 0;
}

/* A complete log is write-protected. */
static bool received_is_complete(const struct received_folder *f,
                                 const char *name)
{
  struct stat st;

  return fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
         (st.st_mode & S_IWUSR) == 0;
}

/* Without this, every new link could announce unfilled chunks again. */
static void received_remember(const struct received *r)
{
  struct received_folder *f = r->folder;
  unsigned i = 0;

  while (i < RECEIVED_PAST && f->past[i].run != r->run)
    i++;
  if (i == RECEIVED_PAST) {
    i = f->next_past;
    f->next_past = (i + 1) % RECEIVED_PAST;
  }
  f->past[i].run = r->run;
  f->past[i].most = r->most;
}

static void received_close(struct received *r)
{
  if (r->fd >= 0) {
    if (r->most > 0)
      received_remember(r);
    (void)close(r->fd);
  }
  r->fd = -1;
}

/* Locks the file. -EALREADY: the log is complete. -EDQUOT: the folder is full,
 * or the run announces too many chunks. */
static int received_open(struct received *r, struct received_folder *folder,
                         const struct ack_hello *hello, struct err *err)
{
  const int how = hello->again ? 0 : O_CREAT | O_EXCL;
  const uint64_t early = (uint64_t)hello->chunks * ACK_WIRE_CHUNK;
  struct stat st;
  int rc;

  *r = (struct received){ .fd = -1, .folder = folder, .run = hello->run };
  listener_make_name(r, hello);
  if (hello->again && received_is_complete(folder, r->name))
    return err_set(err, -EALREADY, "refused: the log is complete");
  if (early > max_u64(EARLY_BYTES, folder->log_limit / EARLY_PART))
    return err_set(err, -EDQUOT,
                   "refused: so many clients need a --log-limit of %" PRIu64
                   " bytes, and it is %" PRIu64,
                   early * EARLY_PART, folder->log_limit);
  received_count(folder);
  rc = received_reserve(folder, hello->again ? 0 : ACK_WIRE_CHUNK, err);
  if (rc < 0)
    return rc;
  r->fd = openat(folder->fd, r->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | how,
                 0644);
  if (r->fd < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  if (flock(r->fd, LOCK_EX | LOCK_NB) < 0 || fstat(r->fd, &st) < 0) {
    rc = err_sys(err, "cannot use '%s',", r->name);
    received_close(r);
    return rc;
  }
  r->bytes = (uint64_t)st.st_size;
  r->most = r->bytes + early + ACK_WIRE_CHUNK;
  for (unsigned i = 0; hello->again && i < RECEIVED_PAST; i++) {
    if (folder->past[i].run == hello->run && folder->past[i].most > 0)
      r->most = folder->past[i].most;
  }
  return 0;
}

/* The file always ends with a whole chunk. */
static int listener_grow(struct received *r, uint64_t to, struct err *err)
{
  const uint64_t bytes = (to + ACK_WIRE_CHUNK - 1) / ACK_WIRE_CHUNK *
                         ACK_WIRE_CHUNK;
  int rc;

  if (bytes <= r->bytes)
    return 0;
  if (bytes > r->most)
    return err_set(err, -EDQUOT,
                   "refused: the log is much longer than what was sent");
  if (bytes > r->folder->log_limit)
    return err_set(err, -EDQUOT,
                   "refused: the log would exceed --log-limit, %" PRIu64
                   " bytes",
                   r->folder->log_limit);
  rc = received_reserve(r->folder, bytes - r->bytes, err);
  if (rc < 0)
    return rc;
  if (ftruncate(r->fd, (off_t)bytes) < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  r->folder->used += bytes - r->bytes;
  r->bytes = bytes;
  return 0;
}

static int listener_write_all(struct received *r, const char *from,
                              const struct ack_frame *f, struct err *err)
{
  size_t done = 0;

  while (done < f->bytes) {
    const ssize_t n = pwrite(r->fd, from + done, f->bytes - done,
                             (off_t)(f->offset + done));

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return err_sys(err, "cannot write '%s',", r->name);
    done += (size_t)n;
  }
  return 0;
}

/* -EPROTO: a frame is invalid or begins behind the end of the file. -EDQUOT:
 * the file would be too long. */
static int received_apply(struct received *r, const char *frames, size_t n,
                          struct err *err)
{
  size_t at = 0;

  r->most += n;
  while (at < n) {
    struct ack_frame f;
    int rc;

    if (n - at < sizeof(f))
      return err_set(err, -EPROTO, "a frame is cut");
    memcpy(&f, frames + at, sizeof(f));
    at += sizeof(f);
    if (f.bytes == 0 || f.bytes > n - at || f.offset > r->bytes ||
        f.offset > ACK_WIRE_FILE_BYTES - f.bytes)
      return err_set(err, -EPROTO, "a frame is wrong");
    rc = listener_grow(r, f.offset + f.bytes, err);
    if (rc == 0)
      rc = listener_write_all(r, frames + at, &f, err);
    if (rc < 0)
      return rc;
    at += f.bytes;
  }
  return 0;
}

/* Writes the log to the disk.  Nobody can open it again. */
static int received_complete(const struct received *r, struct err *err)
{
  if (fdatasync(r->fd) < 0)
    return err_sys(err, "cannot write '%s',", r->name);
  (void)fchmod(
    r->fd, 0444); /* fails on some file systems; the log is valid even then */
  return 0;
}

enum {
  RUNS_MAX = 64,
  LOOK_MS = 500,
  NEWS = 1 << 14, /* bytes that prove that the run is alive */
  ROOM = sizeof(struct ack_batch) + ACK_WIRE_BATCH,
};

struct run {
  bool used;
  int fd;
  char peer[80];
  uint64_t heard_ns; /* time of acceptance, then of the last message or part */
  struct received file; /* fd -1: not admitted yet */
  struct ack_hello hello;
  bool challenged; /* waits for the proof */
  uint8_t nonce[ACK_WIRE_NONCE];
  size_t news;
  char *in; /* owned; ROOM bytes */
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

static void listener_end_run(struct ack_listener *l, struct run *r,
                             const char *why)
{
  const bool known = r->file.name[0] != '\0';

  (void)fprintf(l->out, "%s: %s%s%s\n", r->peer, known ? r->file.name : "",
                known ? ": " : "", why);
  received_close(&r->file);
  (void)close(r->fd);
  free(r->in);
  *r = (struct run){ .used = false };
}

static bool listener_reply(const struct run *r, uint64_t number, uint32_t bad,
                           const char *text)
{
  struct ack_reply a = { .magic = ACK_WIRE_REPLY,
                         .bad = bad,
                         .number = number };

  (void)snprintf(a.text, sizeof(a.text), "%s", text);
  return sock_send(r->fd, &a, sizeof(a), 0) == (ssize_t)sizeof(a);
}

static void listener_refuse(struct ack_listener *l, struct run *r,
                            uint64_t number, const char *why)
{
  (void)listener_reply(r, number, 1, why);
  listener_end_run(l, r, why);
}

/* The run noticed a lost link before the listener did. */
static void listener_end_others(struct ack_listener *l, const struct run *self,
                                uint64_t run)
{
  for (int i = 0; i < RUNS_MAX; i++) {
    struct run *r = &l->runs[i];

    if (r->used && r != self && r->file.fd >= 0 && r->file.run == run)
      listener_end_run(l, r, "the run has a new link");
  }
}

static void listener_admit(struct ack_listener *l, struct run *r)
{
  struct err err = { "" };
  int rc;

  listener_end_others(l, r, r->hello.run);
  rc = received_open(&r->file, &l->folder, &r->hello, &err);
  r->heard_ns = clock_now_ns();
  if (rc == -EALREADY) {
    (void)listener_reply(r, 0, ACK_WIRE_COMPLETE, err.text);
    listener_end_run(l, r, err.text);
  } else if (rc < 0) {
    listener_refuse(l, r, 0, err.text);
  } else if (!listener_reply(r, 0, 0, r->file.name)) {
    listener_end_run(l, r, "the link broke");
  } else {
    (void)fprintf(l->out, "%s: %s: the log %s\n", r->peer, r->file.name,
                  r->hello.again ? "goes on" : "begins");
  }
}

static void listener_challenge(struct ack_listener *l, struct run *r)
{
  struct ack_reply a = { .magic = ACK_WIRE_REPLY,
                         .number = ACK_WIRE_CHALLENGE };

  if (getrandom(r->nonce, sizeof(r->nonce), 0) != (ssize_t)sizeof(r->nonce)) {
    listener_refuse(l, r, 0, "refused: the system gives no random numbers");
    return;
  }
  memcpy(a.text, r->nonce, sizeof(r->nonce));
  r->challenged = true;
  if (sock_send(r->fd, &a, sizeof(a), 0) != (ssize_t)sizeof(a))
    listener_end_run(l, r, "the link broke");
}

/* NULL: no fault. */
static const char *listener_hello_fault(const struct ack_hello *hello, size_t n)
{
  if (n >= offsetof(struct ack_hello, run) && hello->order != ACK_ORDER)
    return "refused: the run's machine has another byte order";
  if (n >= offsetof(struct ack_hello, chunks) &&
      hello->version != ACK_WIRE_VERSION)
    return "refused: the run is of another version of bench";
  return NULL;
}

static size_t listener_take_hello(struct ack_listener *l, struct run *r)
{
  const size_t n = min_u64(r->got, sizeof(r->hello));
  const char *fault;

  memcpy(&r->hello, r->in, n);
  if (memcmp(r->hello.magic, ACK_WIRE_HELLO,
             min_u64(n, sizeof(r->hello.magic))) != 0) {
    listener_end_run(l, r,
                     "refused: it is not a run of bench with --ack-log=tcp:");
    return 0;
  }
  fault = listener_hello_fault(&r->hello, n);
  if (fault)
    listener_refuse(l, r, 0, fault);
  if (fault || n < sizeof(r->hello))
    return 0;
  if (l->token.len > 0)
    listener_challenge(l, r);
  else
    listener_admit(l, r);
  return sizeof(r->hello);
}

static size_t listener_take_proof(struct ack_listener *l, struct run *r)
{
  struct ack_proof proof;

  if (r->got < sizeof(proof))
    return 0;
  memcpy(&proof, r->in, sizeof(proof));
  if (ack_token_accepts(&l->token, &r->hello, r->nonce, &proof))
    listener_admit(l, r);
  else
    listener_refuse(l, r, 0, "refused: the run has another token");
  return sizeof(proof);
}

static void listener_take_batch(struct ack_listener *l, struct run *r,
                                const struct ack_batch *b)
{
  struct err err = { "" };
  int rc = received_apply(&r->file, r->in + sizeof(*b), b->bytes, &err);

  if (rc == 0 && b->last) { /* verify may read the file at once */
    rc = received_complete(&r->file, &err);
    received_close(&r->file);
  }
  if (rc < 0)
    listener_refuse(l, r, b->number, err.text);
  else if (!listener_reply(r, b->number, 0, ""))
    listener_end_run(l, r, "the link broke");
  else if (b->last)
    listener_end_run(l, r, "the log is complete");
}

static size_t listener_take_whole_batch(struct ack_listener *l, struct run *r)
{
  struct ack_batch b;
  size_t n;

  if (r->got < sizeof(b))
    return 0;
  memcpy(&b, r->in, sizeof(b));
  if (b.bytes > ACK_WIRE_BATCH) {
    listener_refuse(l, r, b.number, "refused: a batch is too long");
    return 0;
  }
  n = sizeof(b) + b.bytes;
  if (r->got < n)
    return 0;
  r->heard_ns = clock_now_ns();
  listener_take_batch(l, r, &b);
  return n;
}

/* True: look for another message. */
static bool listener_take_message(struct ack_listener *l, struct run *r)
{
  size_t n;

  if (r->file.fd >= 0)
    n = listener_take_whole_batch(l, r);
  else if (r->challenged)
    n = listener_take_proof(l, r);
  else
    n = listener_take_hello(l, r);
  if (!r->used || n == 0)
    return false;
  r->got -= n;
  memmove(r->in, r->in + n, r->got);
  return r->got > 0;
}

static void listener_hear(struct ack_listener *l, struct run *r)
{
  const ssize_t n = sock_recv(r->fd, r->in + r->got, ROOM - r->got);

  if (n > 0) {
    r->got += (size_t)n;
    r->news += (size_t)n;
    if (r->file.fd >= 0 && r->news >= NEWS) { /* single bytes do not count */
      r->heard_ns = clock_now_ns();
      r->news = 0;
    }
    while (listener_take_message(l, r))
      ;
  } else if (n == 0 || !sock_is_early(errno)) {
    listener_end_run(
      l, r, "the link broke: the log ends here, unless the run is back");
  }
}

static void listener_name_peer(const struct sockaddr *addr, socklen_t len,
                               char *ret, size_t size)
{
  char host[NI_MAXHOST], port[NI_MAXSERV];

  if (getnameinfo(addr, len, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) == 0)
    (void)snprintf(ret, size, "%.60s port %.10s", host, port);
  else
    (void)snprintf(ret, size, "a run");
}

/* If all places are taken, the run that has waited longest for admission gives
 * way. */
static struct run *listener_free_place(struct ack_listener *l)
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
    listener_end_run(l, oldest, "refused: no whole greeting, and others wait");
  return oldest;
}

/* False: no descriptors; connections wait in the queue. */
static bool listener_accept_run(struct ack_listener *l)
{
  struct sockaddr_storage addr;
  socklen_t len = sizeof(addr);
  const int fd = accept4(l->fd, (struct sockaddr *)&addr, &len,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
  struct run *r;

  if (fd < 0)
    return !sock_is_exhausted();
  r = listener_free_place(l);
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
  listener_name_peer((const struct sockaddr *)&addr, len, r->peer,
                     sizeof(r->peer));
  return true;
}

static void listener_end_quiet_runs(struct ack_listener *l)
{
  const uint64_t now = clock_now_ns();

  for (int i = 0; i < RUNS_MAX; i++) {
    struct run *r = &l->runs[i];

    if (!r->used || now - r->heard_ns <= l->quiet_ns)
      continue;
    listener_end_run(
      l, r,
      r->file.fd < 0
        ? "refused: no whole greeting within 10 s"
        : "nothing was heard for 10 s: the log ends here, unless the "
          "run is back");
  }
}

int ack_listener_serve(struct ack_listener *l, int stop, struct err *err)
{
  struct pollfd p[RUNS_MAX + 2];
  uint64_t deaf_until_ns = 0;

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
        listener_hear(l, &l->runs[i]);
    }
    listener_end_quiet_runs(l);
    if (p[1].revents && !listener_accept_run(l))
      deaf_until_ns = clock_now_ns() + LOOK_MS * NS_PER_MS;
    (void)fflush(l->out);
  }
}

static int listener_open_folder(struct ack_listener *l,
                                const struct ack_listener_cfg *cfg,
                                struct err *err)
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
  rc = listener_open_folder(l, cfg, err);
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
      listener_end_run(l, &l->runs[i], "the listener ends");
  }
  if (l->fd >= 0)
    (void)close(l->fd);
  if (l->folder.fd >= 0)
    (void)close(l->folder.fd);
  explicit_bzero(&l->token, sizeof(l->token));
  free(l);
}
