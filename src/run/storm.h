/*
 * storm.h - clients that come all at once in the middle of a run: they connect,
 * run one event each, and leave.
 */
#ifndef BENCH_RUN_STORM_H
#define BENCH_RUN_STORM_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct plan;
struct storm_report;
struct storms;
struct worker;

enum {
  STORM_WAVES = 32,
  STORM_CLIENTS_MAX = 100000, /* of all waves */
};

struct storm_wave {
  uint64_t at_ns; /* after the start of the measured part */
  unsigned clients;
};

/* What --storm says. */
struct storm_plan {
  unsigned n;       /* waves, in the order of their moments */
  unsigned clients; /* of all of them */
  struct storm_wave of[STORM_WAVES];
  const char *text; /* borrowed: as given */
};

/* What --storm allows, in words. */
#define STORM_EXPECTED                                                      \
  "off, or up to 32 storms of clients such as 500@10s or 500@10s,800@20s, " \
  "at most 100000 clients"

/* Read a value of --storm.  -EINVAL: it is not of this form. */
int storm_parse(const char *text, struct storm_plan *ret);

/* Is worker `index` of this plan a client of a storm?  They come after all
 * others. */
bool storm_has(const struct plan *plan, unsigned index);

/* What the clients of a run's storms have lived through. */
int storms_new(struct storms **ret, const struct plan *plan, struct err *err);
void storms_free(struct storms *s);

/* The life of such a worker: it waits for its storm, connects, and runs one
 * event.  Returns the error of that event. */
int storm_loop(struct worker *w, void *thr, struct err *err);

/* One for each storm, valid until storms_free(); the clients have ended, or
 * were left behind. */
const struct storm_report *storms_report(struct storms *s);

#endif
