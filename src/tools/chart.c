/*
 * chart.c - charts of lines as SVG.
 */
#include "tools/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "tools/html.h"
#include "tools/units.h"

/* Sizes of the drawing, in its own units. */
enum {
  CHART_WIDTH = 720,
  CHART_HEIGHT = 280,
  CHART_LOW = 150,
  CHART_LEFT = 84,
  CHART_RIGHT = 20,
  CHART_TOP = 16,
  CHART_BOTTOM = 48,
};

enum {
  INSET = 14,
  TICKS_X = 10,
  TICKS_Y = 8,
  TICKS_LOW = 3, /* on the y axis of a low chart */
};

/* A share of the height, above the highest point, for texts over marks. */
#define HEADROOM 0.12

/* Classes of the page. */
static const char *const strokes[] = {
  [CHART_STROKE_OWN] = "",
  [CHART_STROKE_SOLID] = " solid",
  [CHART_STROKE_DASHED] = " dashed",
};

struct limits {
  double x_low, x_high, y_low, y_high;
  size_t points;
};

static bool usable(const struct axis *a, double value)
{
  return isfinite(value) && (a->kind != AXIS_LOG || value > 0);
}

static void take_y(struct limits *l, const struct axis *a, double y)
{
  if (!usable(a, y))
    return;
  l->y_low = fmin(l->y_low, y);
  l->y_high = fmax(l->y_high, y);
}

static struct limits find_limits(const struct chart *c)
{
  struct limits l = { INFINITY, -INFINITY, INFINITY, -INFINITY, 0 };

  for (size_t i = 0; i < c->n_lines; i++) {
    const struct chart_line *line = &c->lines[i];

    for (size_t k = 0; k < line->n; k++) {
      if (!usable(&c->x, line->x[k]) || !usable(&c->y, line->y[k]))
        continue;
      l.points++;
      l.x_low = fmin(l.x_low, line->x[k]);
      l.x_high = fmax(l.x_high, line->x[k]);
      take_y(&l, &c->y, line->y[k]);
      if (line->low && line->high) {
        take_y(&l, &c->y, line->low[k]);
        take_y(&l, &c->y, line->high[k]);
      }
    }
  }
  return l;
}

static int chart_height(const struct chart *c)
{
  return c->low ? CHART_LOW : CHART_HEIGHT;
}

static double chart_x(const struct chart *c, double value)
{
  return CHART_LEFT + c->inset +
         axis_place(&c->x, value) *
           (CHART_WIDTH - CHART_LEFT - CHART_RIGHT - 2 * c->inset);
}

static double chart_y(const struct chart *c, double value)
{
  const int height = chart_height(c);

  return height - CHART_BOTTOM -
         axis_place(&c->y, value) * (height - CHART_TOP - CHART_BOTTOM);
}

/* ---- what lies under the lines ---- */

enum {
  LEVELS = 8 /* of colour: class h0 to h7 */
};

/* The strength of a count's colour: by its logarithm, because the slowest
 * events, which readers look for, are few. */
static int level_of(double count, double largest)
{
  return count > 0 && largest > 1
           ? (int)fmin(LEVELS - 1, LEVELS * log(count) / log(largest))
           : LEVELS - 1;
}

static double largest_of(const struct chart_grid *g)
{
  double largest = 0;

  for (size_t i = 0; i < g->columns * g->rows; i++)
    largest = fmax(largest, g->counts[i]);
  return largest;
}

/* All squares of a colour are one path; those above each other are one
 * square. */
static void draw_level(const struct chart *c, int level, double largest,
                       struct strbuf *out)
{
  const struct chart_grid *g = &c->grid;

  strbuf_addf(out, "<path class=\"heat h%d\" d=\"", level);
  for (size_t x = 0; x < g->columns; x++) {
    const double *column = &g->counts[x * g->rows];
    const double left = chart_x(c, g->x[x]), right = chart_x(c, g->x[x + 1]);

    for (size_t y = 0; y < g->rows; y++) {
      size_t end = y;

      while (end < g->rows && column[end] > 0 &&
             level_of(column[end], largest) == level)
        end++;
      if (end == y)
        continue;
      strbuf_addf(out, "M%.1f %.1fH%.1fV%.1fH%.1fz", left, chart_y(c, g->y[y]),
                  right, chart_y(c, g->y[end]), left);
      y = end;
    }
  }
  strbuf_adds(out, "\"/>\n");
}

