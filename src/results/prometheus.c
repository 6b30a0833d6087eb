/*
 * prometheus.c - live metrics for a Prometheus server.
 *
 * The server answers from the start of the load to the end of the run.
 */
#include "results/prometheus.h"

#include <stdlib.h>

#include "results/address.h"
#include "results/http.h"
#include "results/metrics.h"
#include "results/shared.h"
#include "stats/hist_sum.h"

struct prometheus {
  struct http http;
  const struct results_shared *shared;
  struct hist_sum *work; /* of the server's thread */
};

static void content(void *arg, struct strbuf *out)
{
  const struct prometheus *p = arg;

  metrics_write(out, p->shared, p->work);
}

int prometheus_new(struct prometheus **ret, const char *where,
                   const struct results_shared *shared, struct err *err)
{
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
    rc = http_open(&p->http, &address, where, err);
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
  return http_start(&p->http,
                    "application/openmetrics-text; version=1.0.0; "
                    "charset=utf-8",
                    content, p, err);
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
