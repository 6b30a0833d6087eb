/*
 * view_sweep.c - the curve of a sweep: a figure against the values of an
 * option, one line per combination of the other options.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/strbuf.h"
#include "tools/chart.h"
#include "tools/html.h"
#include "tools/knee.h"
#include "tools/numbers.h"
#include "tools/usl.h"
#include "tools/usl_runs.h"
#include "tools/view.h"
#include "tools/view_charts.h"
#include "tools/view_usl.h"

/* One file with a sweep. */
struct curve {
  const struct view *v;
  const struct groups *groups;
  const char *option;  /* the option of the x axis */
  bool numbers;        /* its values are numbers */
  double *x;           /* owned; of each group */
  const char **values; /* owned; the different values, if they are words */
  double *at;          /* owned; the different x, ascending */
  size_t n_at;
  char *names[CHART_LINES_MAX]; /* owned */
  size_t n_names;
};

static bool number_of(const char *text, double *ret)
{
  uint64_t size;

  if (!text)
    return false;
  if (parse_size(text, &size) == 0) {
    *ret = (double)size;
    return true;
  }
  return parse_double(text, ret) == 0;
}

static const char *value_of(const struct group *g, const char *option)
{
  const char *text = json_string_value(json_object_get(g->values, option));

  return text ? text : "";
}

/* Are all values numbers, and how many of them differ from the first one? */
static bool is_numeric(const struct groups *g, const char *option,
                       size_t *ret_others)
{
  bool numeric = true;

  *ret_others = 0;
  for (size_t i = 0; i < g->n; i++) {
    double ignored;

    numeric = numeric && number_of(value_of(&g->of[i], option), &ignored);
    *ret_others += strcmp(value_of(&g->of[i], option),
                          value_of(&g->of[0], option)) != 0;
  }
  return numeric;
}

/* The first option with numbers, or else the first one that has two values. */
static const char *choose_option(const struct groups *g, bool *ret_numbers)
{
  const char *name, *word = NULL;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)g->of[0].values, name, value)
  {
    size_t others;
    const bool numeric = is_numeric(g, name, &others);

    if (others == 0)
      continue;
    if (numeric) {
      *ret_numbers = true;
      return name;
    }
    if (!word)
      word = name;
  }
  *ret_numbers = false;
  return word;
}

/* The number of a word, in the order in which words appear. */
static size_t word_index(struct curve *c, const char *text)
{
  for (size_t i = 0; i < c->n_at; i++) {
    /* Set, up to n_at.
     * NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) */
    if (strcmp(c->values[i], text) == 0)
      return i;
  }
  c->values[c->n_at] = text;
  return c->n_at++;
}

static void collect_x(struct curve *c)
{
  for (size_t i = 0; i < c->groups->n; i++) {
    const char *text = value_of(&c->groups->of[i], c->option);

    if (c->numbers)
      (void)number_of(text, &c->x[i]);
    else
      c->x[i] = (double)word_index(c, text);
  }
  if (!c->numbers) {
    for (size_t i = 0; i < c->n_at; i++)
      c->at[i] = (double)i;
    return;
  }
  memcpy(c->at, c->x, c->groups->n * sizeof(*c->at));
  numbers_sort(c->at, c->groups->n);
  for (size_t i = 0; i < c->groups->n; i++) {
    if (c->n_at == 0 || c->at[i] > c->at[c->n_at - 1])
      c->at[c->n_at++] = c->at[i];
  }
}

/* The values of all options except that of the x axis. */
static char *name_of(const struct curve *c, const struct group *g)
{
  struct strbuf b = { 0 };
  const char *name;
  json_t *value;
  char *text;

  json_object_foreach((json_t *)(uintptr_t)g->values, name, value)
  {
    if (strcmp(name, c->option) != 0)
      strbuf_addf(&b, "%s%s=%s", b.len > 0 ? ", " : "", name,
                  value_of(g, name));
  }
  text = b.failed ? NULL : mem_strdup(strbuf_str(&b));
  strbuf_done(&b);
  return text;
}

/* The line of a group; CHART_LINES_MAX: there are too many already. */
static size_t line_of(struct curve *c, const struct group *g)
{
  char *name = name_of(c, g);
  size_t i = 0;

  while (name && i < c->n_names && strcmp(c->names[i], name) != 0)
    i++;
  if (name && i == c->n_names && i < CHART_LINES_MAX)
    c->names[c->n_names++] = name;
  else
    free(name);
  return name ? i : CHART_LINES_MAX;
}

static double events_per_s_of(const struct result *r)
{
  return r->events_per_s;
}

static double p95_of(const struct result *r)
{
  return result_percentile(r, "95");
}

static double mean_of(const struct result *r)
{
  return r->mean_ns;
}

static struct spread figure(const struct group *g,
                            double (*of)(const struct result *))
{
  double *x = calloc(g->n + 1, sizeof(*x));
  struct spread s = spread_of(NULL, 0);

  for (size_t i = 0; x && i < g->n; i++)
    x[i] = of(g->runs[i]);
  if (x)
    s = spread_of(x, g->n);
  free(x);
  return s;
}

/* Add the groups of a line, in the order of x.  Each array has room for all. */
static void add_line(struct curve *c, struct chart *chart, size_t line,
                     double *memory, double (*of)(const struct result *))
{
  const size_t n = c->groups->n;
  double *x = memory, *y = x + n, *low = y + n, *high = low + n;
  size_t used = 0;

  for (size_t at = 0; at < c->n_at; at++) {
    for (size_t i = 0; i < n; i++) {
      struct spread s;

      if (c->x[i] != c->at[at] || line_of(c, &c->groups->of[i]) != line)
        continue;
      s = figure(&c->groups->of[i], of);
      x[used] = c->x[i];
      y[used] = s.median;
      low[used] = s.min;
      high[used] = s.max;
      used++;
    }
  }
  chart->lines[chart->n_lines++] = (struct chart_line){
    .name = c->names[line],
    .x = x,
    .y = y,
    .n = used,
    .low = low,
    .high = high,
    .dots = true,
  };
}

