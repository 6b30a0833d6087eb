/*
 * view_server.c - tables of server statistics and coincidences.
 */
#include <stdio.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "tools/table.h"
#include "tools/view.h"

enum {
  STATEMENT_SHOWN = 160 /* bytes */
};

static void view_server_add_row(const json_t *s, double period_s,
                                struct table *t)
{
  const char *text = json_string_value(json_object_get(s, "text"));
  const double calls = result_number_at(s, "calls");
  const double time_ns = result_number_at(s, "time_ns");

  if (!text)
    text = json_string_value(json_object_get(s, "id"));
  table_cellf(t, "%.*s", text ? (int)utf8_cut(text, STATEMENT_SHOWN) : 1,
              text ? text : "?");
  table_time(t, time_ns);
  table_count(t, calls);
  table_count(t, calls / period_s);
  table_time(t, time_ns / calls);
  table_count(t, result_number_at(s, "rows") / calls);
  table_end_row(t);
}

void view_server_statements(const struct view_run *r, struct table *t)
{
  static const char *const heads[] = { "statement",  "time",      "calls",
                                       "per second", "time/call", "rows/call" };
  const json_t *servers = json_object_get(r->run->json, "servers");

  for (size_t i = 0; i < json_array_size(servers); i++) {
    const json_t *counted = json_object_get(json_array_get(servers, i),
                                            "statements");
    const json_t *top = json_object_get(counted, "top");

    for (size_t k = 0; k < json_array_size(top); k++) {
      if (t->n == 0) {
        for (size_t h = 0; h < ARRAY_SIZE(heads); h++)
          table_cell(t, heads[h]);
        table_end_row(t);
      }
      view_server_add_row(json_array_get(top, k),
                          result_number_at(counted, "period_s"), t);
    }
  }
}

void view_server_waits(const struct view_run *r, struct table *t)
{
  const json_t *servers = json_object_get(r->run->json, "servers");
  const bool several = json_array_size(servers) > 1;

  for (size_t i = 0; i < json_array_size(servers); i++) {
    const json_t *server = json_array_get(servers, i);
    const char *target = result_text_at(server, "target");
    const json_t *list = json_object_get(server, "waits");

    for (size_t k = 0; k < json_array_size(list); k++) {
      const char *name = result_text_at(json_array_get(list, k), "name");

      if (t->n == 0) {
        if (several)
          table_cell(t, "server");
        table_cell(t, "wait");
        table_cell(t, "sessions on average");
        table_end_row(t);
      }
      if (several)
        table_cell(t, target ? target : "?");
      table_cell(t, name ? name : "?");
      table_cellf(t, "%.3f",
                  result_number_at(json_array_get(list, k), "sessions"));
      table_end_row(t);
    }
  }
}

static void view_server_add_sentence(const struct view *v, size_t run,
                                     const char *text, struct table *t)
{
  if (t->n == 0) {
    if (v->n_runs > 1)
      table_cell(t, "result");
    table_cell(t, "what happens with dips");
    table_end_row(t);
  }
  if (v->n_runs > 1)
    table_cell(t, v->runs[run].label);
  table_cell(t, text);
  table_end_row(t);
}

void view_coincidences(const struct view *v, struct table *t)
{
  for (size_t i = 0; i < v->n_runs; i++) {
    const json_t *run = v->runs[i].run->json;
    const json_t *found = result_at(run, "coincidences.found");
    const size_t dips = json_array_size(result_at(run, "coincidences.dips"));
    char text[128];

    for (size_t k = 0; k < json_array_size(found); k++) {
      const char *said = result_text_at(json_array_get(found, k), "text");

      if (said)
        view_server_add_sentence(v, i, said, t);
    }
    if (dips == 0 || json_array_size(found) > 0)
      continue;
    (void)snprintf(text, sizeof(text),
                   "%zu %s, and nothing that coincides with "
                   "%s more often than by chance",
                   dips, dips == 1 ? "dip" : "dips", dips == 1 ? "it" : "them");
    view_server_add_sentence(v, i, text, t);
  }
}
