/*
 * find.h - a search for the highest load that holds an objective: a sweep
 * whose next value follows from the steps so far.
 */
#ifndef BENCH_TOOLS_FIND_H
#define BENCH_TOOLS_FIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "stats/decision.h"
#include "tools/search.h"

struct err;
struct result;
struct strbuf;

enum {
  /* Of a search that has no answer, although its steps went well. */
  FIND_EXIT_NO_ANSWER = 5,
};

/* A search as it is kept in documents. */
struct find {
  struct search_rules rules;
  const char *objective; /* borrowed; see find_set_objective() */
  struct search_step step[SEARCH_STEPS_MAX];
  /* The value of the objective's first time limit in each step, and that limit;
   * NAN: none, INFINITY: events did not end. */
  double latency_ns[SEARCH_STEPS_MAX];
  double limit_ns;
  size_t n;
  /* Of the terms that count events, in the steps of one value of which none was
   * decided. */
  struct decision_pool pool[SLO_TERMS_MAX];
  struct search search; /* what follows from the steps */
};

/* Set it, and the events that it needs.  `objective` is borrowed. */
void find_set_objective(struct find *f, const char *objective);

/* What a step has shown, together with those before it that it repeats; `run`
 * NULL: it has no result. */
void find_judge(struct find *f, enum search_phase phase, double value,
                const struct result *run);

/* The same of a step that failed; `run`: what it has left, or NULL.  So many
 * clients are too many if the run had not begun. */
void find_judge_failed(struct find *f, enum search_phase phase, double value,
                       const struct result *run);

/* Has the run failed before its first event? */
bool find_never_began(const struct result *run);

/* Find the next choice, or the end. */
void find_choose(struct find *f);

/* "rate", "number of threads". */
const char *find_noun(const struct find *f);
/* "812/s", "12 threads". */
void find_value(const struct find *f, double value, struct strbuf *out);

/* The answer in sentences, one per line. */
void find_say(const struct find *f, struct strbuf *out);

/* The steps as a table of Markdown. */
void find_table(const struct find *f, struct strbuf *out);

/* The exit status that goes with the end. */
int find_status(const struct find *f);

/* The member "search" of a sweep's document. */
json_t *find_json(const struct find *f);

/*
 * Read it, and replay the search: -EINVAL if the steps are not those that it
 * chooses, or lead to another answer.  f->objective borrows from `json`.
 */
int find_read(struct find *f, const json_t *json, struct err *err);

#endif
