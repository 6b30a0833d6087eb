/*
 * classes.h - classes of operations of a result, most time first.
 */
#ifndef BENCH_TOOLS_CLASSES_H
#define BENCH_TOOLS_CLASSES_H

#include <jansson.h>
#include <stddef.h>

struct class_row {
  const json_t *json; /* borrowed */
  const char *name;   /* borrowed; can be NULL */
  double total_ns;    /* 0: unknown */
  double share;       /* of the time of all classes; 0: unknown */
  size_t place;
};

struct class_rows {
  struct class_row *of; /* owned */
  size_t n;
};

/* `classes`: of a document, can be NULL.  -ENOMEM. */
int class_rows_init(struct class_rows *ret, const json_t *classes);
void class_rows_done(struct class_rows *rows);

#endif
