/*
 * view_server.c - what the servers of a run have counted, as tables.
 */
#include "base/compiler.h"
#include "base/utf8.h"
#include "tools/table.h"
#include "tools/view.h"

enum {
  STATEMENT_SHOWN = 160 /* bytes of its text */
};

static void add_row(const json_t *s, double period_s, struct table *t)
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
      add_row(json_array_get(top, k), result_number_at(counted, "period_s"), t);
    }
  }
}
