/*
 * test_compare_search.c - the answers of two searches, side by side.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/unit/tap.h"
#include "tools/compare_print.h"
#include "tools/find.h"
#include "tools/result.h"

/* The document of a search in which rates up to `capacity` hold; it goes on
 * after `steps` steps. */
static struct result_file file_of(const char *name, const char *objective,
                                  double capacity, size_t steps)
{
  struct find f = { .rules = { SEARCH_RATE, 0.03, 1 }, .objective = objective };
  struct result_file file = { .path = name };
  json_t *sweep = json_object();

  for (;;) {
    find_choose(&f);
    if (f.search.end != SEARCH_GOES_ON || f.n == steps)
      break;
    f.step[f.n++] = (struct search_step){
      f.search.phase, f.search.value,
      f.search.value > capacity ? SEARCH_FAILED : SEARCH_HELD, 1000, 1e6
    };
  }
  file.json = json_object();
  (void)json_object_set_new(sweep, "search", find_json(&f));
  (void)json_object_set_new(file.json, "sweep", sweep);
  return file;
}

/* Compare them; the JSON list is kept in *ret_json. */
static int compare(struct result_file base, struct result_file other,
                   struct strbuf *out, json_t **ret_json, struct err *err)
{
  int rc;

  *ret_json = json_array();
  strbuf_clear(out);
  rc = compare_search(&base, &other, TABLE_TEXT, out, *ret_json, err);
  json_decref(base.json);
  json_decref(other.json);
  return rc;
}

static void check(struct result_file base, struct result_file other,
                  const char *outcome, const char *words)
{
  struct strbuf out = { 0 };
  struct err err = { "" };
  const json_t *first;
  json_t *list;

  OK(compare(base, other, &out, &list, &err) == 0, "two searches");
  OK(strncmp(strbuf_str(&out), "Answers:\n- a: ", 14) == 0 &&
       strstr(strbuf_str(&out), "\n- b: "),
     "both answers");
  OK(strstr(strbuf_str(&out), words) != NULL, words);
  first = json_array_get(list, 0);
  OK_STR(result_text_at(first, "outcome"), outcome, "in the document");
  OK((result_number_at(first, "change_ratio") > 0) ==
       (strcmp(outcome, "higher") == 0),
     "with the change");
  json_decref(list);
  strbuf_done(&out);
}

static void check_altered(void)
{
  struct result_file bad = file_of("a", "p99<=1ms", 700, 99);
  struct strbuf out = { 0 };
  struct err err = { "" };
  json_t *list;
  json_t *steps = json_object_get(
    json_object_get(json_object_get(bad.json, "sweep"), "search"), "steps");

  (void)json_object_set_new(json_array_get(steps, 1), "verdict",
                            json_string("failed"));
  OK(compare(bad, file_of("b", "p99<=1ms", 700, 99), &out, &list, &err) == -22,
     "a search that does not follow from its steps");
  OK(strncmp(err.text, "'a' cannot be compared: its search does not follow",
             strlen("'a' cannot be compared: its search does not follow")) == 0,
     "is refused");
  json_decref(list);
  strbuf_done(&out);
}

static void check_others(void)
{
  struct result_file plain = { .path = "a", .json = json_object() };
  struct strbuf out = { 0 };
  struct err err = { "" };
  json_t *list;

  OK(compare(plain, file_of("b", "p99<=1ms", 700, 99), &out, &list, &err) ==
         0 &&
       out.len == 0 && json_array_size(list) == 0,
     "nothing is said about what is no search");
  json_decref(list);
  strbuf_done(&out);
}

int main(void)
{
  check(file_of("a", "p99<=1ms", 600, 99), file_of("b", "p99<=1ms", 800, 99),
        "higher", "highest confirmed rate has changed by +3");
  check(file_of("a", "p99<=1ms", 800, 99), file_of("b", "p99<=1ms", 600, 99),
        "lower", "highest confirmed rate has changed by -2");
  check(file_of("a", "p99<=1ms", 700, 99), file_of("b", "p99<=1ms", 701, 99),
        "overlap", "The intervals overlap, so no difference is shown.");
  check(file_of("a", "p99<=1ms", 700, 99), file_of("b", "p99<=2ms", 900, 99),
        "other_objective",
        "The searches have different objectives, so their answers cannot be "
        "compared.");
  check(file_of("a", "p99<=1ms", 700, 99), file_of("b", "p99<=1ms", 700, 3),
        "no_answer",
        "Only two answers can be compared, and a search has none.");
  /* Nothing fails: the highest tried is no upper end. */
  check(file_of("a", "p99<=1ms", 1e9, 99), file_of("b", "p99<=1ms", 1e9, 99),
        "overlap", "The intervals overlap");
  check_altered();
  check_others();
  return TAP_EXIT();
}
