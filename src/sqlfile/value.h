/*
 * value.h - the values of variables and expressions in SQL files, and how one
 * kind becomes another.  The rules are those of pgbench.
 */
#ifndef BENCH_SQLFILE_VALUE_H
#define BENCH_SQLFILE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
  VALUE_UNSET, /* of a variable that has no value yet */
  VALUE_NULL,
  VALUE_BOOL,
  VALUE_INT,
  VALUE_DOUBLE,
  VALUE_TEXT, /* of a column; expressions read it as one of the others */
};

struct value {
  enum value_kind kind;
  union {
    bool truth;
    int64_t number;
    double real;
    struct {
      const char *text; /* borrowed, zero-terminated */
      size_t len;
    };
  };
};

static inline struct value value_null(void)
{
  return (struct value){ .kind = VALUE_NULL };
}
static inline struct value value_bool(bool truth)
{
  return (struct value){ .kind = VALUE_BOOL, .truth = truth };
}
static inline struct value value_int(int64_t number)
{
  return (struct value){ .kind = VALUE_INT, .number = number };
}
static inline struct value value_double(double real)
{
  return (struct value){ .kind = VALUE_DOUBLE, .real = real };
}

/*
 * These return NULL, or why the value cannot become one of this kind (a static
 * text).  A double becomes the nearest integer, an even one if there are two.
 */
const char *value_to_int(const struct value *v, int64_t *ret);
const char *value_to_double(const struct value *v, double *ret);
const char *value_to_bool(const struct value *v, bool *ret);

/* Is a condition with this value true?  Numbers are if they are not 0; NULL is
 * not. */
bool value_is_true(const struct value *v);

/*
 * Read a text as users write values: an integer, a double, a boolean or NULL.
 * False: it is another text.  The text is zero-terminated.
 */
bool value_read(const char *text, size_t len, struct value *ret);

enum {
  VALUE_BYTES = 40, /* room for all kinds but texts */
};

/* Write a value as pgbench does.  Not for texts. */
void value_print(const struct value *v, char to[VALUE_BYTES]);

#endif
