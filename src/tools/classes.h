/*
 * classes.h - classes of operations of a result, those that took most of the
 * time first.
 */
#ifndef BENCH_TOOLS_CLASSES_H
#define BENCH_TOOLS_CLASSES_H

#include <jansson.h>
#include <stddef.h>

struct class_row {
  const json_t *json; /* borrowed: the object of the class */
  const char *name;   /* borrowed; NULL: it has none */
  double total_ns;    /* of all its operations; 0 if unknown */
  double share;       /* of the time of all classes; 0 if unknown */
  size_t place;       /* in the document */
};

struct class_rows {
  struct class_row *of; /* owned */
  size_t n;
};

/* From the member `classes` of a document, which may be NULL.  -ENOMEM. */
int class_rows_init(struct class_rows *ret, const json_t *classes);
void class_rows_done(struct class_rows *rows);

#endif
