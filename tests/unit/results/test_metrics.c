/*
 * test_metrics.c - metrics in both formats, read by a small strict parser, and
 * the server that sends them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/machine/disk.h"
#include "base/strbuf.h"
#include "results/address.h"
#include "results/http.h"
#include "results/prometheus.h"
#include "results/shared.h"
#include "stats/class_stats.h"
#include "stats/recorder.h"
#include "tests/unit/tap.h"

static struct hist_sum *work;

/* ---- the parser ---- */

static size_t name_len(const char *p)
{
  return strspn(p, "abcdefghijklmnopqrstuvwxyz_");
}

/* Skips "{a="b",c="d"}" and returns what follows; NULL: malformed. */
static const char *skip_labels(const char *p)
{
  if (*p != '{')
    return p;
  do {
    p++;
    if (name_len(p) == 0)
      return NULL;
    p += name_len(p);
    if (p[0] != '=' || p[1] != '"')
      return NULL;
    for (p += 2; *p != '"'; p++) {
      if (*p == '\\' && !strchr("\\\"n", *++p))
        return NULL;
      if (*p == '\0' || *p == '\n')
        return NULL;
    }
    p++;
  } while (*p == ',');
  return *p == '}' ? p + 1 : NULL;
}

static bool good_suffix(const char *type, const char *suffix)
{
  if (strcmp(type, "counter") == 0)
    return strcmp(suffix, "_total") == 0;
  if (strcmp(type, "info") == 0)
    return strcmp(suffix, "_info") == 0;
  if (strcmp(type, "gauge") == 0)
    return suffix[0] == '\0';
  return strcmp(suffix, "_bucket") == 0 || strcmp(suffix, "_count") == 0 ||
         strcmp(suffix, "_sum") == 0;
}

/*
 * In the older format a family has the name of its samples, and only the
 * histogram has suffixes.
 */
static bool good_old_suffix(const char *type, const char *family,
                            const char *suffix)
{
  const size_t len = strlen(family);

  if (strcmp(type, "counter") == 0)
    return suffix[0] == '\0' && len > 6 &&
           strcmp(family + len - 6, "_total") == 0;
  if (strcmp(type, "gauge") == 0)
    return suffix[0] == '\0';
  return strcmp(type, "histogram") == 0 && good_suffix(type, suffix);
}

/* Families begin with their help and type; samples belong to the family before
 * them; the last line of the newer format is # EOF. */
static bool is_metrics(enum metrics_format format, const char *text)
{
  char family[128] = "", type[32] = "", suffix[128];

  while (*text) {
    const char *end = strchr(text, '\n');
    char *number_end;
    const char *p;

    if (!end)
      return false;
    if (strncmp(text, "# EOF\n", 6) == 0)
      return format == METRICS_OPENMETRICS && text[6] == '\0';
    if (text[0] == '#') {
      if (sscanf(text, "# TYPE %127s %31s", family, type) != 2 &&
          strncmp(text, "# HELP ", 7) != 0)
        return false;
      text = end + 1;
      continue;
    }
    if (strncmp(text, family, strlen(family)) != 0)
      return false;
    p = text + strlen(family);
    (void)snprintf(suffix, sizeof(suffix), "%.*s", (int)name_len(p), p);
    if (format == METRICS_OPENMETRICS ? !good_suffix(type, suffix)
                                      : !good_old_suffix(type, family, suffix))
      return false;
    p = skip_labels(p + name_len(p));
    if (!p || *p != ' ')
      return false;
    (void)strtod(p + 1, &number_end);
    if (number_end == p + 1 || number_end != end)
      return false;
    text = end + 1;
  }
  return format == METRICS_TEXT;
}

static bool is_openmetrics(const char *text)
{
  return is_metrics(METRICS_OPENMETRICS, text);
}

