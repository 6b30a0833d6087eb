/*
 * http.c - a small server over HTTP, around one poll().
 */
#include "results/http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/thread.h"
#include "results/address.h"

enum {
  REQUEST_MAX = 8192,
  /* The order for poll(): the pipe, the listener, then the readers. */
  AT_WAKE = 0,
  AT_LISTENER = 1,
  AT_READERS = 2,
};

/* The time for one reader, from its call to the last byte that it takes. */
#define PATIENCE_NS (2 * NS_PER_S)
/* The pause between attempts to answer a call, while there are no
 * descriptors. */
#define RETRY_MS 100

struct reader {
  int fd; /* does not block; -1: the place is free */
  uint64_t since_ns;
  size_t len; /* bytes of the request so far */
  char request[REQUEST_MAX];
  bool answered; /* `out` is the answer */
  struct strbuf out;
  size_t sent; /* bytes of `out` that were sent */
};

/* Belongs to the thread. */
struct http_server {
  const struct http *http;
  struct reader reader[HTTP_READERS];
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
      listen(h->listener, HTTP_READERS) < 0 || pipe2(h->wake, O_CLOEXEC) < 0) {
    rc = err_sys(err, "cannot listen at '%s',", text);
    close_fd(&h->listener);
    return rc;
  }
  return 0;
}

/* ---- one reader ---- */

static void drop(struct reader *r)
{
  close_fd(&r->fd);
  strbuf_done(&r->out);
}