static void chart_draw_grid(const struct chart *c, struct strbuf *out)
{
  const double largest = largest_of(&c->grid);

  if (c->grid.columns == 0)
    return;
  strbuf_adds(out, "<g class=\"cells\">\n");
  for (int level = 0; level < LEVELS; level++)
    draw_level(c, level, largest, out);
  strbuf_adds(out, "</g>\n");
}

static void chart_draw_bands(const struct chart *c, struct strbuf *out)
{
  const int bottom = chart_height(c) - CHART_BOTTOM;

  for (size_t i = 0; i < c->n_bands; i++) {
    const struct chart_band *b = &c->bands[i];
    const double from = fmax(b->from, c->x.low), to = fmin(b->to, c->x.high);
    double left, width;

    if (!(from <= to))
      continue;
    left = chart_x(c, from);
    width = chart_x(c, to) - left;
    /* A moment is a line, which must not vanish. */
    strbuf_addf(out,
                "<rect class=\"%s\" data-from=\"%.9g\" data-to=\"%.9g\" "
                "x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>",
                b->from < b->to ? "band" : "moment", b->from, b->to, left,
                CHART_TOP, fmax(width, 1.5), bottom - CHART_TOP);
    html_add(out, b->text);
    strbuf_adds(out, "</title></rect>\n");
  }
}

/* ---- values for the script of the page ---- */

enum {
  DIGITS = 6,
  DIGITS_LOW = 4, /* of small charts, of which there are many */
};

static const char *const units[] = {
  [AXIS_PLAIN] = "",      [AXIS_SECONDS] = "s",   [AXIS_TIME] = "time",
  [AXIS_COUNT] = "count", [AXIS_SHARE] = "share", [AXIS_BYTES] = "bytes",
};

static bool chart_is_timed(const struct chart *c)
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
static void chart_add_data(const struct chart *c, struct strbuf *out)
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

/* ---- axes and lines ---- */

static void draw_y_axis(const struct chart *c, struct strbuf *out)
{
  for (size_t i = 0; i < c->y.n_ticks; i++) {
    const double y = chart_y(c, c->y.ticks[i].value);

    strbuf_addf(out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
                "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                CHART_LEFT, CHART_WIDTH - CHART_RIGHT, y, y, CHART_LEFT - 6,
                y + 4);
    html_add(out, c->y.ticks[i].label);
    strbuf_adds(out, "</text>\n");
  }
}

/* Narrow screens hide every second tick: its class is `odd`. */
static void draw_x_axis(const struct chart *c, struct strbuf *out)
{
  const int bottom = chart_height(c) - CHART_BOTTOM;

  strbuf_adds(out, "<g class=\"xt\">");
  for (size_t i = 0; i < c->x.n_ticks; i++) {
    const double x = chart_x(c, c->x.ticks[i].value);

    strbuf_addf(out,
                "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
                "y2=\"%d\"/><text%s x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">",
                x, x, bottom, bottom + 5, i % 2 == 1 ? " class=\"odd\"" : "", x,
                bottom + 18);
    html_add(out, c->x.ticks[i].label);
    strbuf_adds(out, "</text>\n");
  }
  strbuf_adds(out, "</g>");
}

static void draw_axes(const struct chart *c, struct strbuf *out)
{
  const int bottom = chart_height(c) - CHART_BOTTOM;

  draw_y_axis(c, out);
  draw_x_axis(c, out);
  strbuf_addf(out,
              "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>"
              "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
              CHART_LEFT, CHART_TOP, bottom, CHART_WIDTH - CHART_RIGHT,
              (CHART_LEFT + CHART_WIDTH - CHART_RIGHT) / 2, bottom + 38);
  html_add(out, c->x.label);
  strbuf_addf(out,
              "</text><text class=\"yl\" transform=\"translate(13 %d) "
              "rotate(-90)\" text-anchor=\"middle\">",
              (CHART_TOP + bottom) / 2);
  html_add(out, c->y.label);
  strbuf_adds(out, "</text>\n");
}

