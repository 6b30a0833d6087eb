/*
 * label.h - the names that scripts give to their statements: one object per
 * name in the run, so that statements of all threads add up.
 */
#ifndef BENCH_DB_CLASSES_LABEL_H
#define BENCH_DB_CLASSES_LABEL_H

#include <pthread.h>
#include <stddef.h>

enum {
  LABEL_BYTES = 65, /* with the terminator */
  LABELS_MAX = 256, /* further ones are all "(other)" */
};

struct label {
  char text[LABEL_BYTES]; /* constant once it is counted in `n` */
};

struct labels {
  pthread_mutex_t lock; /* protects `n` and the search */
  size_t n;
  struct label of[LABELS_MAX + 1]; /* the last one is "(other)" */
};

void labels_init(struct labels *l);
void labels_done(struct labels *l);

/* The label of this text; lives as long as `l`.  Any thread. */
struct label *labels_get(struct labels *l, const char *text);

#endif
