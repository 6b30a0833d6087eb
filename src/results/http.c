#include "results/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os/os.h"
#include "base/sock.h"
#include "base/thread.h"
#include "results/address.h"

/* ---- http host ---- */

enum {
  NAME_MAX_BYTES = 256, /* with the terminator; DNS allows 253 */
};

static const char letters[] =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

bool http_host_are_names(const char *names)
{
  do {
    const size_t len = strspn(names, letters);

    if (len == 0 || len >= NAME_MAX_BYTES ||
        (names[len] != ',' && names[len] != '\0'))
      return false;
    names += len + (names[len] == ',');
  } while (*names);
  return names[-1] != ',';
}

static bool http_host_is_among(const char *host, const char *names)
{
  const size_t n = strlen(host);

  while (*names) {
    const size_t len = strcspn(names, ",");

    if (len == n && strncasecmp(host, names, n) == 0)
      return true;
    names += len + (names[len] == ',');
  }
  return false;
}

static bool http_host_is_this_machine(const char *host)
{
  char name[NAME_MAX_BYTES] = "";

  return gethostname(name, sizeof(name) - 1) == 0 && *name &&
         strcasecmp(host, name) == 0;
}

static bool http_host_cut_port(char *at)
{
  const char *port = at + 1;
  const bool ok = *at == '\0' ||
                  (*at == ':' && strspn(port, "0123456789") == strlen(port));

  *at = '\0';
  return ok;
}

/* `len` bytes. */
static bool http_host_is_host_allowed(const char *value, size_t len,
                                      const char *names)
{
  char host[NAME_MAX_BYTES] = "";
  struct in6_addr v6;
  struct in_addr v4;

  while (len > 0 && strchr(" \t\r", value[len - 1]))
    len--;
  while (len > 0 && strchr(" \t", value[0]))
    value++, len--;
  if (len >= sizeof(host))
    return false;
  memcpy(host, value, len);
  if (host[0] == '[') {
    char *end = strchr(host, ']');

    if (!end || !http_host_cut_port(end + 1))
      return false;
    *end = '\0';
    return inet_pton(AF_INET6, host + 1, &v6) == 1;
  }
  return http_host_cut_port(host + strcspn(host, ":")) &&
         (inet_pton(AF_INET, host, &v4) == 1 ||
          strcasecmp(host, "localhost") == 0 ||
          http_host_is_this_machine(host) || http_host_is_among(host, names));
}

/*
 * Allows an address, localhost, this machine or one of `names`, with or without
 * a port, in each Host header.  Requests without the header come from no
 * browser, and are allowed.
 */
static bool http_host_is_allowed(const char *request, const char *names)
{
  static const char name[] = "host:";

  for (const char *p = strchr(request, '\n'); p; p = strchr(p, '\n')) {
    p++;
    if (strncasecmp(p, name, sizeof(name) - 1) != 0)
      continue;
    p += sizeof(name) - 1;
    if (!http_host_is_host_allowed(p, strcspn(p, "\n"), names))
      return false;
  }
  return true;
}

/* ---- http ---- */

enum {
  REQUEST_MAX = 8192,
  /* Order of pollfds: pipe, listener, readers. */
  AT_WAKE = 0,
  AT_LISTENER = 1,
  AT_READERS = 2,
};

#define PATIENCE_NS (2 * NS_PER_S)
/* For a stream with something to take; for all when the server stops. */
#define STREAM_PATIENCE_NS (10 * NS_PER_S)
#define LAST_PATIENCE_NS (2 * NS_PER_S)
#define STOP_NS (30 * NS_PER_S)
/* To accept again without descriptors. */
#define RETRY_MS 100

struct reader {
  int fd; /* non-blocking; -1: free */
  uint64_t since_ns;
  size_t len; /* bytes */
  char request[REQUEST_MAX];
  bool answered; /* `out` is the answer */
  bool stream;
  bool behind;
  bool complete; /* nothing follows `out` */
  uint64_t at;   /* position in the stream */
  struct strbuf out;
  size_t sent; /* of `out` */
};

struct http_server {
  const struct http *http;
  uint64_t tick_ns;  /* next */
  uint64_t until_ns; /* of the stop; 0: running */
  struct reader reader[HTTP_READERS];
};

static void http_close_fd(int *fd)
{
  if (*fd >= 0)
    (void)close(*fd);
  *fd = -1;
}