static void test_parser(void)
{
  OK(is_openmetrics("# TYPE a counter\na_total{b=\"c\"} 1\n# EOF\n"), "good");
  OK(!is_openmetrics("# TYPE a counter\na 1\n# EOF\n"), "a wrong suffix");
  OK(!is_openmetrics("# TYPE a gauge\na{b=\"c} 1\n# EOF\n"), "an open quote");
  OK(!is_openmetrics("# TYPE a gauge\na 1\n"), "no end");
  OK(!is_openmetrics("# TYPE a gauge\nb 1\n# EOF\n"), "a stranger");
  OK(is_metrics(METRICS_TEXT, "# TYPE a_total counter\na_total 1\n"), "old");
  OK(!is_metrics(METRICS_TEXT, "# TYPE a counter\na_total 1\n") &&
       !is_metrics(METRICS_TEXT, "# TYPE a info\na_info 1\n") &&
       !is_metrics(METRICS_TEXT, "# TYPE a gauge\na 1\n# EOF\n"),
     "new lines in the old format");
}

/* ---- the text ---- */

static double value_of(const char *text, const char *sample)
{
  const char *at = strstr(text, sample);

  return at ? strtod(at + strlen(sample), NULL) : -1.0;
}

static void test_histogram(void)
{
  struct strbuf b = { 0 };
  double last = 0.0;
  bool grows = true;

  hist_sum_clear(work);
  for (uint64_t ns = 1; ns < HIST_MAX_NS; ns *= 3)
    hist_sum_put(work, hist_index(ns), 2);
  prometheus_histogram(&b, "x", NULL, work, 12.5);
  OK(value_of(b.text, "x_bucket{le=\"1e-06\"} ") == 14, "up to 1000 ns");
  OK(value_of(b.text, "x_bucket{le=\"100\"} ") == 48, "up to 100 s");
  OK(value_of(b.text, "x_bucket{le=\"+Inf\"} ") == (double)work->total &&
       value_of(b.text, "x_count ") == (double)work->total,
     "all of them");
  OK(value_of(b.text, "x_sum ") == 12.5, "sum");
  for (const char *p = b.text; (p = strstr(p, "} ")) != NULL; p++) {
    grows = grows && strtod(p + 2, NULL) >= last;
    last = strtod(p + 2, NULL);
  }
  OK(grows, "buckets are cumulative");
  strbuf_done(&b);
}

static void test_text(void)
{
  struct disk disk = { .device = "" };
  struct results_shared shared = { .test = "a\"b\\c\nd", .disk = &disk };
  const _Atomic uint64_t arrivals = 31;
  struct class_set *set = NULL;
  struct recorders rs;
  struct strbuf b = { 0 };
  struct err err;

  prometheus_write(&b, METRICS_TEXT, &shared, work);
  OK(is_metrics(METRICS_TEXT, strbuf_str(&b)), "before the start, old format");
  strbuf_done(&b);
  prometheus_write(&b, METRICS_OPENMETRICS, &shared, work);
  OK(is_openmetrics(strbuf_str(&b)), "before the start");
  OK(strstr(b.text, "test=\"a\\\"b\\\\c\\nd\"}"), "labels are escaped");
  strbuf_done(&b);
  prometheus_label(&b, "class", "SELECT '\xe4\xc3\xa4'");
  prometheus_label(&b, "class", "\xc3\xa4");
  OK_STR(strbuf_str(&b),
         "class=\"SELECT '\xc3\xa4\xc3\x83\xc2\xa4'\"class=\"\xc3\xa4\"",
         "and UTF-8");
  strbuf_done(&b);

  (void)recorders_init(&rs, 2, true, &err);
  (void)class_set_new(&set, 2, &err);
  class_record(class_recorder_of(set, 1), class_id(set, "SELECT 1", 8), 5,
               &(struct class_outcome){ 0 });
  recorder_event(&rs, &rs.of[0], 1500);
  recorder_event(&rs, &rs.of[1], 500000000);
  recorder_count(&rs.of[1], COUNTER_READ, 7);
  shared.started = true;
  shared.start.recorders = &rs;
  shared.start.classes = set;
  shared.start.threads = 2;
  prometheus_write(&b, METRICS_TEXT, &shared, work);
  OK(is_metrics(METRICS_TEXT, strbuf_str(&b)), "while it runs, old format");
  OK(strstr(b.text, "# TYPE bench_events_total counter\n") &&
       strstr(b.text, "# TYPE bench_info gauge\nbench_info{"),
     "families are called like their samples");
  OK(!strstr(strbuf_str(&b), "bench_arrivals"), "no rate, no arrivals");
  strbuf_done(&b);
  shared.start.arrivals = &arrivals;
  prometheus_write(&b, METRICS_OPENMETRICS, &shared, work);
  OK(is_openmetrics(strbuf_str(&b)), "while it runs");
  OK(value_of(b.text, "bench_arrivals_total ") == 31, "arrivals");
  OK(value_of(b.text, "bench_events_total ") == 2, "events");
  OK(value_of(b.text, "bench_operations_total{kind=\"read\"} ") == 7, "reads");
  OK(value_of(b.text, "bench_latency_seconds_count ") == 2, "latencies");
  OK(value_of(b.text, "bench_latency_seconds_sum ") == 0.500001500, "sum");
  OK(value_of(b.text, "bench_class_operations_total{class=\"SELECT 1\"} ") == 1,
     "classes");
  strbuf_done(&b);
  class_set_free(set);
  recorders_done(&rs);
}