static void add_mark(struct chart *chart, const struct curve *c, size_t group,
                     const char *text)
{
  if (group != KNEE_NONE)
    chart->marks[chart->n_marks++] = (struct chart_mark){
      c->x[group],
      figure(&c->groups->of[group], events_per_s_of).median,
      text,
    };
}

/* Mark the best step and the knee.  The options are those of the first
 * group, in its order.  An option that another group lacks has an empty
 * value there. */
static void mark(const struct curve *c, struct chart *chart)
{
  json_t *options = (json_t *)(uintptr_t)c->groups->of[0].values;
  const size_t n = c->groups->n;
  const size_t m = json_object_size(options);
  struct knee_step *steps = calloc(n, sizeof(*steps));
  const char **values = calloc(n * m + 1, sizeof(*values));
  size_t best = KNEE_NONE, knee = KNEE_NONE;

  for (size_t i = 0; steps && values && i < n; i++) {
    const struct group *g = &c->groups->of[i];
    const char *name;
    json_t *value;
    size_t k = 0;

    json_object_foreach(options, name, value)
    {
      values[i * m + k++] = value_of(g, name);
    }
    steps[i].throughput = figure(g, events_per_s_of).median;
    steps[i].values = &values[i * m];
  }
  if (steps && values) {
    best = knee_best(steps, n);
    knee = knee_find(steps, n, m);
  }
  add_mark(chart, c, best, best == knee ? "best and knee" : "best");
  if (best != knee)
    add_mark(chart, c, knee, "knee");
  free(values);
  free(steps);
}

static void draw(struct curve *c, const char *title, const char *y_label,
                 enum axis_unit unit, double (*of)(const struct result *),
                 struct strbuf *out)
{
  const bool wide = c->numbers && c->at[0] > 0 &&
                    c->at[c->n_at - 1] / c->at[0] >= 8;
  struct chart chart = {
    .title = title,
    .x = { .label = c->option,
           .kind = wide ? AXIS_LOG : AXIS_LINEAR,
           .unit = AXIS_COUNT,
           .at = c->at,
           .names = c->numbers ? NULL : c->values,
           .n_at = c->n_at },
    .y = { .label = y_label, .unit = unit, .from_zero = true },
  };
  const size_t n = c->groups->n;
  struct view_usl law;
  struct usl usl;
  double *memory = calloc(4 * n * (c->n_names + 1), sizeof(*memory));

  for (size_t i = 0; memory && i < c->n_names; i++)
    add_line(c, &chart, i, memory + 4 * n * i, of);
  if (memory && of == events_per_s_of) {
    mark(c, &chart);
    if (chart.n_lines == 1 && usl_of_groups(c->groups, &usl))
      view_usl_add(&law, &usl, &chart);
  }
  (void)chart_svg(&chart, out);
  free(memory);
}

static void curve_done(struct curve *c)
{
  for (size_t i = 0; i < c->n_names; i++)
    free(c->names[i]);
  free(c->x);
  free(c->at);
  free(c->values);
}

static void draw_curves(const struct view *v, const struct groups *g,
                        struct strbuf *out)
{
  struct curve c = { .v = v, .groups = g };

  c.option = choose_option(g, &c.numbers);
  if (!c.option)
    return;
  c.x = calloc(g->n, sizeof(*c.x));
  c.at = calloc(g->n, sizeof(*c.at));
  c.values = calloc(g->n, sizeof(*c.values));
  if (c.x && c.at && c.values) {
    collect_x(&c);
    for (size_t i = 0; i < g->n; i++)
      (void)line_of(&c, &g->of[i]);
    draw(&c, "Throughput by value", "events per second", AXIS_COUNT,
         events_per_s_of, out);
    draw(&c, "Mean latency by value", "mean latency", AXIS_TIME, mean_of, out);
    draw(&c, "95th percentile by value", "95th percentile", AXIS_TIME, p95_of,
         out);
  } else {
    out->failed = true;
  }
  curve_done(&c);
}

/* What the scalability law says of a file. */
static void describe_law(const struct groups *g, struct strbuf *out)
{
  struct strbuf text = { 0 };
  struct usl usl;
  const char *line;
  size_t len;

  if (!usl_of_groups(g, &usl))
    return;
  usl_print(&usl,
            json_object_iter_key(
              json_object_iter((json_t *)(uintptr_t)g->of[0].values)),
            &text);
  line = strbuf_str(&text);
  for (; (len = strcspn(line, "\n")) > 0; line += len + (line[len] != '\0'))
    html_paragraph_of(out, line, len);
  out->failed = out->failed || text.failed;
  strbuf_done(&text);
}

void view_charts_sweep(const struct view *v, struct strbuf *out)
{
  for (size_t i = 0; i < v->n_files; i++) {
    if (v->groups[i].n < 2 || !v->groups[i].of[0].values)
      continue;
    if (v->n_files > 1)
      html_paragraph(out, v->files[i].path);
    strbuf_adds(out, "<div class=\"charts\">\n");
    draw_curves(v, &v->groups[i], out);
    strbuf_adds(out, "</div>\n");
    describe_law(&v->groups[i], out);
  }
}
