/*
 * sweep_doubts.c - why figures of a search are doubtful, in the words of its
 * steps.
 */
#include <string.h>

#include "base/strbuf.h"
#include "tools/sweep_internal.h"

const char *sweep_doubt(const json_t *warning)
{
  const char *code = result_text_at(warning, "code");

  /* Waiting events are what a search looks for, and it knows how many events it
   * needs. */
  return code && strcmp(code, "backlog") != 0 &&
             strcmp(code, "few_samples") != 0
           ? code
           : NULL;
}

/* The warning of a step with this code; NULL: it has none. */
static const json_t *find_doubt(const struct sweep_outcome *o, const char *code)
{
  const json_t *list = json_object_get(o->result.json, "warnings");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const char *here = sweep_doubt(json_array_get(list, i));

    if (here && strcmp(here, code) == 0)
      return json_array_get(list, i);
  }
  return NULL;
}

/* A line about a code, when its first step is met. */
static void add_line(const struct sweep *s, size_t first, const json_t *warning,
                     enum table_format format, struct strbuf *out)
{
  const char *code = sweep_doubt(warning);
  const char *text = result_text_at(warning, "text");
  size_t n = 0;

  for (size_t i = 0; i < s->n_outcomes; i++)
    n += find_doubt(&s->outcomes[i], code) != NULL;
  strbuf_adds(out, "- ");
  table_add_text(out, code, format);
  strbuf_addf(out, " (%zu of %zu steps; in step %zu): ", n, s->n_outcomes,
              first + 1);
  table_add_text(out, text ? text : "no reason is known", format);
  strbuf_adds(out, "\n");
}

void sweep_doubts(const struct sweep *s, const char *title,
                  enum table_format format, struct strbuf *out)
{
  bool any = false;

  for (size_t i = 0; i < s->n_outcomes; i++) {
    const json_t *list = json_object_get(s->outcomes[i].result.json,
                                         "warnings");

    for (size_t k = 0; k < json_array_size(list); k++) {
      const char *code = sweep_doubt(json_array_get(list, k));
      bool known = !code;

      for (size_t before = 0; before < i && !known; before++)
        known = find_doubt(&s->outcomes[before], code) != NULL;
      if (known)
        continue;
      if (!any)
        strbuf_adds(out, title);
      any = true;
      add_line(s, i, json_array_get(list, k), format, out);
    }
  }
}