/* ---- addresses and the server ---- */

static void test_addresses(void)
{
  static const char *const bad[] = { "",        "x",        "-1",       "65536",
                                     "1.2.3:1", ":1",       "host:80",  "[::1]",
                                     "[::1:80", "80x",      "1.2.3.4:", "[]:80",
                                     " 80",     "127.0.0.1" };
  static const struct {
    const char *text;
    int family;
    unsigned port;
  } good[] = { { "9100", AF_INET, 9100 },
               { "0.0.0.0:80", AF_INET, 80 },
               { "[::1]:65535", AF_INET6, 65535 } };
  struct address a;

  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
    OK(address_parse(bad[i], &a) < 0, bad[i]);
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
    OK(address_parse(good[i].text, &a) == 0 &&
         a.addr.ss_family == good[i].family && address_port(&a) == good[i].port,
       good[i].text);
}

/* Counts the descriptors that a program started now would inherit. */
static unsigned inherited(void)
{
  unsigned n = 0;

  for (int fd = STDERR_FILENO + 1; fd < 100; fd++) {
    const int flags = fcntl(fd, F_GETFD);

    n += flags >= 0 && (flags & FD_CLOEXEC) == 0;
  }
  return n;
}

static unsigned inherited_when_asked;

static bool answer(void *arg, const struct http_request *request,
                   struct http_content *ret)
{
  inherited_when_asked = inherited();
  if (strcmp(request->path, "/other") == 0)
    return false;
  strbuf_addf(&ret->body, "%s%s", (const char *)arg, request->accept);
  return true;
}

static int call(const struct http *h)
{
  struct sockaddr_in to;
  socklen_t len = sizeof(to);
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

  (void)getsockname(h->listener, (struct sockaddr *)&to, &len);
  if (connect(fd, (const struct sockaddr *)&to, len) == 0)
    return fd;
  (void)close(fd);
  return -1;
}

static const char *ask(const struct http *h, const char *request)
{
  static char text[4096];
  size_t n = 0;
  ssize_t got;
  const int fd = call(h);

  if (fd >= 0 && send(fd, request, strlen(request), MSG_NOSIGNAL) > 0) {
    while ((got = recv(fd, text + n, sizeof(text) - 1 - n, 0)) > 0)
      n += (size_t)got;
  }
  text[n] = '\0';
  (void)close(fd);
  return text;
}

/*
 * That many calls find no descriptor, and how often the server then waited only
 * for its end.
 */
static _Atomic int refusals, pauses;

int __real_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);
int __wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags);

int __wrap_accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
  if (atomic_load(&refusals) == 0)
    return __real_accept4(fd, addr, len, flags);
  (void)atomic_fetch_sub(&refusals, 1);
  errno = EMFILE;
  return -1;
}

int __real_poll(struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout)
{
  if (n == 1 && timeout > 0)
    (void)atomic_fetch_add(&pauses, 1);
  return __real_poll(fds, n, timeout);
}

/* The call is not accepted, so waiting for calls returns at once. */
static void test_no_descriptors(const struct http *h)
{
  atomic_store(&refusals, 2);
  OK(strstr(ask(h, "GET / HTTP/1.0\n\n"), "hello"),
     "a call is answered once there are descriptors again");
  OK(atomic_load(&refusals) == 0 && atomic_load(&pauses) == 2,
     "and until then the server sleeps");
}

