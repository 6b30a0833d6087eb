/*
 * find.h - a search for the highest load that holds an objective: a sweep whose
 * next value follows from the steps so far.
 */
#ifndef BENCH_TOOLS_FIND_H
#define BENCH_TOOLS_FIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "stats/decision.h"
#include "stats/slo.h"
#include "tools/search.h"

struct err;
struct result;
struct strbuf;

enum {
  /* No answer, although the steps went well. */
  FIND_EXIT_NO_ANSWER = 5,
};

struct find {
  struct search_rules rules;
  const char *objective; /* borrowed; see find_set_objective() */
  struct slo slo;        /* of the objective */
  struct search_step step[SEARCH_STEPS_MAX];
  /* Of the first time limit, in each step; NAN: none, INFINITY: events did
   * not end. */
  double latency_ns[SEARCH_STEPS_MAX];
  double limit_ns;
  size_t n;
  /* Per term that counts events: steps of the present value, all undecided. */
  struct decision_pool pool[SLO_TERMS_MAX];
  struct search search;
};

/* Also sets rules.events_min. `objective` is borrowed. */
void find_set_objective(struct find *f, const char *objective);

/* Add a step, judged together with the steps that it repeats.  `run` NULL: no
 * result. */
void find_judge(struct find *f, enum search_phase phase, double value,
                const struct result *run);

/* Add a failed step with its result ([opt]). The number of clients is too
 * high if the run had not begun. */
void find_judge_failed(struct find *f, enum search_phase phase, double value,
                       const struct result *run);

bool find_never_began(const struct result *run);

/* Sets f->search: the next step, or the end. */
void find_choose(struct find *f);

const char *find_noun(const struct find *f);
/* "812/s", "12 threads". */
void find_value(const struct find *f, double value, struct strbuf *out);

/* Sentences, one per line. */
void find_say(const struct find *f, struct strbuf *out);

/* Markdown. */
void find_table(const struct find *f, struct strbuf *out);

int find_status(const struct find *f);

/* For the member "search" of a document. */
json_t *find_json(const struct find *f);

/* Reads and replays a search.  -EINVAL: the steps do not follow, or lead to
 * another answer.  f->objective borrows from `json`. */
int find_read(struct find *f, const json_t *json, struct err *err);

#endif
