/*
 * jobj.h - builds JSON objects and arrays; remembers failed allocations.
 */
#ifndef BENCH_RESULTS_JOBJ_H
#define BENCH_RESULTS_JOBJ_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct jobj {
  json_t *j;   /* owned until jobj_take() */
  bool failed; /* incomplete */
};

struct jobj jobj_new(void);

/* Invalid UTF-8 is stored byte by byte, as Latin-1. */
void jobj_text(struct jobj *o, const char *key, const char *value);
void jobj_int(struct jobj *o, const char *key, uint64_t value);
void jobj_signed(struct jobj *o, const char *key, int64_t value);
void jobj_real(struct jobj *o, const char *key, double value);
/* null unless above 0. */
void jobj_positive(struct jobj *o, const char *key, double value);
void jobj_bool(struct jobj *o, const char *key, bool value);
void jobj_null(struct jobj *o, const char *key);

/* Takes `value` over; NULL: out of memory. */
void jobj_add(struct jobj *o, const char *key, json_t *value);

/* `name` can have any bytes, stored like text. */
void jobj_named(struct jobj *o, const char *name, json_t *value);

/* Array: jobj_push() takes `value` over; NULL: out of memory. */
struct jobj jobj_list(void);
void jobj_push(struct jobj *list, json_t *value);

/* Owned by the caller; NULL: incomplete. */
json_t *jobj_take(struct jobj *o);

/* As jobj_text(); NULL: out of memory. */
json_t *jobj_string(const char *value);
/* Without passwords. */
json_t *jobj_shown(const char *value);

/* Takes `value` over, at the key of jobj_named(); false: out of memory. */
bool jobj_set_named(json_t *o, const char *name, json_t *value);

/* null if JSON cannot hold the number; NULL: out of memory. */
json_t *jobj_number(double value);

/* Takes `value` over; false: out of memory. */
bool jobj_array_add(json_t *array, json_t *value);

/* Owned by the caller; NULL: out of memory. */
char *jobj_line(const json_t *value);
char *jobj_pretty(const json_t *value);

double jobj_seconds(uint64_t ns);

#endif