/* There are more readers than places, and they ask for nothing. */
static void test_idle(const struct http *h)
{
  int idle[3 * HTTP_READERS];
  const uint64_t before = clock_now_ns();
  char c;

  for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
    idle[i] = call(h);
  OK(strstr(ask(h, "GET / HTTP/1.0\n\n"), "hello") &&
       strstr(ask(h, "GET / HTTP/1.0\n\n"), "hello"),
     "readers that are idle keep nobody waiting");
  /* One after another would take six minutes. */
  OK(clock_now_ns() - before < 60 * NS_PER_S, "and are not waited for");
  OK(recv(idle[0], &c, 1, 0) <= 0, "the first of them has lost its place");
  for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
    (void)close(idle[i]);
}

static void test_accept(void)
{
  static const struct {
    const char *accept;
    bool modern;
  } of[] = {
    { "", false },
    { "*/*", false },
    { "text/html, */*;q=0.8", false },
    { "application/openmetrics-text", true },
    { "Application/OpenMetrics-Text; Version=1.0.0; charset=utf-8", true },
    { "application/openmetrics-text;version=1.0.0,"
      "application/openmetrics-text;version=0.0.1;q=0.75,"
      "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
      true },
    { "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
      "text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
      true },
    { "application/openmetrics-text;version=0.0.1", false },
    { "application/openmetrics-text;q=0", false },
    { "application/openmetrics-text ; q=0.3 , text/plain ; q=0.5", false },
    { "text/plain, application/openmetrics-text", true },
    { "application/openmetrics-text;q=x", false },
    { "application/openmetrics-text;q=", false },
    { ",;,;q=1,application/openmetrics-textual", false },
  };

  for (size_t i = 0; i < ARRAY_SIZE(of); i++)
    OK(prometheus_wants_openmetrics(of[i].accept) == of[i].modern,
       of[i].accept);
}

static const struct http_service hello_service = { .answer = answer };

static bool answer_stream(void *arg, const struct http_request *request,
                          struct http_content *ret)
{
  (void)arg, (void)request;
  ret->type = "text/event-stream";
  ret->stream = true;
  return true;
}

/* The first reader gets more than any socket holds, others a word and the
 * end. */
static _Atomic unsigned readers, fed;

static bool feed(void *arg, uint64_t *at, struct strbuf *out)
{
  static const char much[HTTP_FEED] = { 'x' };
  (void)arg;
  if (*at == 0)
    *at = 1 + atomic_fetch_add(&readers, 1);
  (void)atomic_fetch_add(&fed, 1);
  if (*at == 1) {
    strbuf_add(out, much, sizeof(much));
    return true;
  }
  strbuf_adds(out, "word");
  return false;
}

static void no_tick(void *arg)
{
  (void)arg;
}

static void test_stream(void)
{
  static const struct http_service service = {
    .answer = answer_stream,
    .feed = feed,
    .tick = no_tick,
    .period_ns = NS_PER_MS,
  };
  struct address a;
  struct http h;
  struct err err = { "" };
  uint64_t before;
  int deaf;

  (void)address_parse("0", &a);
  MUST(http_open(&h, &a, "live", "0", "name.example,other", &err) == 0);
  MUST(http_start(&h, &service, NULL, &err) == 0);
  deaf = call(&h);
  MUST(send(deaf, "GET / HTTP/1.0\n\n", 16, MSG_NOSIGNAL) == 16);
  while (atomic_load(&fed) == 0)
    sched_yield();
  OK(strstr(ask(&h, "GET / HTTP/1.0\n\n"), "\r\n\r\nword"),
     "a stream beside one whose reader takes nothing");
  before = clock_now_ns();
  http_stop(&h);
  OK(clock_now_ns() - before < 20 * NS_PER_S,
     "which the end of the server does not wait for");
  (void)close(deaf);
}