/* There are several points for each column of pixels: its lowest and its
 * highest one are what a reader sees. */
static void draw_dense(const struct chart *c, const struct chart_line *line,
                       struct strbuf *out)
{
  double low = NAN, high = NAN;
  int at = -1;
  bool down = false;

  for (size_t i = 0; i <= line->n; i++) {
    const bool use = i < line->n && usable(&c->x, line->x[i]) &&
                     usable(&c->y, line->y[i]);
    const int column = use ? (int)chart_x(c, line->x[i]) : -1;

    if (column != at && at >= 0) {
      strbuf_addf(out, "%c%d %.1fV%.1f", down ? 'L' : 'M', at, low, high);
      down = use;
      low = high = NAN;
    }
    at = column;
    if (use) {
      low = fmin(low, chart_y(c, line->y[i]));
      high = fmax(high, chart_y(c, line->y[i]));
    }
  }
}

/* A point within a pixel of the previous one changes nothing. */
static void draw_path(const struct chart *c, const struct chart_line *line,
                      size_t color, struct strbuf *out)
{
  double last_x = NAN, last_y = NAN;
  bool down = false;

  strbuf_addf(out, "<path class=\"line%s c%zu\" d=\"", strokes[line->stroke],
              color);
  if (line->n > CHART_WIDTH && !line->steps) {
    draw_dense(c, line, out);
    strbuf_adds(out, "\"/>\n");
    return;
  }
  for (size_t i = 0; i < line->n; i++) {
    double x, y;

    if (!usable(&c->x, line->x[i]) || !usable(&c->y, line->y[i])) {
      down = false;
      continue;
    }
    x = chart_x(c, line->x[i]);
    y = chart_y(c, line->y[i]);
    if (down && i + 1 < line->n && fabs(x - last_x) < 0.7 &&
        fabs(y - last_y) < 0.7)
      continue;
    if (down && line->steps)
      strbuf_addf(out, "H%.1f", x);
    strbuf_addf(out, "%c%.1f %.1f", down ? 'L' : 'M', x, y);
    last_x = x;
    last_y = y;
    down = true;
  }
  strbuf_adds(out, "\"/>\n");
}

/* "threads 16: 1,234 events per second" */
static void add_value(const struct chart *c, const struct chart_line *line,
                      size_t i, struct strbuf *out)
{
  char text[UNIT_SIZE];
  const double x = line->x[i], y = line->y[i];

  html_add(out, c->x.label);
  strbuf_adds(out, " ");
  if (c->x.names && x >= 0 && x < (double)c->x.n_at)
    html_add(out, c->x.names[(size_t)x]);
  else
    strbuf_adds(out, unit_grouped(text, x));
  strbuf_adds(out, ": ");
  if (c->y.unit == AXIS_TIME) {
    strbuf_adds(out, unit_time(text, y));
    return;
  }
  strbuf_addf(out, "%s ", unit_grouped(text, y));
  html_add(out, c->y.label);
}

static void draw_points(const struct chart *c, const struct chart_line *line,
                        size_t color, struct strbuf *out)
{
  for (size_t i = 0; i < line->n; i++) {
    double x, y;

    if (!usable(&c->x, line->x[i]) || !usable(&c->y, line->y[i]))
      continue;
    x = chart_x(c, line->x[i]);
    y = chart_y(c, line->y[i]);
    if (line->low && line->high && line->high[i] > line->low[i])
      strbuf_addf(out, "<path class=\"line thin c%zu\" d=\"M%.1f %.1fV%.1f\"/>",
                  color, x, chart_y(c, line->low[i]),
                  chart_y(c, line->high[i]));
    strbuf_addf(out,
                "<circle class=\"dot c%zu\" cx=\"%.1f\" cy=\"%.1f\" "
                "r=\"3\"><title>",
                color, x, y);
    add_value(c, line, i, out);
    strbuf_adds(out, "</title></circle>\n");
  }
}

