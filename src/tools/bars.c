/*
 * bars.c - groups of horizontal bars as SVG.
 */
#include "tools/bars.h"

#include <math.h>

#include "base/strbuf.h"
#include "tools/html.h"

/* Sizes of the drawing, in its own units. */
enum {
  WIDTH = 720,
  LEFT = 120,  /* for the names of groups */
  RIGHT = 150, /* for the texts beside bars */
  BAR = 14,
  GAP = 8, /* between groups */
};

struct range {
  double low, high; /* of what the lengths stand for */
};

static double length_of(const struct bars *b, double value)
{
  return b->logarithmic ? log10(value) : value;
}

static bool is_drawn(const struct bars *b, const struct bar *bar)
{
  return isfinite(bar->value) && (bar->value > 0 || !b->logarithmic);
}

static bool find_range(const struct bars *b, struct range *ret)
{
  *ret = (struct range){ INFINITY, -INFINITY };
  for (size_t i = 0; i < b->n_groups * b->n_series; i++) {
    if (!is_drawn(b, &b->of[i]))
      continue;
    ret->low = fmin(ret->low, length_of(b, b->of[i].value));
    ret->high = fmax(ret->high, length_of(b, b->of[i].value));
  }
  if (ret->low > ret->high)
    return false;
  /* The shortest bar of a logarithmic axis is not nothing. */
  ret->low = b->logarithmic ? floor(ret->low) - 1 : 0;
  if (ret->high <= ret->low)
    ret->high = ret->low + 1;
  return true;
}

static void add_legend(const struct bars *b, struct strbuf *out)
{
  strbuf_adds(out, "<p class=\"legend\">");
  for (size_t i = 0; b->n_series > 1 && i < b->n_series; i++) {
    strbuf_addf(out,
                "<span><svg width=\"14\" height=\"10\"><rect class=\"dot "
                "c%zu\" width=\"14\" height=\"10\"/></svg> ",
                i);
    html_add(out, b->series[i]);
    strbuf_adds(out, "</span>\n");
  }
  strbuf_adds(out, "<span>");
  html_add(out, b->note);
  strbuf_adds(out, "</span></p>\n");
}

static void add_bar(const struct bars *b, const struct range *r, size_t group,
                    size_t series, int y, struct strbuf *out)
{
  const struct bar *bar = &b->of[group * b->n_series + series];
  double width = 0;

  if (is_drawn(b, bar))
    width = (WIDTH - LEFT - RIGHT) *
            fmax(0, (length_of(b, bar->value) - r->low) / (r->high - r->low));
  strbuf_addf(out,
              "<rect class=\"dot c%zu\" x=\"%d\" y=\"%d\" width=\"%.1f\" "
              "height=\"%d\"/><text x=\"%.1f\" y=\"%d\">",
              series, LEFT, y, width, BAR - 2, LEFT + width + 6, y + BAR - 4);
  html_add(out, bar->text);
  strbuf_adds(out, "</text>\n");
}

bool bars_svg(const struct bars *b, struct strbuf *out)
{
  const int group = (int)b->n_series * BAR + GAP;
  struct range r;

  if (!find_range(b, &r))
    return false;
  strbuf_adds(out, "<figure><figcaption>");
  html_add(out, b->title);
  strbuf_adds(out, "</figcaption>\n");
  add_legend(b, out);
  strbuf_addf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n<title>", WIDTH,
              (int)b->n_groups * group);
  html_add(out, b->title);
  strbuf_adds(out, "</title>\n");
  for (size_t i = 0; i < b->n_groups; i++) {
    const int y = (int)i * group + GAP / 2;

    strbuf_addf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 8,
                y + (group - GAP) / 2 + 4);
    html_add(out, b->groups[i]);
    strbuf_adds(out, "</text>\n");
    for (size_t k = 0; k < b->n_series; k++)
      add_bar(b, &r, i, k, y + (int)k * BAR, out);
  }
  strbuf_adds(out, "</svg></figure>\n");
  return true;
}
