/*
 * findings.h - findings of `bench doctor`: check, result, and advice unless
 * good.
 */
#ifndef BENCH_DOCTOR_FINDINGS_H
#define BENCH_DOCTOR_FINDINGS_H

#include <jansson.h>
#include <stddef.h>

#include "base/compiler.h"

struct strbuf;

enum finding_level {
  FINDING_OK,
  FINDING_WARN, /* a warning about figures */
  FINDING_FAIL, /* the run would fail */
};

struct finding {
  enum finding_level level;
  const char *subject; /* static: "server" */
  const char *advice;  /* static; [opt] */
  char text[320];
};

enum {
  FINDINGS_MAX = 64 /* others are dropped */
};

/* {0} is empty. */
struct findings {
  size_t n;
  struct finding of[FINDINGS_MAX];
};

void findings_add(struct findings *f, enum finding_level level,
                  const char *subject, const char *advice, const char *fmt, ...)
  PRINTF_LIKE(5, 6);

size_t findings_count(const struct findings *f, enum finding_level level);

/* Counts, and an object per finding; NULL: out of memory. */
json_t *findings_json(const struct findings *f);

/* A line per finding, and their counts. */
void findings_print(const struct findings *f, struct strbuf *out);

#endif
