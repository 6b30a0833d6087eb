#include "tests/test_list.h"

#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "report/form.h"
#include "run/plan.h"
#include "run/test.h"
#include "tests/tests.h"

const struct test *const test_list[] = {
  &test_fileio,  &test_cpu,   &test_memory,
  &test_threads, &test_mutex, &test_model,
};

const size_t test_list_len = ARRAY_SIZE(test_list);

const struct test *test_find(const char *name)
{
  for (size_t i = 0; i < test_list_len; i++) {
    if (strcmp(test_list[i]->name, name) == 0)
      return test_list[i];
  }
  return NULL;
}

void test_setup_run(void *run, struct report_setup *setup)
{
  setup->of_test = run;
}

uint64_t test_time_ns(const struct plan *plan)
{
  return plan->time_ns == PLAN_NO_LIMIT ? 10 * NS_PER_S : plan->time_ns;
}
