/*
 * test_json_outages.c - outages as JSON: what is not known is absent.
 */
#include <jansson.h>

#include "base/clock.h"
#include "results/json_parts.h"
#include "stats/outage_report.h"
#include "tests/unit/tap.h"

static json_int_t int_at(const json_t *o, const char *key)
{
  return json_integer_value(json_object_get(o, key));
}

int main(void)
{
  static const struct stall away = {
    .from_ns = 5 * NS_PER_S, .to_ns = 7 * NS_PER_S, .clients = 2, .ended_by = -1
  };
  static const struct brownout slow = { .from_ns = 8 * NS_PER_S,
                                        .to_ns = 9 * NS_PER_S };
  struct outage_report r = { .base_ns = 4 * NS_PER_S,
                             .n_stalls = 1,
                             .stalls = &away,
                             .count = 1,
                             .stalled_ns = 2 * NS_PER_S,
                             .brownouts = &slow };
  json_t *j = json_outages(&r);

  OK(int_at(j, "stall_count") == 1 && !json_object_get(j, "at_least"),
     "all stalls are known");
  OK(json_is_integer(json_object_get(j, "brownout_count")) &&
       int_at(j, "brownout_count") == 0 &&
       json_array_size(json_object_get(j, "brownouts")) == 0 &&
       json_is_array(json_object_get(j, "brownouts")),
     "there were no brown-outs");
  json_decref(j);

  r.n_brownouts = r.brownout_count = 1;
  j = json_outages(&r);
  OK(int_at(j, "brownout_count") == 1 &&
       json_array_size(json_object_get(j, "brownouts")) == 1,
     "there was one");
  json_decref(j);

  r.n_brownouts = r.brownout_count = 0;
  r.brownouts = NULL;
  r.at_least = true;
  j = json_outages(&r);
  OK(!json_object_get(j, "brownout_count") &&
       !json_object_get(j, "brownout_s") && !json_object_get(j, "brownouts"),
     "nobody knows whether there were any");
  OK(json_is_true(json_object_get(j, "at_least")), "nor how many stalls");
  json_decref(j);
  return TAP_EXIT();
}
