/*
 * chart_data.c - the values of a chart over time, for the script of the page.
 */
#include <math.h>

#include "base/strbuf.h"
#include "tools/chart_place.h"

static const char *const units[] = {
  [AXIS_PLAIN] = "",      [AXIS_SECONDS] = "s",   [AXIS_TIME] = "time",
  [AXIS_COUNT] = "count", [AXIS_SHARE] = "share", [AXIS_BYTES] = "bytes",
};

bool chart_is_timed(const struct chart *c)
{
  return c->grid.columns > 0 || (c->n_lines > 0 && c->lines[0].times > 0);
}

static void add_numbers(const double *of, size_t n, int digits,
                        struct strbuf *out)
{
  strbuf_adds(out, "[");
  for (size_t i = 0; i < n; i++) {
    if (isfinite(of[i]))
      strbuf_addf(out, "%s%.*g", i > 0 ? "," : "", digits, of[i]);
    else
      strbuf_adds(out, i > 0 ? ",null" : "null");
  }
  strbuf_adds(out, "]");
}

static void add_grid(const struct chart_grid *g, struct strbuf *out)
{
  strbuf_adds(out, ",\"grid\":{\"x\":");
  add_numbers(g->x, g->columns + 1, 7, out);
  strbuf_adds(out, ",\"y\":");
  add_numbers(g->y, g->rows + 1, 4, out);
  strbuf_adds(out, ",\"counts\":");
  add_numbers(g->counts, g->columns * g->rows, 12, out);
  strbuf_adds(out, "}");
}

/* There are no texts of others in it: nothing has to be escaped. */
void chart_add_data(const struct chart *c, struct strbuf *out)
{
  strbuf_addf(out,
              "<script type=\"application/json\">{\"box\":[%d,%d,%d,%d],"
              "\"x\":[%.9g,%.9g],\"y\":[%.9g,%.9g],\"log\":%s,"
              "\"unit\":\"%s\",\"lines\":[",
              CHART_LEFT, CHART_TOP, CHART_WIDTH - CHART_RIGHT,
              chart_height(c) - CHART_BOTTOM, c->x.low, c->x.high, c->y.low,
              c->y.high, c->y.kind == AXIS_LOG ? "true" : "false",
              units[c->y.unit]);
  for (size_t i = 0; i < c->n_lines; i++) {
    strbuf_addf(out, "%s{\"times\":%zu,\"y\":", i > 0 ? "," : "",
                c->lines[i].times);
    add_numbers(c->lines[i].y, c->lines[i].n, 6, out);
    strbuf_adds(out, "}");
  }
  strbuf_adds(out, "]");
  if (c->grid.columns > 0)
    add_grid(&c->grid, out);
  strbuf_adds(out, "}</script>\n");
}
