/*
 * members.c - the members of a mix in documents.
 */
#include "tools/members.h"

#include <math.h>
#include <string.h>

#include "tools/result.h"

const json_t *member_find(const json_t *json, const char *name)
{
  const json_t *list = json_object_get(json, "members");

  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *member = json_array_get(list, i);
    const char *here = result_text_at(member, "name");

    if (here && strcmp(here, name) == 0)
      return member;
  }
  return NULL;
}

double member_percentile(const json_t *member, const char *key)
{
  const json_t *value = json_object_get(
    result_at(member, "latency_ns.percentiles"), key);

  return json_is_number(value) && result_number_at(member, "events") > 0
           ? json_number_value(value)
           : NAN;
}
