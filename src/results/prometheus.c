/*
 * prometheus.c - live metrics for a Prometheus server.
 *
 * The server answers from the start of the load to the end of the run.
 */
#include "results/prometheus.h"

#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/strbuf.h"
#include "results/address.h"
#include "results/http.h"
#include "results/metrics.h"
#include "results/options.h"
#include "results/shared.h"
#include "stats/hist_sum.h"

struct prometheus {
  struct http http;
  const struct results_shared *shared;
  struct hist_sum *work; /* scratch memory of the server's thread */
};

static void metrics(const struct prometheus *p, const char *accept,
                    struct http_content *ret)
{
  const bool modern = metrics_wants_openmetrics(accept);

  ret->type = modern ? "application/openmetrics-text; version=1.0.0; "
                       "charset=utf-8"
                     : "text/plain; version=0.0.4; charset=utf-8";
  metrics_write(&ret->body, modern ? METRICS_OPENMETRICS : METRICS_TEXT,
                p->shared, p->work);
}

/* Write text as HTML.  Bytes that are not UTF-8 do no harm. */
static void add_html(struct strbuf *b, const char *text)
{
  for (; *text; text++) {
    if (strchr("<>&\"'", *text))
      strbuf_addf(b, "&#%d;", *text);
    else
      strbuf_add(b, text, 1);
  }
}

/* The page for people who open the address in a browser. */
static void front_page(const struct prometheus *p, struct http_content *ret)
{
  struct strbuf *b = &ret->body;

  ret->type = "text/html; charset=utf-8";
  strbuf_adds(b,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
              "<title>bench: ");
  add_html(b, p->shared->test);
  strbuf_adds(b, "</title>\n<h1>");
  add_html(b, p->shared->test);
  strbuf_adds(b, "</h1>\n<p>A run of ");
  add_html(b, p->shared->version);
  strbuf_addf(b,
              " with %u thread%s. Its live metrics are at "
              "<a href=\"/metrics\">/metrics</a>.</p>\n</html>\n",
              p->shared->start.threads, fmt_plural(p->shared->start.threads));
}

static bool answer(void *arg, const struct http_request *request,
                   struct http_content *ret)
{
  const struct prometheus *p = arg;

  if (strcmp(request->path, "/metrics") == 0)
    metrics(p, request->accept, ret);
  else if (strcmp(request->path, "/") == 0)
    front_page(p, ret);
  else
    return false;
  return true;
}

static const struct http_service service = {
  .answer = answer,
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

static int on_start(void *ctx, const struct run_start *start, struct err *err)
{
  struct prometheus *p = ctx;

  (void)start;
  return http_start(&p->http, &service, p, err);
}

static int on_over(void *ctx, const struct run_end *end, struct err *err)
{
  struct prometheus *p = ctx;

  (void)end;
  (void)err;
  http_stop(&p->http);
  return 0;
}

const struct reporter prometheus_reporter = {
  .name = "prometheus",
  .start = on_start,
  .over = on_over,
};
