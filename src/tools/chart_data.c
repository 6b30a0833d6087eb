/*
 * chart_data.c - the values of a chart over time, for the script of the page.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "tools/chart_place.h"

enum {
  DIGITS = 6,
  DIGITS_LOW = 4, /* of small charts, of which there are many */
};

static const char *const units[] = {
  [AXIS_PLAIN] = "",      [AXIS_SECONDS] = "s",   [AXIS_TIME] = "time",
  [AXIS_COUNT] = "count", [AXIS_SHARE] = "share", [AXIS_BYTES] = "bytes",
};

bool chart_is_timed(const struct chart *c)
{
  return c->grid.columns > 0 || (c->n_lines > 0 && c->lines[0].times > 0);
}

/* "1.5e+06" is "1.5e6": a long run has very many of them. */
static void add_number(double value, int digits, struct strbuf *out)
{
  char text[32];
  char *exponent;

  (void)snprintf(text, sizeof(text), "%.*g", digits, value);
  exponent = strchr(text, 'e');
  if (exponent) {
    const char *power = exponent + 1 + (exponent[1] == '+');
    const bool negative = *power == '-';

    power += negative;
    power += strspn(power, "0");
    exponent++;
    if (negative)
      *exponent++ = '-';
    memmove(exponent, power, strlen(power) + 1);
  }
  strbuf_adds(out, text);
}

static void add_numbers(const double *of, size_t n, double unit, int digits,
                        struct strbuf *out)
{
  strbuf_adds(out, "[");
  for (size_t i = 0; i < n; i++) {
    strbuf_adds(out, i > 0 ? "," : "");
    if (isfinite(of[i]))
      add_number(of[i] / unit, digits, out);
    else
      strbuf_adds(out, "null");
  }
  strbuf_adds(out, "]");
}

/*
 * The power of ten of the last digit that the greatest value has.  Divided by
 * it, values are integers, or have few digits: "978,12.3" for "9.78e8,1.23e7".
 */
static int scale_of(const double *of, size_t n, int digits)
{
  double most = 0;

  for (size_t i = 0; i < n; i++)
    most = isfinite(of[i]) ? fmax(most, fabs(of[i])) : most;
  return most > 0 ? (int)floor(log10(most)) - digits + 1 : 0;
}

static void add_line(const struct chart_line *l, int digits, struct strbuf *out)
{
  const int scale = scale_of(l->y, l->n, digits);

  strbuf_addf(out, "{\"times\":%zu,\"scale\":%d,\"y\":", l->times, scale);
  add_numbers(l->y, l->n, pow(10, scale), digits, out);
  strbuf_adds(out, "}");
}

static void add_grid(const struct chart_grid *g, struct strbuf *out)
{
  strbuf_adds(out, ",\"grid\":{\"x\":");
  add_numbers(g->x, g->columns + 1, 1, 7, out);
  strbuf_adds(out, ",\"y\":");
  add_numbers(g->y, g->rows + 1, 1, 4, out);
  strbuf_adds(out, ",\"counts\":");
  add_numbers(g->counts, g->columns * g->rows, 1, 12, out);
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
    strbuf_adds(out, i > 0 ? "," : "");
    add_line(&c->lines[i], c->low ? DIGITS_LOW : DIGITS, out);
  }
  strbuf_adds(out, "]");
  if (c->grid.columns > 0)
    add_grid(&c->grid, out);
  strbuf_adds(out, "}</script>\n");
}