/* The line comes from below on the left, so there is room above it. */
static void draw_marks(const struct chart *c, struct strbuf *out)
{
  for (size_t i = 0; i < c->n_marks; i++) {
    const struct chart_mark *m = &c->marks[i];
    const double x = chart_x(c, m->x), y = chart_y(c, m->y);
    const char *anchor = x < CHART_LEFT + 120 ? "start" : "end";

    strbuf_addf(out,
                "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" "
                "r=\"6\"/><text class=\"strong\" x=\"%.1f\" y=\"%.1f\" "
                "text-anchor=\"%s\">",
                x, y, x, y - 11, anchor);
    html_add(out, m->text);
    strbuf_adds(out, "</text>\n");
  }
}

static bool has_dots(const struct chart *c)
{
  for (size_t i = 0; i < c->n_lines; i++) {
    if (c->lines[i].dots)
      return true;
  }
  return false;
}

/* The page's script puts values into `v`. */
static void add_legend(const struct chart *c, struct strbuf *out)
{
  const bool timed = chart_is_timed(c);

  if (c->n_lines < 2 && !c->named && !timed)
    return;
  strbuf_adds(out, "<p class=\"legend\">");
  for (size_t i = 0; i < c->n_lines; i++) {
    strbuf_addf(out,
                "<span><svg width=\"28\" height=\"10\"><path class=\"line%s "
                "c%zu\" d=\"M1 5H27\"/></svg> ",
                strokes[c->lines[i].stroke], i);
    html_add(out, *c->lines[i].name ? c->lines[i].name : c->y.label);
    strbuf_adds(out, timed ? " <b class=\"v\"></b></span>" : "</span>");
  }
  if (c->grid.columns > 0)
    strbuf_adds(out, "<span>the stronger the colour, the more events "
                     "<b class=\"v wide\"></b></span>");
  strbuf_adds(out, "</p>\n");
}

/* The squares fill the frame, and there is no margin. */
static void fit_grid(struct chart *c)
{
  const struct chart_grid *g = &c->grid;

  axis_fit(&c->x, g->x[0], g->x[g->columns], TICKS_X);
  axis_fit(&c->y, g->y[0], g->y[g->rows], TICKS_Y);
}

static void fit(struct chart *c, struct limits l)
{
  c->inset = has_dots(c) ? INSET : 0;
  if (c->n_marks > 0)
    l.y_high += HEADROOM * (l.y_high - fmin(l.y_low, 0));
  axis_fit(&c->x, l.x_low, l.x_high, TICKS_X);
  axis_fit(&c->y, l.y_low, l.y_high, c->low ? TICKS_LOW : TICKS_Y);
}

bool chart_svg(struct chart *c, struct strbuf *out)
{
  const struct limits l = find_limits(c);

  if (l.points == 0 && c->grid.columns == 0)
    return false;
  if (c->grid.columns > 0)
    fit_grid(c);
  else
    fit(c, l);

  strbuf_addf(out, "<figure%s><figcaption>",
              chart_is_timed(c) ? " class=\"timed\"" : "");
  html_add(out, c->title);
  strbuf_adds(out, "</figcaption>\n");
  add_legend(c, out);
  strbuf_addf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
              CHART_WIDTH, chart_height(c));
  html_add(out, c->title);
  strbuf_adds(out, "</title>\n");
  chart_draw_grid(c, out);
  chart_draw_bands(c, out);
  draw_axes(c, out);
  for (size_t i = 0; i < c->n_lines; i++) {
    draw_path(c, &c->lines[i], i, out);
    /* A line with a single point would be invisible. */
    if (c->lines[i].dots || c->lines[i].n == 1)
      draw_points(c, &c->lines[i], i, out);
  }
  draw_marks(c, out);
  strbuf_adds(out, "</svg>\n");
  if (chart_is_timed(c))
    chart_add_data(c, out);
  strbuf_adds(out, "</figure>\n");
  return true;
}
