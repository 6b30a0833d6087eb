/*
 * jobj.h - builds a JSON object or array, and remembers whether memory ran out.
 */
#ifndef BENCH_RESULTS_JOBJ_H
#define BENCH_RESULTS_JOBJ_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct jobj {
  json_t *j;   /* owned until jobj_take() */
  bool failed; /* a member is missing */
};

struct jobj jobj_new(void);

/* Text that is not valid UTF-8 is stored byte by byte, as Latin-1. */
void jobj_text(struct jobj *o, const char *key, const char *value);
void jobj_int(struct jobj *o, const char *key, uint64_t value);
void jobj_signed(struct jobj *o, const char *key, int64_t value);
void jobj_real(struct jobj *o, const char *key, double value);
/* A real number; null unless above 0. */
void jobj_positive(struct jobj *o, const char *key, double value);
void jobj_bool(struct jobj *o, const char *key, bool value);
void jobj_null(struct jobj *o, const char *key);

/* Takes `value` over; NULL means that memory ran out. */
void jobj_add(struct jobj *o, const char *key, json_t *value);

/* The same with a key of any bytes, which is stored as text is. */
void jobj_named(struct jobj *o, const char *name, json_t *value);

/* An array: jobj_push() appends `value`, which is taken over; NULL means that
 * memory ran out. */
struct jobj jobj_list(void);
void jobj_push(struct jobj *list, json_t *value);

/* Returns the object or array, which the caller owns now; NULL if a part is
 * missing. */
json_t *jobj_take(struct jobj *o);

/* Text in the form of jobj_text(); NULL when out of memory. */
json_t *jobj_string(const char *value);
/* The same without the passwords that may be in it. */
json_t *jobj_shown(const char *value);

/* Put `value`, which is taken over, at the key that jobj_named() makes of
 * `name`; false: out of memory. */
bool jobj_set_named(json_t *o, const char *name, json_t *value);

/* A real number, or null if JSON has no form for it; NULL when out of
 * memory. */
json_t *jobj_number(double value);

/* Append `value`, which is taken over, to the array; false: out of memory. */
bool jobj_array_add(json_t *array, json_t *value);

/* A value as text, on one line or indented; NULL: out of memory.  The caller
 * frees it. */
char *jobj_line(const json_t *value);
char *jobj_pretty(const json_t *value);

/* Nanoseconds in seconds. */
double jobj_seconds(uint64_t ns);

#endif
