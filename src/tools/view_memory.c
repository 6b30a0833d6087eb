/*
 * view_memory.c - what the tests of memory have found out: a staircase, latency
 * by bandwidth, and matrices.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/fmt.h"
#include "base/strbuf.h"
#include "tools/chart.h"
#include "tools/figure.h"
#include "tools/heatmap.h"
#include "tools/table.h"
#include "tools/view.h"
#include "tools/view_charts.h"

enum {
  TICKS = 16,
  MATRIX_MAX = 1024,    /* rows of a matrix that is drawn */
  NUMBER_MAX = 1 << 20, /* of a processor, or a node */
};

/* A point of a line, and what it is sorted by. */
struct spot {
  double order, x, y;
};

static int by_order(const void *a, const void *b)
{
  const struct spot *p = a, *q = b;

  return (p->order > q->order) - (p->order < q->order);
}

/* Add a line to the chart, whose memory begins with its x; drop_lines() frees
 * it.  The spots are freed. */
static void add_line(struct chart *c, const char *name, struct spot *spots,
                     size_t n, bool dots)
{
  double *xy = n > 0 ? calloc(2 * n, sizeof(*xy)) : NULL;

  if (xy && c->n_lines < CHART_LINES_MAX) {
    qsort(spots, n, sizeof(*spots), by_order);
    for (size_t i = 0; i < n; i++) {
      xy[i] = spots[i].x;
      xy[n + i] = spots[i].y;
    }
    c->lines[c->n_lines++] = (struct chart_line){
      .name = name, .x = xy, .y = xy + n, .n = n, .dots = dots
    };
  } else {
    free(xy);
  }
  free(spots);
}

static void drop_lines(struct chart *c)
{
  for (size_t i = 0; i < c->n_lines; i++)
    free((void *)(uintptr_t)c->lines[i].x);
  c->n_lines = 0;
}

/* ---- staircase ---- */

static void add_stairs(struct chart *c, const json_t *ns, const char *name)
{
  const size_t room = json_object_size(ns);
  struct spot *spots = calloc(room + 1, sizeof(*spots));
  const char *key;
  json_t *value;
  size_t n = 0;

  if (!spots)
    return;
  json_object_foreach((json_t *)(uintptr_t)ns, key, value)
  {
    const double bytes = strtod(key, NULL);

    if (n < room && bytes > 0 && json_is_number(value))
      spots[n++] = (struct spot){ bytes, bytes, json_number_value(value) };
  }
  add_line(c, name, spots, n, false);
}

/* Marks keep their text here. */
struct marks {
  char text[4][FMT_SIZE_SIZE];
};

/* The ends of the plateaus, where there is one run to look at. */
static void mark_plateaus(struct chart *c, const json_t *plateaus,
                          struct marks *m)
{
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)plateaus, key, value)
  {
    const double bytes = result_number_at(value, "bytes");
    const double ns = result_number_at(value, "ns");

    if (bytes >= 1 && bytes < 1e18 && isfinite(ns) &&
        c->n_marks < ARRAY_SIZE(m->text)) {
      const char *text = fmt_size(m->text[c->n_marks], (uint64_t)bytes);

      c->marks[c->n_marks++] = (struct chart_mark){ bytes, ns, text };
    }
  }
}

static void staircase(const struct view *v, struct strbuf *out)
{
  static const char *const kinds[] = { "huge", "small" };
  static const double at[TICKS] = {
    4096,     16384,    65536,     262144,     1048576,    4194304,
    16777216, 67108864, 268435456, 1073741824, 4294967296,
  };
  static const char *const names[TICKS] = {
    "4 KiB",  "16 KiB", "64 KiB",  "256 KiB", "1 MiB", "4 MiB",
    "16 MiB", "64 MiB", "256 MiB", "1 GiB",   "4 GiB",
  };
  struct chart c = {
    .title = "Latency by the size of the memory",
    .x = { .label = "memory that is gone over",
           .kind = AXIS_LOG,
           .at = at,
           .names = names,
           .n_at = 11 },
    .y = { .label = "time of an access", .kind = AXIS_LOG, .unit = AXIS_TIME },
    .named = true,
  };
  char labels[CHART_LINES_MAX][160];
  struct marks marks;

  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    const json_t *all = result_at(v->runs[i].run->json, "test.latency");

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
      char path[32];

      if (c.n_lines == CHART_LINES_MAX)
        break;
      (void)snprintf(labels[c.n_lines], sizeof(labels[0]), "%s%s%s pages",
                     v->n_runs > 1 ? v->runs[i].label : "",
                     v->n_runs > 1 ? ", " : "", kinds[k]);
      (void)snprintf(path, sizeof(path), "%s_pages.ns", kinds[k]);
      add_stairs(&c, result_at(all, path), labels[c.n_lines]);
      (void)snprintf(path, sizeof(path), "%s_pages.plateaus", kinds[k]);
      if (v->n_runs == 1 && c.n_marks == 0)
        mark_plateaus(&c, result_at(all, path), &marks);
    }
  }
  (void)chart_svg(&c, out);
  drop_lines(&c);
}

/* ---- latency by bandwidth ---- */

static void add_loads(struct chart *c, const struct view_run *r)
{
  const json_t *delays = result_at(r->run->json, "test.loaded.delays");
  const double knee = result_number_at(r->run->json,
                                       "test.loaded.knee_bytes_per_s");
  const size_t room = json_object_size(delays);
  struct spot *spots = calloc(room + 1, sizeof(*spots));
  const char *key;
  json_t *value;
  size_t n = 0;

  if (!spots)
    return;
  json_object_foreach((json_t *)(uintptr_t)delays, key, value)
  {
    const bool none = strcmp(key, "none") == 0;
    const double rate = result_number_at(value, "bytes_per_s");
    const double ns = result_number_at(value, "ns");

    if (n == room || !isfinite(rate) || !isfinite(ns))
      continue;
    /* From the longest delay to none, as they were measured. */
    spots[n++] = (struct spot){ none ? -INFINITY : -strtod(key, NULL), rate,
                                ns };
    if (rate == knee && c->n_marks < ARRAY_SIZE(c->marks))
      c->marks[c->n_marks++] = (struct chart_mark){ rate, ns, "knee" };
  }
  add_line(c, r->label, spots, n, true);
}