static int http_refused(const char *option, const char *text, struct err *err)
{
  const int code = errno;
  char buf[128];

  return err_set(err, -code,
                 "cannot listen at --%s=%s: %s (expected a free port from 1024 "
                 "on, or an address of this machine and such a port, as in "
                 "127.0.0.1:8080)",
                 option, text, err_text(code, buf, sizeof(buf)));
}

int http_open(struct http *h, const struct address *where, const char *option,
              const char *text, const char *names, struct err *err)
{
  const int on = 1;
  int rc;

  memset(h, 0, sizeof(*h));
  h->wake[0] = h->wake[1] = -1;
  h->names = names;
  h->listener = os_stream_socket(where->addr.ss_family);
  if (h->listener < 0)
    return http_refused(option, text, err);
  (void)setsockopt(h->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(h->listener, (const struct sockaddr *)&where->addr, where->len) <
        0 ||
      listen(h->listener, HTTP_READERS) < 0 || pipe2(h->wake, O_CLOEXEC) < 0) {
    rc = http_refused(option, text, err);
    http_close_fd(&h->listener);
    return rc;
  }
  return 0;
}

/* ---- one reader ---- */

static void http_drop(struct reader *r)
{
  http_close_fd(&r->fd);
  strbuf_done(&r->out);
}

static bool http_is_early(ssize_t n)
{
  return n < 0 && sock_is_early(errno);
}

static char *http_cut_path(char *request)
{
  request[strcspn(request, " ?\r\n")] = '\0';
  return request;
}

static void http_find_header(const char *request, const char *name,
                             struct strbuf *out)
{
  for (const char *p = strchr(request, '\n'); p; p = strchr(p, '\n')) {
    p++;
    if (strncasecmp(p, name, strlen(name)) != 0)
      continue;
    p += strlen(name);
    strbuf_adds(out, out->len > 0 ? "," : "");
    strbuf_add(out, p, strcspn(p, "\r\n"));
  }
}

/* Returns the status; *ret: headers and body. */
static const char *http_choose_answer(const struct http *h, struct reader *r,
                                      struct http_request *request,
                                      struct http_content *ret)
{
  const size_t verb = strcspn(r->request, " ") + 1;

  if (!http_host_is_allowed(r->request, h->names)) {
    strbuf_adds(&ret->body, "The Host header is neither an address nor "
                            "localhost. Start bench with --live-host=NAME to "
                            "allow a name.\n");
    return "403 Forbidden";
  }
  request->posts = h->service->takes_posts &&
                   strncmp(r->request, "POST ", verb) == 0;
  if (!request->posts && strncmp(r->request, "GET ", verb) != 0 &&
      strncmp(r->request, "HEAD ", verb) != 0)
    return "405 Method Not Allowed";
  request->path = http_cut_path(r->request + verb);
  if (!h->service->answer(h->arg, request, ret))
    return "404 Not Found";
  return ret->status ? ret->status : "200 OK";
}

static void http_make_answer(const struct http *h, struct reader *r)
{
  struct http_content content = { .type = "text/plain; charset=utf-8" };
  const bool head = strncmp(r->request, "HEAD ", 5) == 0;
  struct strbuf accept = { 0 }, token = { 0 };
  struct http_request request = { 0 };
  const char *status;

  http_find_header(r->request, "accept:", &accept);
  http_find_header(r->request, "x-bench-token:", &token);
  request.accept = strbuf_str(&accept);
  request.token = strbuf_str(&token);
  status = http_choose_answer(h, r, &request, &content);
  strbuf_addf(&r->out,
              "HTTP/1.1 %s\r\nContent-Type: %s\r\nCache-Control: no-store\r\n",
              status, content.type);
  if (strncmp(status, "405", 3) == 0)
    strbuf_addf(&r->out, "Allow: GET, HEAD%s\r\n",
                h->service->takes_posts ? ", POST" : "");
  if (!content.stream)
    strbuf_addf(&r->out, "Content-Length: %zu\r\n", content.body.len);
  strbuf_adds(&r->out, "Connection: close\r\n\r\n");
  if (!head)
    strbuf_add(&r->out, strbuf_str(&content.body), content.body.len);
  r->out.failed |= content.body.failed;
  r->answered = true;
  r->stream = content.stream && !head;
  strbuf_done(&content.body);
  strbuf_done(&accept);
  strbuf_done(&token);
}

/* False: the reader has gone, or sends too much. */
static bool http_receive(const struct http *h, struct reader *r)
{
  const ssize_t n = recv(r->fd, r->request + r->len,
                         sizeof(r->request) - 1 - r->len, 0);

  if (http_is_early(n))
    return true;
  if (n <= 0)
    return false;
  r->len += (size_t)n;
  r->request[r->len] = '\0';
  if (strstr(r->request, "\r\n\r\n") || strstr(r->request, "\n\n"))
    http_make_answer(h, r);
  return !r->out.failed && r->len + 1 < sizeof(r->request);
}

