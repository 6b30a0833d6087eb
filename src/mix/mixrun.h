/*
 * mixrun.h - a run of a mix, and the answers of its members to the questions of
 * the runner, put together.
 */
#ifndef BENCH_MIX_MIXRUN_H
#define BENCH_MIX_MIXRUN_H

#include <stdbool.h>

#include "mix/choice.h"
#include "mix/list.h"
#include "run/test.h"

struct mixtest_cfg;

struct mixrun {
  const struct mixtest_cfg *cfg;
  const struct plan *plan;
  unsigned n;
  struct mix_weights weights;
  unsigned opened;           /* the members below are open */
  void *of[MIX_MEMBERS_MAX]; /* what they made */
};

/* See struct test_ops. */
void mixrun_interrupt(void *run, enum interrupt_step step);
const struct report_form *mixrun_form(void *run);
void mixrun_setup(void *run, struct report_setup *setup);
bool mixrun_in_process(void *run);
bool mixrun_server(void *run, int *ret_pid, const char **ret_driver);
void mixrun_tally(void *run, struct tally *to);
void mixrun_details(void *run, struct test_details *ret);
void mixrun_whole(void *run, const struct test_details *whole);
void mixrun_doubts(void *run, const struct report *total, struct doubts *to);
void mixrun_statement_times(void *run, struct report *r);

#endif