/* Has a call failed that must be repeated when poll() says so? */
static bool is_early(ssize_t n)
{
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* End the word at a blank or `?`, and return it. */
static char *cut_path(char *request)
{
  request[strcspn(request, " ?\r\n")] = '\0';
  return request;
}

/* Copy the values of all Accept headers, with commas between them. */
static void find_accept(const char *request, struct strbuf *out)
{
  static const char name[] = "accept:";

  for (const char *p = strchr(request, '\n'); p; p = strchr(p, '\n')) {
    p++;
    if (strncasecmp(p, name, sizeof(name) - 1) != 0)
      continue;
    p += sizeof(name) - 1;
    strbuf_adds(out, out->len > 0 ? "," : "");
    strbuf_add(out, p, strcspn(p, "\r\n"));
  }
}

static void make_answer(const struct http *h, struct reader *r)
{
  struct http_content content = { .type = "text/plain; charset=utf-8" };
  struct strbuf accept = { 0 };
  const char *status = "200 OK";

  find_accept(r->request, &accept);
  if (strncmp(r->request, "GET ", 4) != 0) {
    status = "405 Method Not Allowed";
  } else {
    const struct http_request request = { .path = cut_path(r->request + 4),
                                          .accept = strbuf_str(&accept) };

    if (!h->answer(h->arg, &request, &content))
      status = "404 Not Found";
  }
  strbuf_addf(&r->out,
              "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
              "Connection: close\r\n\r\n",
              status, content.type, content.body.len);
  strbuf_add(&r->out, strbuf_str(&content.body), content.body.len);
  r->out.failed |= content.body.failed;
  r->answered = true;
  strbuf_done(&content.body);
  strbuf_done(&accept);
}

/* Read what has arrived; false: the reader has gone, or sends too much. */
static bool receive(const struct http *h, struct reader *r)
{
  const ssize_t n = recv(r->fd, r->request + r->len,
                         sizeof(r->request) - 1 - r->len, 0);

  if (is_early(n))
    return true;
  if (n <= 0)
    return false;
  r->len += (size_t)n;
  r->request[r->len] = '\0';
  if (strstr(r->request, "\r\n\r\n") || strstr(r->request, "\n\n"))
    make_answer(h, r);
  return !r->out.failed && r->len + 1 < sizeof(r->request);
}

/* Write as much as the reader takes; false: it has everything, or has gone. */
static bool deliver(struct reader *r)
{
  const ssize_t n = send(r->fd, r->out.text + r->sent, r->out.len - r->sent,
                         MSG_NOSIGNAL);

  if (is_early(n))
    return true;
  if (n <= 0)
    return false;
  r->sent += (size_t)n;
  return r->sent < r->out.len;
}

/* The socket is ready: read, or write as much as possible. */
static void serve(const struct http *h, struct reader *r)
{
  bool goes_on = r->answered || receive(h, r);

  if (goes_on && r->answered)
    goes_on = deliver(r);
  if (!goes_on)
    drop(r);
}

/* ---- all readers ---- */

/* A free place; otherwise the place of a reader that has sent no request yet,
 * the one that has been there longest, if there is one. */
static struct reader *find_place(struct http_server *s)
{
  struct reader *oldest = NULL;

  for (size_t i = 0; i < HTTP_READERS; i++) {
    struct reader *r = &s->reader[i];

    if (r->fd < 0)
      return r;
    if (!oldest || r->answered < oldest->answered ||
        (r->answered == oldest->answered && r->since_ns < oldest->since_ns))
      oldest = r;
  }
  drop(oldest);
  return oldest;
}

/* Has accept() failed for a lasting reason?  Then the call stays, too, and
 * poll() would report it again and again. */
static bool is_exhausted(void)
{
  return errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
         errno == ENOMEM;
}

/* A call has come. */
static void take_call(struct http_server *s)
{
  const int fd = accept4(s->http->listener, NULL, NULL,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
  struct pollfd wake = { .fd = s->http->wake[0], .events = POLLIN };
  struct reader *r;

  if (fd < 0) {
    if (is_exhausted())
      (void)poll(&wake, 1, RETRY_MS);
    return;
  }
  r = find_place(s);
  r->fd = fd;
  r->since_ns = clock_now_ns();
  r->len = r->sent = 0;
  r->answered = false;
}

/* Drop the readers that are too slow.  Returns how long poll() may wait for the
 * others. */
static int expire(struct http_server *s)
{
  const uint64_t now = clock_now_ns();
  uint64_t left = UINT64_MAX;

  for (size_t i = 0; i < HTTP_READERS; i++) {
    struct reader *r = &s->reader[i];
    const uint64_t until = r->since_ns + PATIENCE_NS;

    if (r->fd < 0)
      continue;
    if (now >= until)
      drop(r);
    else if (until - now < left)
      left = until - now;
  }
  return left == UINT64_MAX ? -1 : (int)(left / NS_PER_MS) + 1;
}

/* One turn of the loop; false: the server ends. */
static bool turn(struct http_server *s)
{
  struct pollfd fds[AT_READERS + HTTP_READERS] = {
    [AT_WAKE] = { .fd = s->http->wake[0], .events = POLLIN },
    [AT_LISTENER] = { .fd = s->http->listener, .events = POLLIN },
  };
  const int wait_ms = expire(s);

  for (size_t i = 0; i < HTTP_READERS; i++) {
    const struct reader *r = &s->reader[i];

    /* A negative descriptor is passed over. */
    fds[AT_READERS + i] = (struct pollfd){
      .fd = r->fd,
      .events = r->answered ? POLLOUT : POLLIN,
    };
  }
  if (poll(fds, AT_READERS + HTTP_READERS, wait_ms) < 0)
    return errno == EINTR;
  if (fds[AT_WAKE].revents)
    return false;
  for (size_t i = 0; i < HTTP_READERS; i++) {
    if (fds[AT_READERS + i].revents)
      serve(s->http, &s->reader[i]);
  }
  if (fds[AT_LISTENER].revents)
    take_call(s);
  return true;
}

static void *http_main(void *arg)
{
  struct http_server *s = arg;

  while (turn(s))
    continue;
  for (size_t i = 0; i < HTTP_READERS; i++)
    drop(&s->reader[i]);
  return NULL;
}

int http_start(struct http *h, http_answer *answer, void *arg, struct err *err)
{
  int rc;

  h->answer = answer;
  h->arg = arg;
  h->server = calloc(1, sizeof(*h->server));
  if (!h->server)
    return err_set(err, -ENOMEM, "not enough memory for the metrics server");
  h->server->http = h;
  for (size_t i = 0; i < HTTP_READERS; i++)
    h->server->reader[i].fd = -1;
  rc = thread_start_masked(&h->thread, http_main, h->server, err);
  h->running = rc == 0;
  return rc;
}

void http_stop(struct http *h)
{
  /* This is the only byte that is ever written to the pipe, so there is
   * room. */
  while (h->running && write(h->wake[1], "", 1) < 0 && errno == EINTR)
    continue;
  if (h->running)
    (void)pthread_join(h->thread, NULL);
  h->running = false;
  free(h->server);
  h->server = NULL;
  close_fd(&h->wake[0]);
  close_fd(&h->wake[1]);
  close_fd(&h->listener);
}