/* Names that another site could give to this machine are refused. */
static void test_hosts(struct http *h)
{
  static const struct {
    const char *headers;
    bool good;
  } cases[] = {
    { "Host: localhost", true },
    { "host:LocalHost:9100", true },
    { "Host: 127.0.0.1:80", true },
    { "Host: 192.0.2.1 ", true },
    { "Host: [::1]:9100", true },
    { "Host: [2001:db8::1]", true },
    { "Host: Name.Example:9100", true },
    { "Host: other", true },
    { "Accept: x", true }, /* no browser */
    { "Host: attacker.example", false },
    { "Host: attacker.example:9100", false },
    { "Host: 127.0.0.1.attacker.example", false },
    { "Host: localhost.attacker.example", false },
    { "Host: localhost:80.attacker.example", false },
    { "Host: name.example.attacker", false },
    { "Host: name", false },
    { "Host: name.example,other", false },
    { "Host: [::1].attacker.example", false },
    { "Host: [attacker]", false },
    { "Host: 1", false },
    { "Host:", false },
    { "Host: localhost\r\nHost: attacker.example", false },
  };
  char request[400], own[256] = "";

  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    (void)snprintf(request, sizeof(request),
                   "GET /metrics HTTP/1.1\r\n%s\r\n\r\n", cases[i].headers);
    OK((strstr(ask(h, request), "hello") != NULL) == cases[i].good &&
         (strstr(ask(h, request), "403 Forbidden") == NULL) == cases[i].good,
       cases[i].good ? "this machine" : "another name");
  }
  if (gethostname(own, 100) == 0) {
    (void)snprintf(request, sizeof(request),
                   "GET / HTTP/1.1\r\nHost: %s:1\r\n\r\n", own);
    OK(strstr(ask(h, request), "hello"), "the name of this machine");
  }
}

static void test_server(void)
{
  char hello[] = "hello";
  struct address a;
  struct sockaddr_in taken;
  socklen_t len = sizeof(taken);
  struct http h, second;
  struct err err = { "" };
  const unsigned before = inherited();
  const char *text;
  int held;

  (void)address_parse("0", &a);
  OK(http_open(&h, &a, "live", "0", "name.example,other", &err) == 0, "a port");
  (void)getsockname(h.listener, (struct sockaddr *)&taken, &len);
  memcpy(&a.addr, &taken, sizeof(taken));
  OK(http_open(&second, &a, "live", "1", "", &err) < 0 &&
       strstr(err.text, "--live=1: "),
     "is not taken twice");
  OK(http_start(&h, &hello_service, hello, &err) == 0, "serves");
  text = ask(&h, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  OK(strncmp(text, "HTTP/1.1 200 OK\r\n", 17) == 0 &&
       strstr(text, "Content-Length: 5\r\n") && strstr(text, "\r\n\r\nhello"),
     "GET /metrics");
  OK(inherited_when_asked == before, "nothing is for programs of scripts");
  OK(strstr(ask(&h, "GET / HTTP/1.0\n\n"), "hello"), "GET /");
  OK(strstr(ask(&h, "GET /?x=y HTTP/1.1\r\nHost: localhost\r\naccept: a\r\n"
                    "Accept:b\r\n\r\n"),
            "hello a,b"),
     "with its Accept headers");
  test_idle(&h);
  OK(strstr(ask(&h, "GET /other HTTP/1.1\r\n\r\n"), "404"), "another path");
  text = ask(&h, "POST / HTTP/1.1\r\n\r\n");
  OK(strstr(text, "405") && strstr(text, "\r\nAllow: GET, HEAD\r\n"),
     "another verb");
  text = ask(&h, "HEAD /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  OK(strncmp(text, "HTTP/1.1 200 OK\r\n", 17) == 0 &&
       strstr(text, "Content-Length: 5\r\n") &&
       strcmp(strstr(text, "\r\n\r\n"), "\r\n\r\n") == 0,
     "HEAD has the headers alone");
  test_hosts(&h);
  test_no_descriptors(&h);
  held = dup(h.wake[1]); /* held like a program that was started would */
  http_stop(&h);
  http_stop(&h);
  OK(true, "stops, whoever holds the pipe, and is stopped");
  (void)close(held);
}

int main(void)
{
  work = hist_sum_new();
  test_parser();
  test_histogram();
  test_text();
  test_addresses();
  test_accept();
  test_server();
  test_stream();
  hist_sum_free(work);
  return TAP_EXIT();
}
