/*
 * prometheus.c - live metrics, from the start of the load to the end of the
 * run.
 */
#include "results/prometheus.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fmt.h"
#include "base/strbuf.h"
#include "results/address.h"
#include "results/http.h"
#include "results/metrics.h"
#include "results/options.h"
#include "results/outfile.h"
#include "results/shared.h"
#include "stats/hist_sum.h"

struct prometheus {
  struct http http;
  const struct results_shared *shared;
  struct hist_sum *work; /* scratch memory of the thread */
};

/* ---- the Accept header ---- */

/* Without blanks around. */
struct accept_piece {
  const char *text;
  size_t len;
};

static bool accept_is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* Up to `stop`; *at moves behind it.  False: none. */
static bool accept_next_piece(const char **at, const char *end, char stop,
                              struct accept_piece *ret)
{
  const char *from = *at, *to;

  if (from >= end)
    return false;
  to = memchr(from, stop, (size_t)(end - from));
  if (!to)
    to = end;
  *at = to + 1;
  while (from < to && accept_is_blank(*from))
    from++;
  while (to > from && accept_is_blank(to[-1]))
    to--;
  *ret = (struct accept_piece){ from, (size_t)(to - from) };
  return true;
}

static bool accept_is_word(const struct accept_piece *p, const char *word)
{
  return p->len == strlen(word) && strncasecmp(p->text, word, p->len) == 0;
}

/* False: another parameter. */
static bool accept_is_parameter(const struct accept_piece *p, const char *name,
                                struct accept_piece *ret)
{
  const size_t len = strlen(name);

  if (p->len <= len || strncasecmp(p->text, name, len) != 0 ||
      p->text[len] != '=')
    return false;
  *ret = (struct accept_piece){ p->text + len + 1, p->len - len - 1 };
  return true;
}

/* 0 to 1; unreadable: 0. */
static double accept_weight(const struct accept_piece *p)
{
  char text[8] = "", *end;
  double q;

  if (p->len == 0 || p->len >= sizeof(text))
    return 0.0;
  memcpy(text, p->text, p->len);
  if (strspn(text, "0123456789.") != p->len)
    return 0.0;
  q = strtod(text, &end);
  return *end == '\0' && q <= 1.0 ? q : 0.0;
}

bool prometheus_wants_openmetrics(const char *accept)
{
  const char *at = accept, *const end = accept + strlen(accept);
  double metrics = 0.0, text = 0.0;
  struct accept_piece range;

  while (accept_next_piece(&at, end, ',', &range)) {
    const char *in = range.text, *const range_end = range.text + range.len;
    struct accept_piece type = { in, 0 }, part, value;
    bool known = true;
    double q = 1.0;

    (void)accept_next_piece(&in, range_end, ';', &type);
    while (accept_next_piece(&in, range_end, ';', &part)) {
      if (accept_is_parameter(&part, "q", &value))
        q = accept_weight(&value);
      else if (accept_is_parameter(&part, "version", &value))
        known = value.len > 0 && value.text[0] == '1';
    }
    if (accept_is_word(&type, "application/openmetrics-text") && known &&
        q > metrics)
      metrics = q;
    else if (accept_is_word(&type, "text/plain") && q > text)
      text = q;
  }
  return metrics > 0.0 && metrics >= text;
}

/* ---- the server ---- */

static void prometheus_metrics(const struct prometheus *p, const char *accept,
                               struct http_content *ret)
{
  const bool modern = prometheus_wants_openmetrics(accept);

  ret->type = modern ? "application/openmetrics-text; version=1.0.0; "
                       "charset=utf-8"
                     : "text/plain; version=0.0.4; charset=utf-8";
  metrics_write(&ret->body, modern ? METRICS_OPENMETRICS : METRICS_TEXT,
                p->shared, p->work);
}

/* Bytes that are not UTF-8 are harmless. */
static void prometheus_add_html(struct strbuf *b, const char *text)
{
  for (; *text; text++) {
    if (strchr("<>&\"'", *text))
      strbuf_addf(b, "&#%d;", *text);
    else
      strbuf_add(b, text, 1);
  }
}

/* For people. */
static void prometheus_front_page(const struct prometheus *p,
                                  struct http_content *ret)
{
  struct strbuf *b = &ret->body;

  ret->type = "text/html; charset=utf-8";
  strbuf_adds(b,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
              "<title>bench: ");
  prometheus_add_html(b, p->shared->test);
  strbuf_adds(b, "</title>\n<h1>");
  prometheus_add_html(b, p->shared->test);
  strbuf_adds(b, "</h1>\n<p>A run of ");
  prometheus_add_html(b, p->shared->version);
  strbuf_addf(b,
              " with %u thread%s. Its live metrics are at "
              "<a href=\"/metrics\">/metrics</a>.</p>\n</html>\n",
              p->shared->start.threads, fmt_plural(p->shared->start.threads));
}

static bool prometheus_answer(void *arg, const struct http_request *request,
                              struct http_content *ret)
{
  const struct prometheus *p = arg;

  if (strcmp(request->path, "/metrics") == 0)
    prometheus_metrics(p, request->accept, ret);
  else if (strcmp(request->path, "/") == 0)
    prometheus_front_page(p, ret);
  else
    return false;
  return true;
}

static const struct http_service service = {
  .answer = prometheus_answer,
};

int prometheus_new(struct prometheus **ret, const struct results_cfg *cfg,
                   const struct results_shared *shared, struct err *err)
{
  const char *where = cfg->prometheus;
  struct prometheus *p = calloc(1, sizeof(*p));
  struct address address;
  int rc;

  if (p)
    p->work = hist_sum_new();
  if (!p || !p->work) {
    free(p);
    return results_no_memory(err);
  }
  p->shared = shared;
  rc = address_parse(where, &address);
  if (rc == 0)
    rc = http_open(&p->http, &address, where, cfg->live_host, err);
  if (rc < 0) {
    hist_sum_free(p->work);
    free(p);
    return rc;
  }
  *ret = p;
  return 0;
}

void prometheus_free(struct prometheus *p)
{
  if (!p)
    return;
  http_stop(&p->http);
  hist_sum_free(p->work);
  free(p);
}

static int prometheus_on_start(void *ctx, const struct run_start *start,
                               struct err *err)
{
  struct prometheus *p = ctx;

  (void)start;
  return http_start(&p->http, &service, p, err);
}

static int prometheus_on_over(void *ctx, const struct run_end *end,
                              struct err *err)
{
  struct prometheus *p = ctx;

  (void)end;
  (void)err;
  http_stop(&p->http);
  return 0;
}

const struct reporter prometheus_reporter = {
  .name = "prometheus",
  .start = prometheus_on_start,
  .over = prometheus_on_over,
};