static void loaded(const struct view *v, struct strbuf *out)
{
  struct chart c = {
    .title = "Latency by bandwidth of the loads",
    .x = { .label = "bytes per second that the loads read and write",
           .unit = AXIS_BYTES,
           .from_zero = true },
    .y = { .label = "time of an access", .unit = AXIS_TIME, .from_zero = true },
  };

  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++)
    add_loads(&c, &v->runs[i]);
  (void)chart_svg(&c, out);
  drop_lines(&c);
}

/* ---- matrices ---- */

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;

  return (x > y) - (x < y);
}

/* Both numbers of a key such as "0-1". */
static bool read_pair(const char *key, int *a, int *b)
{
  char *end, *last;
  const long first = strtol(key, &end, 10);
  const long second = *end == '-' ? strtol(end + 1, &last, 10) : -1;

  if (first < 0 || first > NUMBER_MAX || second < 0 || second > NUMBER_MAX ||
      end == key || last == end + 1 || *last != '\0')
    return false;
  *a = (int)first;
  *b = (int)second;
  return true;
}

/* The different numbers in the keys, in order; returns how many. */
static size_t numbers_of(const json_t *of, int *ret, size_t room)
{
  const char *key;
  json_t *value;
  size_t n = 0, unique = 0;

  json_object_foreach((json_t *)(uintptr_t)of, key, value)
  {
    int a, b;

    if (n + 2 > room || !read_pair(key, &a, &b))
      continue;
    ret[n++] = a;
    ret[n++] = b;
  }
  qsort(ret, n, sizeof(*ret), ascending);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || ret[i] != ret[i - 1])
      ret[unique++] = ret[i];
  }
  return unique;
}

static size_t place_of(const int *names, size_t n, int number)
{
  const int *found = bsearch(&number, names, n, sizeof(*names), ascending);

  return found ? (size_t)(found - names) : 0;
}

static void fill_matrix(const json_t *of, bool both_ways, const int *names,
                        size_t n, double *values)
{
  const char *key;
  json_t *value;

  for (size_t i = 0; i < n * n; i++)
    values[i] = NAN;
  json_object_foreach((json_t *)(uintptr_t)of, key, value)
  {
    int a, b;

    if (read_pair(key, &a, &b)) {
      const size_t i = place_of(names, n, a), k = place_of(names, n, b);

      values[i * n + k] = result_number_at(value, "ns");
      if (both_ways)
        values[k * n + i] = values[i * n + k];
    }
  }
}

/* `path` in the document: objects by two numbers, with `ns` in them. */
static void matrix(const struct view *v, const struct view_run *r,
                   const char *path, bool both_ways, const struct heatmap *like,
                   struct strbuf *out)
{
  const json_t *of = result_at(r->run->json, path);
  const size_t room = 2 * json_object_size(of);
  int *names = calloc(room + 1, sizeof(*names));
  const size_t n = names ? numbers_of(of, names, room) : 0;
  double *values = n > 0 && n <= MATRIX_MAX ? calloc(n * n, sizeof(*values))
                                            : NULL;
  struct strbuf title = { 0 };
  struct heatmap h = *like;

  if (values) {
    fill_matrix(of, both_ways, names, n, values);
    strbuf_adds(&title, like->title);
    if (v->n_runs > 1)
      strbuf_addf(&title, ": %s", r->label);
    h.title = strbuf_str(&title);
    h.n = n;
    h.names = names;
    h.values = values;
    (void)heatmap_svg(&h, out);
    strbuf_done(&title);
  }
  free(values);
  free(names);
}

static void matrices(const struct view *v, struct strbuf *out)
{
  static const struct heatmap pairs = {
    .title = "Exchange of a cache line between processors",
    .rows = "processor",
    .columns = "processor",
    .unit = "ns one way",
  };
  static const struct heatmap nodes = {
    .title = "Latency from nodes to memory",
    .rows = "node",
    .columns = "memory of node",
    .unit = "ns",
  };

  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    matrix(v, &v->runs[i], "test.pairs.of", true, &pairs, out);
    matrix(v, &v->runs[i], "test.numa.of", false, &nodes, out);
  }
}

void view_charts_memory(const struct view *v, struct strbuf *out)
{
  staircase(v, out);
  loaded(v, out);
  matrices(v, out);
}

bool view_has_samples(const struct view *v)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    if (result_text_at(v->runs[i].run->json, "test.memory_test") ||
        result_text_at(v->runs[i].run->json, "test.cpu_test"))
      return true;
  }
  return false;
}

/* ---- figures ---- */

/* Those of the first run. */
void view_figures(const struct view *v, struct table *t)
{
  const json_t *have = result_at(v->runs[0].run->json, "test.figures");
  const char *name;
  json_t *value;

  table_cell(t, "figure");
  for (size_t i = 0; i < v->n_runs; i++)
    table_cell(t, v->n_runs > 1 ? v->runs[i].label : "value");
  table_end_row(t);
  json_object_foreach((json_t *)(uintptr_t)have, name, value)
  {
    table_cell(t, name);
    for (size_t i = 0; i < v->n_runs; i++)
      figure_cell(t, json_object_get(
                       result_at(v->runs[i].run->json, "test.figures"), name));
    table_end_row(t);
  }
}