static bool http_is_owed(const struct reader *r)
{
  return r->answered && r->sent < r->out.len;
}

static void http_refill(const struct http *h, struct reader *r)
{
  if (!r->stream || r->complete || http_is_owed(r))
    return;
  strbuf_clear(&r->out);
  r->sent = 0;
  r->complete = !h->service->feed(h->arg, &r->at, &r->out);
  r->behind = !r->complete && r->out.len >= HTTP_FEED;
  r->since_ns = clock_now_ns();
}

static bool http_deliver(const struct http *h, struct reader *r)
{
  ssize_t n;

  http_refill(h, r);
  if (r->out.failed)
    return false;
  if (!http_is_owed(r))
    return r->stream && !r->complete;
  n = send(r->fd, r->out.text + r->sent, r->out.len - r->sent, MSG_NOSIGNAL);
  if (http_is_early(n))
    return true;
  if (n <= 0)
    return false;
  r->sent += (size_t)n;
  if (r->stream)
    r->since_ns = clock_now_ns();
  return http_is_owed(r) || (r->stream && !r->complete);
}

/* A reader of a stream sends nothing, or has gone. */
static bool http_is_there(const struct reader *r)
{
  char ignored[64];
  const ssize_t n = recv(r->fd, ignored, sizeof(ignored), 0);

  return n > 0 || http_is_early(n);
}

static void http_serve(const struct http *h, struct reader *r, short events)
{
  bool goes_on = r->answered || http_receive(h, r);

  if (r->answered && r->stream && events != POLLOUT)
    goes_on = goes_on && http_is_there(r);
  if (goes_on && r->answered)
    goes_on = http_deliver(h, r);
  if (!goes_on)
    http_drop(r);
}

/* ---- all readers ---- */

static int http_rank_of(const struct reader *r)
{
  return r->answered + r->stream;
}

static struct reader *http_find_place(struct http_server *s)
{
  struct reader *oldest = NULL;

  for (size_t i = 0; i < HTTP_READERS; i++) {
    struct reader *r = &s->reader[i];

    if (r->fd < 0)
      return r;
    if (!oldest || http_rank_of(r) < http_rank_of(oldest) ||
        (http_rank_of(r) == http_rank_of(oldest) &&
         r->since_ns < oldest->since_ns))
      oldest = r;
  }
  http_drop(oldest);
  return oldest;
}

