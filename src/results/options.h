/*
 * options.h - the options that name the files of results.
 */
#ifndef BENCH_RESULTS_OPTIONS_H
#define BENCH_RESULTS_OPTIONS_H

#include <stdbool.h>

#include "opt/opt.h"

struct err;

/* "" where nothing is wanted; "-" is the standard output. */
struct results_cfg {
  const char *json;
  const char *stream;
  const char *csv;
  const char *hdr_log;
  const char *event_log;
  const char *prometheus; /* [ADDR:]PORT */
};

extern const struct opt results_opts[];

/* Anything at all is wanted. */
bool results_wanted(const struct results_cfg *cfg);

/* Something goes to the standard output: text has to go elsewhere. */
bool results_on_stdout(const struct results_cfg *cfg);

/* -EINVAL: two kinds of results cannot share one file. */
int results_check(const struct results_cfg *cfg, struct err *err);

#endif
