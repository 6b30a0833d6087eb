/*
 * view_rows.c - one row over time for each further figure of the machine and of
 * the server that intervals have.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "monitor/metrics.h"
#include "tools/chart.h"
#include "tools/result.h"
#include "tools/view.h"
#include "tools/view_charts.h"
#include "tools/view_draw.h"

enum {
  ROWS_MAX = 60,
  DEPTH_MAX = 6,
};

/* Paths of numbers, in the order in which they appear. */
struct paths {
  char *of[ROWS_MAX]; /* owned */
  size_t n;
  bool failed;
};

static void add_path(struct paths *p, const char *path)
{
  for (size_t i = 0; i < p->n; i++) {
    if (strcmp(p->of[i], path) == 0)
      return;
  }
  if (p->n == ROWS_MAX)
    return;
  p->of[p->n] = mem_strdup(path);
  p->failed = p->failed || !p->of[p->n];
  p->n += p->of[p->n] != NULL;
}

/* Names with dots in them cannot be looked up, and are left out. */
static void collect(struct paths *p, const json_t *json, const char *path,
                    int depth)
{
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)json, key, value)
  {
    struct strbuf below = { 0 };

    strbuf_addf(&below, "%s.%s", path, key);
    if (strchr(key, '.') || !*key)
      ;
    else if (json_is_object(value) && depth < DEPTH_MAX)
      collect(p, value, strbuf_str(&below), depth + 1);
    else if (json_is_number(value))
      add_path(p, strbuf_str(&below));
    p->failed = p->failed || below.failed;
    strbuf_done(&below);
  }
}

static bool is_of_server(const char *path)
{
  return strncmp(path, "servers.", 8) == 0;
}

/* The figures of each server. */
static void collect_servers(struct paths *p, const json_t *list)
{
  for (size_t i = 0; i < json_array_size(list); i++) {
    char path[32];

    (void)snprintf(path, sizeof(path), "servers.%zu", i);
    collect(p, json_array_get(list, i), path, DEPTH_MAX);
  }
}

/* Charts of their own show these, and how far apart readings were is no
 * figure of a server. */
static bool is_drawn(const char *path)
{
  static const char *const drawn[] = {
    "system.cpu.user_ratio",     "system.cpu.system_ratio",
    "system.cpu.iowait_ratio",   "system.cpu.steal_ratio",
    "system.cpu.idle_ratio",     "system.disk.read_bytes",
    "system.disk.written_bytes", "system.network.received_bytes",
    "system.network.sent_bytes", "system.network.loopback_bytes",
  };

  for (size_t i = 0; i < ARRAY_SIZE(drawn); i++) {
    if (strcmp(drawn[i], path) == 0)
      return true;
  }
  return is_of_server(path) && strcmp(strrchr(path, '.'), ".period_s") == 0;
}

static bool ends_with(const char *text, const char *end)
{
  const size_t len = strlen(text), n = strlen(end);

  return len >= n && strcmp(text + len - n, end) == 0;
}

/* What a figure of a server is; NULL: it is none of those that are known. */
static const struct server_metric_info *info_of(const char *path)
{
  const char *name = strrchr(path, '.') + 1;

  for (int f = 0; is_of_server(path) && f < SERVER_METRICS; f++) {
    if (strcmp(server_metrics_info[f].name, name) == 0)
      return &server_metrics_info[f];
  }
  return NULL;
}

static const char *label_of(const char *path, const char *otherwise)
{
  const struct server_metric_info *info = info_of(path);

  if (!info)
    return otherwise;
  return info->kind == SERVER_COUNT ? "per interval" : "level";
}

/* The unit is in the name of what has a unit. */
static enum axis_unit unit_of(const char *path, const char **ret_label,
                              double *ret_scale)
{
  *ret_scale = 1;
  if (ends_with(path, "_ratio")) {
    *ret_scale = 100;
    *ret_label = "share";
    return AXIS_SHARE;
  }
  if (ends_with(path, "_bytes") || ends_with(path, "_bytes_per_s")) {
    *ret_label = label_of(path, "bytes");
    return AXIS_BYTES;
  }
  *ret_label = label_of(path, "time");
  if (ends_with(path, "_ns"))
    return AXIS_TIME;
  if (ends_with(path, "_s") && !ends_with(path, "_per_s")) {
    *ret_scale = 1e9;
    return AXIS_TIME;
  }
  *ret_label = ends_with(path, "_per_s") ? "per second"
                                         : label_of(path, "per interval");
  return AXIS_COUNT;
}

/* Does the figure change?  One that stays 0 says nothing. */
static bool occurs(const struct view *v, const char *path)
{
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    const struct result *r = v->runs[i].run;

    for (size_t k = 0; k < r->n_intervals; k++) {
      const double value = result_number_at(r->intervals[k].json, path);

      if (isfinite(value) && value != 0)
        return true;
    }
  }
  return false;
}

/* How much of the path is left without the unit, which the axis has. */
static size_t without_unit(const char *path)
{
  static const char *const units[] = { "_ratio", "_ns", "_s" };

  for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
    if (ends_with(path, units[i]) && !ends_with(path, "_per_s"))
      return strlen(path) - strlen(units[i]);
  }
  return strlen(path);
}

/* "system.psi.io_full_ratio" is "system: psi io full"; the first of several
 * servers is "server 1", the only one "server". */
static void add_title(struct strbuf *out, const char *path, bool several)
{
  const char *const end = path + without_unit(path);
  const char *p = path + strcspn(path, ".") + 1;

  if (is_of_server(path)) {
    strbuf_adds(out, "server");
    if (several)
      strbuf_addf(out, " %d", atoi(p) + 1);
    p = strchr(p, '.') + 1;
  } else {
    strbuf_add(out, path, (size_t)(p - 1 - path));
  }
  strbuf_adds(out, ": ");
  for (; p < end; p++)
    strbuf_add(out, *p == '.' || *p == '_' ? " " : p, 1);
}

static void draw_row(const struct view *v, const char *path, bool several,
                     struct strbuf *out)
{
  struct trace t = { .path = path };
  struct strbuf title = { 0 };
  const char *label;
  const enum axis_unit unit = unit_of(path, &label, &t.scale);
  struct chart c;

  add_title(&title, path, several);
  c = view_over_time(v, strbuf_str(&title), label, unit);
  c.low = true;
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++)
    view_add_trace(&c, v->n_runs > 1 ? v->runs[i].label : "", v, i, &t);
  view_draw(&c, NULL, out);
  strbuf_done(&title);
}

void view_charts_rows(const struct view *v, struct strbuf *out)
{
  struct paths p = { .n = 0 };
  bool several = false;

  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    const struct result *r = v->runs[i].run;

    for (size_t n = 0; n < r->n_intervals; n++) {
      const json_t *list = json_object_get(r->intervals[n].json, "servers");

      several = several || json_array_size(list) > 1;
      collect_servers(&p, list);
    }
  }
  for (size_t i = 0; i < v->n_runs && i < VIEW_RUNS_MAX; i++) {
    const struct result *r = v->runs[i].run;

    for (size_t n = 0; n < r->n_intervals; n++)
      collect(&p, json_object_get(r->intervals[n].json, "system"), "system", 0);
  }
  for (size_t i = 0; i < p.n; i++) {
    if (!is_drawn(p.of[i]) && occurs(v, p.of[i]))
      draw_row(v, p.of[i], several, out);
    free(p.of[i]);
  }
  out->failed = out->failed || p.failed;
}
