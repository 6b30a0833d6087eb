/*
 * test_doubts.c - why the figures of a search are doubtful.
 */
#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "tools/sweep_internal.h"

static const char *const step[] = {
  "{\"warnings\": [{\"code\": \"backlog\", \"text\": \"many wait\"}]}",
  "{\"warnings\": [{\"code\": \"run_queue\", \"text\": \"by a<b\"},"
  " {\"code\": \"few_samples\", \"text\": \"few\"}]}",
  "{\"warnings\": [{\"code\": \"run_queue\", \"text\": \"by others\"},"
  " {\"code\": \"client_cpu\", \"text\": \"bench is busy\"}]}",
  "{}",
};
enum {
  STEPS = sizeof(step) / sizeof(step[0])
};

int main(void)
{
  struct sweep_outcome outcomes[STEPS] = { 0 };
  struct sweep s = { .outcomes = outcomes, .n_outcomes = STEPS };
  struct strbuf out = { 0 };

  for (size_t i = 0; i < STEPS; i++) {
    outcomes[i].result.json = json_loads(step[i], 0, NULL);
    MUST(outcomes[i].result.json);
  }
  sweep_doubts(&s, "Why:\n", TABLE_TEXT, &out);
  OK_STR(strbuf_str(&out),
         "Why:\n"
         "- run_queue (2 of 4 steps; in step 2): by a<b\n"
         "- client_cpu (1 of 4 steps; in step 3): bench is busy\n",
         "each reason once, with the words of its first step");
  strbuf_clear(&out);
  s.n_outcomes = 2;
  sweep_doubts(&s, "Why:\n", TABLE_MARKDOWN, &out);
  OK_STR(strbuf_str(&out),
         "Why:\n- run_queue (1 of 2 steps; in step 2): by a\\<b\n",
         "as Markdown");
  strbuf_clear(&out);
  s.n_outcomes = 1;
  sweep_doubts(&s, "Why:\n", TABLE_TEXT, &out);
  OK_STR(strbuf_str(&out), "",
         "waiting events and few samples are no doubts of a search");
  for (size_t i = 0; i < STEPS; i++)
    json_decref(outcomes[i].result.json);
  strbuf_done(&out);
  return TAP_EXIT();
}
