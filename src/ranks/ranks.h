/*
 * ranks.h - a run whose processes are one: a reporter that merges what
 * all of them report, and the meetings of the run.
 */
#ifndef BENCH_RANKS_H
#define BENCH_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "report/reporter.h"
#include "run/peers.h"

struct err;
struct team;
struct plan;
struct ranks;

struct ranks_setup {
  struct team *team;
  const struct plan *plan; /* borrowed */
  /* Where reports go: of the whole run in process 0, its own in the others.
   * Borrowed. */
  const struct reporter_use *reporters;
  size_t n_reporters;
  bool table; /* --report-ranks */
};

int ranks_new(struct ranks **ret, const struct ranks_setup *setup,
              struct err *err);
void ranks_free(struct ranks *k);

extern const struct reporter ranks_reporter; /* ctx: struct ranks */

/* After the run: its exit status, which others may have changed. */
int ranks_status(const struct ranks *k, int status);

/* After the run, in the others: process 0 has got everything of everybody. */
bool ranks_complete(const struct ranks *k);

/* The meetings of a run; in place before there is a struct ranks. */
void ranks_peers_init(struct peers *peers, struct team *team);

#endif
