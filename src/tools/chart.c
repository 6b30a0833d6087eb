/*
 * chart.c - charts of lines as SVG.
 */
#include "tools/chart.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "tools/html.h"

/* Sizes of the drawing, in its own units. */
enum {
  WIDTH = 720,
  HEIGHT = 280,
  LEFT = 76,
  RIGHT = 20,
  TOP = 16,
  BOTTOM = 48,
  INSET = 14,
  TICKS_X = 10,
  TICKS_Y = 8,
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

static double x_of(const struct chart *c, double value)
{
  return LEFT + c->inset +
         axis_place(&c->x, value) * (WIDTH - LEFT - RIGHT - 2 * c->inset);
}

static double y_of(const struct chart *c, double value)
{
  return HEIGHT - BOTTOM - axis_place(&c->y, value) * (HEIGHT - TOP - BOTTOM);
}

static void draw_axes(const struct chart *c, struct strbuf *out)
{
  for (size_t i = 0; i < c->y.n_ticks; i++) {
    const double y = y_of(c, c->y.ticks[i].value);

    strbuf_addf(out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
                "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4);
    html_add(out, c->y.ticks[i].label);
    strbuf_adds(out, "</text>\n");
  }
  for (size_t i = 0; i < c->x.n_ticks; i++) {
    const double x = x_of(c, c->x.ticks[i].value);

    strbuf_addf(out,
                "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
                "y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">",
                x, x, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 5, x,
                HEIGHT - BOTTOM + 18);
    html_add(out, c->x.ticks[i].label);
    strbuf_adds(out, "</text>\n");
  }
  strbuf_addf(out,
              "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>"
              "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
              LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT,
              (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
  html_add(out, c->x.label);
  strbuf_addf(out,
              "</text><text transform=\"translate(13 %d) rotate(-90)\" "
              "text-anchor=\"middle\">",
              (TOP + HEIGHT - BOTTOM) / 2);
  html_add(out, c->y.label);
  strbuf_adds(out, "</text>\n");
}

/* A short band is wide enough to be seen. */
static void draw_bands(const struct chart *c, struct strbuf *out)
{
  for (size_t i = 0; i < c->n_bands; i++) {
    const struct chart_band *b = &c->bands[i];
    const double left = fmax(x_of(c, b->from), LEFT);
    const double right = fmin(x_of(c, b->to), WIDTH - RIGHT);

    if (right > LEFT && left < WIDTH - RIGHT)
      strbuf_addf(out,
                  "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
                  "height=\"%d\"/>\n",
                  b->style, left, TOP, fmax(right - left, 1.5),
                  HEIGHT - TOP - BOTTOM);
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
  for (size_t i = 0; i < line->n; i++) {
    double x, y;

    if (!usable(&c->x, line->x[i]) || !usable(&c->y, line->y[i])) {
      down = false;
      continue;
    }
    x = x_of(c, line->x[i]);
    y = y_of(c, line->y[i]);
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

static void draw_points(const struct chart *c, const struct chart_line *line,
                        size_t color, struct strbuf *out)
{
  for (size_t i = 0; i < line->n; i++) {
    double x, y;

    if (!usable(&c->x, line->x[i]) || !usable(&c->y, line->y[i]))
      continue;
    x = x_of(c, line->x[i]);
    y = y_of(c, line->y[i]);
    if (line->low && line->high && line->high[i] > line->low[i])
      strbuf_addf(out, "<path class=\"line thin c%zu\" d=\"M%.1f %.1fV%.1f\"/>",
                  color, x, y_of(c, line->low[i]), y_of(c, line->high[i]));
    strbuf_addf(out,
                "<circle class=\"dot c%zu\" cx=\"%.1f\" cy=\"%.1f\" "
                "r=\"3\"/>\n",
                color, x, y);
  }
}

/* The line comes from below on the left, so there is room above it. */
static void draw_marks(const struct chart *c, struct strbuf *out)
{
  for (size_t i = 0; i < c->n_marks; i++) {
    const struct chart_mark *m = &c->marks[i];
    const double x = x_of(c, m->x), y = y_of(c, m->y);
    const char *anchor = x < LEFT + 120 ? "start" : "end";

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

static void add_legend(const struct chart *c, struct strbuf *out)
{
  if (c->n_lines < 2 && !c->named)
    return;
  strbuf_adds(out, "<p class=\"legend\">");
  for (size_t i = 0; i < c->n_lines; i++) {
    strbuf_addf(out,
                "<span><svg width=\"28\" height=\"10\"><path class=\"line%s "
                "c%zu\" d=\"M1 5H27\"/></svg> ",
                strokes[c->lines[i].stroke], i);
    html_add(out, c->lines[i].name);
    strbuf_adds(out, "</span>");
  }
  strbuf_adds(out, "</p>\n");
}

bool chart_svg(struct chart *c, struct strbuf *out)
{
  struct limits l = find_limits(c);

  if (l.points == 0)
    return false;
  c->inset = has_dots(c) ? INSET : 0;
  if (c->n_marks > 0)
    l.y_high += HEADROOM * (l.y_high - fmin(l.y_low, 0));
  axis_fit(&c->x, l.x_low, l.x_high, TICKS_X);
  axis_fit(&c->y, l.y_low, l.y_high, TICKS_Y);

  strbuf_adds(out, "<figure><figcaption>");
  html_add(out, c->title);
  strbuf_adds(out, "</figcaption>\n");
  add_legend(c, out);
  strbuf_addf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n<title>", WIDTH,
              HEIGHT);
  html_add(out, c->title);
  strbuf_adds(out, "</title>\n");
  draw_bands(c, out);
  draw_axes(c, out);
  for (size_t i = 0; i < c->n_lines; i++) {
    draw_path(c, &c->lines[i], i, out);
    /* A line with a single point would be invisible. */
    if (c->lines[i].dots || c->lines[i].n == 1)
      draw_points(c, &c->lines[i], i, out);
  }
  draw_marks(c, out);
  strbuf_adds(out, "</svg></figure>\n");
  return true;
}
