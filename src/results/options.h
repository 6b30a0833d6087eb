/*
 * options.h - options that name files of results.
 */
#ifndef BENCH_RESULTS_OPTIONS_H
#define BENCH_RESULTS_OPTIONS_H

#include <stdbool.h>

#include "opt/opt.h"

/* "": none; "-": stdout */
struct results_cfg {
  const char *json;
  const char *stream;
  const char *csv;
  const char *hdr_log;
  const char *event_log;
  const char *prometheus; /* [ADDR:]PORT */
  const char *live;       /* [ADDR:]PORT */
  const char *live_host;  /* NAME,... for both */
  const char *summary;    /* markdown:FILE */
};

extern const struct opt results_opts[];

enum {
  RESULTS_FILES = 5
};

struct results_file {
  const char *option, *path; /* "": none */
};

/* In the order of the rows; borrowed. */
void results_files(const struct results_cfg *cfg,
                   struct results_file ret[RESULTS_FILES]);

void results_none(struct results_cfg *ret);

bool results_wanted(const struct results_cfg *cfg);

/* Of --summary; "": none. */
const char *results_summary(const struct results_cfg *cfg);

/* Text then goes elsewhere. */
bool results_on_stdout(const struct results_cfg *cfg);

#endif
