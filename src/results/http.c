/*
 * http.c - a server of one text over HTTP.
 */
#include "results/http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "results/address.h"
#include "results/thread.h"

enum {
  REQUEST_MOST = 8192,
  PATIENCE_S = 1 /* with a reader that says or takes nothing */
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
  h->listener = socket(where->addr.ss_family, SOCK_STREAM, 0);
  if (h->listener < 0)
    return err_sys(err, "cannot listen at '%s',", text);
  (void)fcntl(h->listener, F_SETFD, FD_CLOEXEC);
  (void)setsockopt(h->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(h->listener, (const struct sockaddr *)&where->addr, where->len) <
        0 ||
      listen(h->listener, 16) < 0 ||
      fcntl(h->listener, F_SETFL, O_NONBLOCK) < 0 || pipe(h->wake) < 0) {
    rc = err_sys(err, "cannot listen at '%s',", text);
    close_fd(&h->listener);
    return rc;
  }
  return 0;
}

static void send_all(int fd, const struct strbuf *b)
{
  size_t done = 0;

  while (done < b->len) {
    const ssize_t n = send(fd, b->text + done, b->len - done, MSG_NOSIGNAL);

    if (n <= 0)
      return; /* the reader has gone, or sleeps */
    done += (size_t)n;
  }
}

/* Until the empty line; false: none came. */
static bool read_request(int fd, char *to, size_t size)
{
  size_t len = 0;

  while (len + 1 < size) {
    const ssize_t n = recv(fd, to + len, size - 1 - len, 0);

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

static void answer(const struct http *h, const char *request, int fd)
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
    send_all(fd, &all);
  strbuf_done(&body);
  strbuf_done(&all);
}

static void serve(const struct http *h, int fd)
{
  const struct timeval patience = { .tv_sec = PATIENCE_S };
  char request[REQUEST_MOST];
  int flags = fcntl(fd, F_GETFL);

  if (flags >= 0)
    (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
  (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  if (read_request(fd, request, sizeof(request)))
    answer(h, request, fd);
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
    fd = accept(h->listener, NULL, NULL);
    if (fd < 0)
      continue;
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
  close_fd(&h->wake[1]);
  if (h->running)
    (void)pthread_join(h->thread, NULL);
  h->running = false;
  close_fd(&h->wake[0]);
  close_fd(&h->listener);
}
