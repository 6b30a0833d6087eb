#include "results/jobj.h"

#include <math.h>

#include "base/secret.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#define MAX_REAL 1.7976931348623e308

struct jobj jobj_new(void)
{
  struct jobj o = { .j = json_object() };

  o.failed = !o.j;
  return o;
}

struct jobj jobj_list(void)
{
  struct jobj o = { .j = json_array() };

  o.failed = !o.j;
  return o;
}

void jobj_push(struct jobj *list, json_t *value)
{
  if (json_array_append_new(list->j, value) < 0)
    list->failed = true;
}

void jobj_add(struct jobj *o, const char *key, json_t *value)
{
  /* Also without an object, which frees the value. */
  if (json_object_set_new(o->j, key, value) < 0)
    o->failed = true;
}

static json_t *jobj_latin_text(const char *value)
{
  struct strbuf text = { 0 };
  json_t *j = NULL;

  for (; *value; value++)
    utf8_add_latin1(&text, *value);
  if (!text.failed)
    j = json_stringn(strbuf_str(&text), text.len);
  strbuf_done(&text);
  return j;
}

json_t *jobj_string(const char *value)
{
  json_t *j = json_string(value);

  return j ? j : jobj_latin_text(value);
}

json_t *jobj_shown(const char *value)
{
  struct strbuf shown = { 0 };
  json_t *j = NULL;

  secret_redact(value, &shown);
  if (!shown.failed)
    j = jobj_string(strbuf_str(&shown));
  strbuf_done(&shown);
  return j;
}

void jobj_text(struct jobj *o, const char *key, const char *value)
{
  jobj_add(o, key, jobj_string(value));
}

bool jobj_set_named(json_t *o, const char *name, json_t *value)
{
  json_t *key = jobj_string(name);
  const char *text = json_string_value(key); /* NULL is refused */
  const bool done = json_object_set_new(o, text, value) == 0;

  json_decref(key);
  return done;
}

void jobj_named(struct jobj *o, const char *name, json_t *value)
{
  if (!jobj_set_named(o->j, name, value))
    o->failed = true;
}

void jobj_int(struct jobj *o, const char *key, uint64_t value)
{
  jobj_signed(o, key, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void jobj_signed(struct jobj *o, const char *key, int64_t value)
{
  jobj_add(o, key, json_integer(value));
}

/* Rounding near the maximum would be read back as infinite. */
json_t *jobj_number(double value)
{
  return fabs(value) < MAX_REAL ? json_real(value) : json_null();
}

void jobj_real(struct jobj *o, const char *key, double value)
{
  jobj_add(o, key, jobj_number(value));
}

void jobj_positive(struct jobj *o, const char *key, double value)
{
  jobj_add(o, key, value > 0 ? jobj_number(value) : json_null());
}

void jobj_bool(struct jobj *o, const char *key, bool value)
{
  jobj_add(o, key, json_boolean(value));
}

void jobj_null(struct jobj *o, const char *key)
{
  jobj_add(o, key, json_null());
}

json_t *jobj_take(struct jobj *o)
{
  json_t *j = o->j;

  if (o->failed) {
    json_decref(j);
    j = NULL;
  }
  o->j = NULL;
  return j;
}

bool jobj_array_add(json_t *array, json_t *value)
{
  return json_array_append_new(array, value) ==
         0; /* always takes the value over */
}

double jobj_seconds(uint64_t ns)
{
  return (double)ns / 1e9;
}

enum {
  JOBJ_DIGITS = 15 /* certain digits */
};

static int jobj_add_text(const char *text, size_t len, void *to)
{
  strbuf_add(to, text, len);
  return ((struct strbuf *)to)->failed ? -1 : 0;
}

/* json_dumps() ignores failed allocations of names and returns invalid text;
 * this buffer remembers failures. */
static char *jobj_dump(const json_t *value, size_t flags)
{
  struct strbuf b = { 0 };

  if (json_dump_callback(value, jobj_add_text, &b,
                         flags | JSON_ENCODE_ANY |
                           JSON_REAL_PRECISION(JOBJ_DIGITS)) < 0 ||
      b.failed) {
    strbuf_done(&b);
    return NULL;
  }
  return b.text;
}

char *jobj_line(const json_t *value)
{
  return jobj_dump(value, JSON_COMPACT);
}

char *jobj_pretty(const json_t *value)
{
  return jobj_dump(value, JSON_INDENT(2));
}
