#include "tools/members.h"

#include <math.h>

#include "tools/result.h"

const json_t *member_find(const json_t *json, const char *name)
{
  return result_named(json_object_get(json, "members"), name);
}

double member_percentile(const json_t *member, const char *key)
{
  const json_t *value = json_object_get(
    result_at(member, "latency_ns.percentiles"), key);

  return json_is_number(value) && result_number_at(member, "events") > 0
           ? json_number_value(value)
           : NAN;
}