static void http_take_call(struct http_server *s)
{
  const int fd = accept4(s->http->listener, NULL, NULL,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
  struct pollfd wake = { .fd = s->http->wake[0], .events = POLLIN };
  struct reader *r;

  if (fd < 0) {
    if (sock_is_exhausted())
      (void)poll(&wake, 1, RETRY_MS);
    return;
  }
  r = http_find_place(s);
  r->fd = fd;
  r->since_ns = clock_now_ns();
  r->len = r->sent = 0;
  r->answered = r->stream = r->behind = r->complete = false;
  r->at = 0;
}

/* UINT64_MAX: a stream without anything to take. */
static uint64_t http_patience(const struct http_server *s,
                              const struct reader *r)
{
  if (!r->stream)
    return PATIENCE_NS;
  if (s->until_ns > 0)
    return LAST_PATIENCE_NS;
  return http_is_owed(r) ? STREAM_PATIENCE_NS : UINT64_MAX;
}

static uint64_t http_time_to(uint64_t then_ns, uint64_t now_ns)
{
  return then_ns > now_ns ? then_ns - now_ns : 0;
}

/* Drops slow readers; returns the wait for the others or the next tick. */
static int http_expire(struct http_server *s)
{
  const uint64_t now = clock_now_ns();
  uint64_t left = UINT64_MAX;

  if (s->until_ns > 0)
    left = http_time_to(s->until_ns, now);
  else if (s->http->service->tick)
    left = http_time_to(s->tick_ns, now);

  for (size_t i = 0; i < HTTP_READERS; i++) {
    struct reader *r = &s->reader[i];
    const uint64_t most = http_patience(s, r);
    const uint64_t until = r->since_ns + most;

    if (r->fd < 0 || most == UINT64_MAX)
      continue;
    if (now >= until)
      http_drop(r);
    else if (until - now < left)
      left = until - now;
  }
  return left == UINT64_MAX ? -1 : (int)(left / NS_PER_MS) + 1;
}

static void http_feed_all(struct http_server *s)
{
  for (size_t i = 0; i < HTTP_READERS; i++) {
    struct reader *r = &s->reader[i];

    if (r->fd >= 0 && r->stream && !http_is_owed(r) &&
        !http_deliver(s->http, r))
      http_drop(r);
  }
}

/* Skips missed ticks. */
static void http_tick(struct http_server *s)
{
  const struct http_service *service = s->http->service;
  const uint64_t now = clock_now_ns();

  if (!service->tick || now < s->tick_ns || s->until_ns > 0)
    return;
  s->tick_ns += service->period_ns;
  if (s->tick_ns <= now)
    s->tick_ns = now + service->period_ns;
  service->tick(s->http->arg);
  http_feed_all(s);
}

static void http_begin_stop(struct http_server *s)
{
  const uint64_t now = clock_now_ns();

  if (s->http->service->tick)
    s->http->service->tick(s->http->arg);
  s->until_ns = now + STOP_NS;
  for (size_t i = 0; i < HTTP_READERS; i++) {
    struct reader *r = &s->reader[i];

    if (r->fd >= 0 && !r->stream)
      http_drop(r);
    r->since_ns = now;
  }
  http_feed_all(s);
}

static bool http_is_over(const struct http_server *s)
{
  if (s->until_ns == 0)
    return false;
  for (size_t i = 0; i < HTTP_READERS; i++) {
    if (s->reader[i].fd >= 0)
      return clock_now_ns() >= s->until_ns;
  }
  return true;
}

static short http_wanted(const struct reader *r)
{
  if (!r->answered)
    return POLLIN;
  if (!r->stream)
    return POLLOUT;
  return http_is_owed(r) || r->behind ? POLLIN | POLLOUT : POLLIN;
}

/* False: the end. */
static bool http_turn(struct http_server *s)
{
  /* poll() ignores negative descriptors. */
  const bool stops = s->until_ns > 0;
  struct pollfd fds[AT_READERS + HTTP_READERS] = {
    [AT_WAKE] = { .fd = stops ? -1 : s->http->wake[0], .events = POLLIN },
    [AT_LISTENER] = { .fd = stops ? -1 : s->http->listener, .events = POLLIN },
  };
  const int wait_ms = http_expire(s);

  if (http_is_over(s))
    return false;
  for (size_t i = 0; i < HTTP_READERS; i++) {
    const struct reader *r = &s->reader[i];

    fds[AT_READERS + i] = (struct pollfd){
      .fd = r->fd,
      .events = http_wanted(r),
    };
  }
  if (poll(fds, AT_READERS + HTTP_READERS, wait_ms) < 0)
    return errno == EINTR;
  if (fds[AT_WAKE].revents)
    http_begin_stop(s);
  for (size_t i = 0; i < HTTP_READERS; i++) {
    const struct pollfd *p = &fds[AT_READERS + i];

    if (p->revents && p->fd == s->reader[i].fd)
      http_serve(s->http, &s->reader[i], p->revents);
  }
  if (fds[AT_LISTENER].revents && s->until_ns == 0)
    http_take_call(s);
  http_tick(s);
  return true;
}

static void *http_main(void *arg)
{
  struct http_server *s = arg;

  while (http_turn(s))
    continue;
  for (size_t i = 0; i < HTTP_READERS; i++)
    http_drop(&s->reader[i]);
  return NULL;
}

int http_start(struct http *h, const struct http_service *service, void *arg,
               struct err *err)
{
  int rc;

  h->service = service;
  h->arg = arg;
  h->server = calloc(1, sizeof(*h->server));
  if (!h->server)
    return err_set(err, -ENOMEM, "not enough memory for the HTTP server");
  h->server->http = h;
  h->server->tick_ns = clock_now_ns() + service->period_ns;
  for (size_t i = 0; i < HTTP_READERS; i++)
    h->server->reader[i].fd = -1;
  rc = thread_start_masked(&h->thread, http_main, h->server, err);
  h->running = rc == 0;
  return rc;
}

void http_stop(struct http *h)
{
  /* The only byte: there is room. */
  while (h->running && write(h->wake[1], "", 1) < 0 && errno == EINTR)
    continue;
  if (h->running)
    (void)pthread_join(h->thread, NULL);
  h->running = false;
  free(h->server);
  h->server = NULL;
  http_close_fd(&h->wake[0]);
  http_close_fd(&h->wake[1]);
  http_close_fd(&h->listener);
}
