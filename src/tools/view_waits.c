/*
 * view_waits.c - what the sessions of a run waited for, over time.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "results/json_parts.h"
#include "tools/chart.h"
#include "tools/result.h"
#include "tools/view.h"
#include "tools/view_charts.h"
#include "tools/view_draw.h"

/* A kind of waits at a server. */
struct wait_kind {
  size_t server;
  const char *name;
};

/* Unknown in an interval without a reading.  Of what is not in its list there
 * were none, unless the list is full. */
static double sessions_at(const void *ctx, const struct result_interval *i)
{
  const struct wait_kind *w = ctx;
  const json_t *server = json_array_get(json_object_get(i->json, "servers"),
                                        w->server);
  const json_t *list = json_object_get(server, "waits");

  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *one = json_array_get(list, k);
    const char *name = result_text_at(one, "name");

    if (name && strcmp(name, w->name) == 0)
      return result_number_at(one, "sessions");
  }
  return list && json_array_size(list) < JSON_WAITS_SHOWN ? 0 : NAN;
}

/* Those that were most in the whole run, one line each. */
static void draw_server(const struct view *v, size_t server, bool several,
                        const json_t *waits, struct strbuf *out)
{
  char title[64];
  struct chart c;

  (void)snprintf(title, sizeof(title), "What sessions wait for");
  if (several)
    (void)snprintf(title, sizeof(title), "What sessions wait for at server %zu",
                   server + 1);
  c = view_over_time(v, title, "sessions", AXIS_COUNT);
  c.low = true;
  c.named = true;
  for (size_t k = 0; k < json_array_size(waits); k++) {
    const struct wait_kind w = { server, result_text_at(
                                           json_array_get(waits, k), "name") };

    if (w.name)
      view_add_values(&c, w.name, v, 0, sessions_at, &w);
  }
  view_draw(&c, NULL, out);
}

void view_charts_waits(const struct view *v, struct strbuf *out)
{
  const json_t *servers = json_object_get(v->runs[0].run->json, "servers");

  if (v->n_runs != 1)
    return;
  for (size_t i = 0; i < json_array_size(servers); i++)
    draw_server(v, i, json_array_size(servers) > 1,
                json_object_get(json_array_get(servers, i), "waits"), out);
}
