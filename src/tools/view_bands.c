/*
 * view_bands.c - what is shaded on the charts over time: times without service,
 * times with little, dips, and marks.
 */
#include "tools/view_bands.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "tools/chart.h"
#include "tools/units.h"
#include "tools/view.h"

enum {
  BANDS_MAX = 200 /* further ones are not shaded */
};

/* A list in a document, whose members have `at_s`. */
static const struct source {
  const char *path;
  const char *name;
} sources[] = {
  { "outages.stalls", "no service" },
  { "outages.brownouts", "brownout" },
  { "marks", "mark" },
};

static const char dips_path[] = "coincidences.dips";

static void describe(const char *name, const json_t *json, double length_s,
                     struct strbuf *out)
{
  const char *text = result_text_at(json, "text");
  const char *error = result_text_at(json, "first_error.text");
  char number[UNIT_SIZE];

  strbuf_adds(out, name);
  if (length_s > 0)
    strbuf_addf(out, " for %s", unit_time(number, 1e9 * length_s));
  if (text)
    strbuf_addf(out, ": %s", text);
  if (error)
    strbuf_addf(out, "; first error: %s", error);
}

static void add(struct chart *c, struct chart_band *bands, const char *name,
                const json_t *json)
{
  const double at_s = result_number_at(json, "at_s");
  const double length_s = result_number_at(json, "length_s");
  const double length = length_s > 0 && isfinite(length_s) ? length_s : 0;
  struct strbuf text = { 0 };
  char *copy;

  if (!isfinite(at_s))
    return;
  describe(name, json, length, &text);
  copy = text.failed ? NULL : mem_strdup(strbuf_str(&text));
  strbuf_done(&text);
  if (copy)
    bands[c->n_bands++] = (struct chart_band){ at_s, at_s + length, copy };
}

/* A dip is a stretch of intervals. */
static void add_dip(struct chart *c, struct chart_band *bands,
                    const struct result *r, const json_t *json)
{
  const json_t *first = json_object_get(json, "first");
  const json_t *last = json_object_get(json, "last");
  const json_int_t from = json_integer_value(first);
  const json_int_t to = json_integer_value(last);
  char *text;

  if (!json_is_integer(first) || !json_is_integer(last) || from < 0 ||
      to < from || (size_t)to >= r->n_intervals ||
      !isfinite(r->intervals[from].end_s - r->intervals[from].period_s) ||
      !isfinite(r->intervals[to].end_s))
    return;
  text = mem_strdup("dip");
  if (text)
    bands[c->n_bands++] = (struct chart_band){ r->intervals[from].end_s -
                                                 r->intervals[from].period_s,
                                               r->intervals[to].end_s, text };
}

/* How many bands a document has at most. */
static size_t count(const json_t *json)
{
  size_t n = 0;

  for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
    n += json_array_size(result_at(json, sources[i].path));
  n += json_array_size(result_at(json, dips_path));
  return n < BANDS_MAX ? n : BANDS_MAX;
}

void view_bands_add(struct chart *c, const struct view *v)
{
  /* Those of several runs beside each other would say nothing. */
  const json_t *json = v->n_runs == 1 ? v->runs[0].run->json : NULL;
  const size_t n = json ? count(json) : 0;
  struct chart_band *bands = n > 0 ? calloc(n, sizeof(*bands)) : NULL;

  c->bands = bands;
  for (size_t i = 0; bands && i < ARRAY_SIZE(sources); i++) {
    const json_t *list = result_at(json, sources[i].path);

    for (size_t k = 0; k < json_array_size(list) && c->n_bands < n; k++)
      add(c, bands, sources[i].name, json_array_get(list, k));
  }
  for (size_t k = 0; bands && c->n_bands < n; k++) {
    const json_t *dip = json_array_get(result_at(json, dips_path), k);

    if (!dip)
      break;
    add_dip(c, bands, v->runs[0].run, dip);
  }
}

void view_bands_drop(struct chart *c)
{
  for (size_t i = 0; i < c->n_bands; i++)
    free((void *)(uintptr_t)c->bands[i].text);
  free((void *)(uintptr_t)c->bands);
  c->bands = NULL;
  c->n_bands = 0;
}
