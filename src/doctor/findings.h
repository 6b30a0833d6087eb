/*
 * findings.h - what `bench doctor` has found, one line each: what was checked,
 * the result, and what to do if the result is not good.
 */
#ifndef BENCH_DOCTOR_FINDINGS_H
#define BENCH_DOCTOR_FINDINGS_H

#include <jansson.h>
#include <stddef.h>

#include "base/compiler.h"

struct strbuf;

enum finding_level {
  FINDING_OK,
  FINDING_WARN, /* the run works, its figures deserve a second look */
  FINDING_FAIL, /* the run will fail */
};

struct finding {
  enum finding_level level;
  const char *subject; /* static: "server" */
  const char *advice;  /* static; NULL: there is nothing to do */
  char text[320];
};

enum {
  FINDINGS_MAX = 64 /* further ones are dropped */
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

/*
 * The findings for programs: counts, and an object per finding; NULL: out of
 * memory.
 */
json_t *findings_json(const struct findings *f);

/* Print a line per finding, and one that counts them. */
void findings_print(const struct findings *f, struct strbuf *out);

#endif
