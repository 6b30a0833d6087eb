/*
 * http.c - a server of one text over HTTP.
 */
#include "results/http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "results/address.h"
#include "results/thread.h"

enum {
  REQUEST_MOST = 8192
};

/* With a reader, from its call to the last byte that it takes. */
#define PATIENCE_NS (2 * NS_PER_S)
/* From one attempt to answer a call to the next, where there are no descriptors
 * for it. */
#define RETRY_MS 100

/* A reader that is being served. */
struct reader {
  int fd;   /* does not block */
  int wake; /* see struct http */
  uint64_t until_ns;
};

static void close_fd(int *fd)
{
  if (*fd >= 0)
    (void)close(*fd);
  *fd = -1;
}

int http_open(struct http *h, const struct address *where, const char *text,
              struct err *err)
{
  const int on = 1;
  int rc;

  memset(h, 0, sizeof(*h));
  h->wake[0] = h->wake[1] = -1;
  h->listener = socket(where->addr.ss_family,
                       SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (h->listener < 0)
    return err_sys(err, "cannot listen at '%s',", text);
  (void)setsockopt(h->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(h->listener, (const struct sockaddr *)&where->addr, where->len) <
        0 ||
      listen(h->listener, 16) < 0 || pipe2(h->wake, O_CLOEXEC) < 0) {
    rc = err_sys(err, "cannot listen at '%s',", text);
    close_fd(&h->listener);
    return rc;
  }
  return 0;
}

/* Until the reader has something for us, or takes something; false: it was
 * slow, or the server is to end. */
static bool await(const struct reader *r, short events)
{
  for (;;) {
    struct pollfd fds[2] = {
      { .fd = r->wake, .events = POLLIN },
      { .fd = r->fd, .events = events },
    };
    const uint64_t now = clock_now_ns();
    int n;

    if (now >= r->until_ns)
      return false;
    n = poll(fds, 2, (int)((r->until_ns - now) / NS_PER_MS) + 1);
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0)
      return fds[0].revents == 0;
  }
}

/* Has a call failed that is to be tried again when await() says so? */
static bool is_early(ssize_t n)
{
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

static void send_all(const struct reader *r, const struct strbuf *b)
{
  size_t done = 0;

  while (done < b->len) {
    const ssize_t n = send(r->fd, b->text + done, b->len - done, MSG_NOSIGNAL);

    if (n > 0)
      done += (size_t)n;
    else if (!is_early(n) || !await(r, POLLOUT))
      return; /* the reader has gone, or sleeps */
  }
}

/* Until the empty line; false: none came. */
static bool read_request(const struct reader *r, char *to, size_t size)
{
  size_t len = 0;

  while (len + 1 < size && await(r, POLLIN)) {
    const ssize_t n = recv(r->fd, to + len, size - 1 - len, 0);

    if (is_early(n))
      continue;
    if (n <= 0)
      return false;
    len += (size_t)n;
    to[len] = '\0';
    if (strstr(to, "\r\n\r\n") || strstr(to, "\n\n"))
      return true;
  }
  return false;
}

static bool is_path(const char *request, const char *path)
{
  const size_t len = strlen(path);

  return strncmp(request, path, len) == 0 &&
         (request[len] == ' ' || request[len] == '?');
}

static void answer(const struct http *h, const char *request,
                   const struct reader *r)
{
  const char *status = "200 OK";
  struct strbuf body = { 0 }, all = { 0 };

  if (strncmp(request, "GET ", 4) != 0)
    status = "405 Method Not Allowed";
  else if (!is_path(request + 4, "/metrics") && !is_path(request + 4, "/"))
    status = "404 Not Found";
  else
    h->content(h->arg, &body);
  strbuf_addf(&all,
              "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
              "Connection: close\r\n\r\n",
              status, h->type, body.len);
  strbuf_add(&all, strbuf_str(&body), body.len);
  if (!all.failed && !body.failed)
    send_all(r, &all);
  strbuf_done(&body);
  strbuf_done(&all);
}

static void serve(const struct http *h, int fd)
{
  const struct reader r = { .fd = fd,
                            .wake = h->wake[0],
                            .until_ns = clock_now_ns() + PATIENCE_NS };
  char request[REQUEST_MOST];

  if (read_request(&r, request, sizeof(request)))
    answer(h, request, &r);
}

/* Has accept() failed for a reason that stays?  Then the call does, too, and
 * poll() would tell of it at once, again and again. */
static bool is_exhausted(void)
{
  return errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
         errno == ENOMEM;
}

static void *http_main(void *arg)
{
  const struct http *h = arg;
  struct pollfd fds[2] = {
    { .fd = h->wake[0], .events = POLLIN },
    { .fd = h->listener, .events = POLLIN },
  };

  for (;;) {
    int fd;

    if (poll(fds, 2, -1) < 0 && errno != EINTR)
      return NULL;
    if (fds[0].revents)
      return NULL;
    fd = accept4(h->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (is_exhausted())
        (void)poll(fds, 1, RETRY_MS);
      continue;
    }
    serve(h, fd);
    (void)close(fd);
  }
}

int http_start(struct http *h, const char *type,
               void (*content)(void *arg, struct strbuf *out), void *arg,
               struct err *err)
{
  int rc;

  h->type = type;
  h->content = content;
  h->arg = arg;
  rc = results_thread_start(&h->thread, http_main, h, err);
  h->running = rc == 0;
  return rc;
}

void http_stop(struct http *h)
{
  /* The one byte that is ever written: it finds room. */
  while (h->running && write(h->wake[1], "", 1) < 0 && errno == EINTR)
    continue;
  if (h->running)
    (void)pthread_join(h->thread, NULL);
  h->running = false;
  close_fd(&h->wake[0]);
  close_fd(&h->wake[1]);
  close_fd(&h->listener);
}
