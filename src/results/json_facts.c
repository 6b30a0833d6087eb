/*
 * json_facts.c - the tool, facts and options in the document.
 */
#include <luajit.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/facts.h"
#include "base/parse.h"
#include "base/secret.h"
#include "base/utf8.h"
#include "opt/optset.h"
#include "results/jobj.h"
#include "results/json_parts.h"

static const char compiler[] =
#if defined(__clang__)
  "clang " __clang_version__;
#else
  "gcc " __VERSION__;
#endif

static json_t *json_libraries(void)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "luajit", LUAJIT_VERSION);
  jobj_text(&o, "jansson", JANSSON_VERSION);
  jobj_text(&o, "zlib", zlibVersion());
  return jobj_take(&o);
}

json_t *json_tool(const char *name, const char *version)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "name", name);
  jobj_text(&o, "version", PACKAGE_VERSION);
  jobj_text(&o, "presented_as", version);
  jobj_text(&o, "compiler", compiler);
#ifdef BENCH_SANITIZED
  jobj_bool(&o, "sanitized", true);
#else
  jobj_bool(&o, "sanitized", false);
#endif
  jobj_add(&o, "libraries", json_libraries());
  return jobj_take(&o);
}

static json_t *json_fact_value(const struct fact *f)
{
  switch (f->type) {
  case FACT_TEXT:
    return jobj_shown(f->text);
  case FACT_INT:
    return json_integer(f->integer);
  case FACT_REAL:
    return jobj_number(f->real);
  case FACT_BOOL:
    return json_boolean(f->integer);
  }
  return NULL;
}

/* NULL: out of memory. */
static json_t *json_group_in(json_t *o, const char *name)
{
  json_t *key = jobj_string(name);
  json_t *group = json_object_get(o, json_string_value(key));

  if (key && !json_is_object(group)) {
    group = json_object();
    if (json_object_set_new(o, json_string_value(key), group) < 0)
      group = NULL;
  }
  json_decref(key);
  return group;
}

/* At "a.b.c". */
static bool json_put_at(json_t *o, const char *key, json_t *value)
{
  const char *dot;

  while (o && (dot = strchr(key, '.')) != NULL) {
    char name[64];

    (void)snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
    o = json_group_in(o, name);
    key = dot + 1;
  }
  return jobj_set_named(o, key, value); /* frees the value without a group */
}

json_t *json_facts(const struct facts *f)
{
  json_t *o = json_object();

  for (size_t i = 0; o && i < f->n; i++) {
    if (!json_put_at(o, f->of[i].key, json_fact_value(&f->of[i]))) {
      json_decref(o);
      o = NULL;
    }
  }
  return o;
}

static json_t *json_list_value(const struct opt_list *list)
{
  struct jobj array = jobj_list();

  for (size_t i = 0; i < list->n; i++)
    jobj_push(&array, jobj_shown(list->items[i]));
  return jobj_take(&array);
}

static json_t *json_option_value(const struct opt_entry *e)
{
  const char *text = opt_get_string(e);
  uint64_t size;

  if ((e->row->flags & OPT_SIZES) && parse_size(text, &size) == 0)
    return json_integer((json_int_t)size);
  switch (e->row->type) {
  case OPT_TYPE_BOOL:
    return json_boolean(opt_get_bool(e));
  case OPT_TYPE_INT:
  case OPT_TYPE_SIZE:
    return json_integer(opt_get_int(e));
  case OPT_TYPE_DOUBLE:
  case OPT_TYPE_TIME:
    return jobj_number(opt_get_number(e));
  case OPT_TYPE_LIST:
    return json_list_value(opt_get_list(e));
  case OPT_TYPE_STRING:
  case OPT_TYPE_WORD:
  case OPT_TYPE_FILE:
  case OPT_TYPE_END:
    break;
  }
  return text[0] != '\0' ? jobj_shown(text) : json_null();
}

/* Does the document store it byte by byte, as Latin-1? */
static bool json_is_latin(const struct opt_entry *e)
{
  const struct opt_list *list;

  if (e->row->type != OPT_TYPE_LIST)
    return !utf8_is_valid(opt_get_string(e));
  list = opt_get_list(e);
  for (size_t i = 0; i < list->n; i++) {
    if (!utf8_is_valid(list->items[i]))
      return true;
  }
  return false;
}

static const char *json_source_name(enum opt_source source)
{
  static const char *const names[] = {
    [OPT_SOURCE_DEFAULT] = "default",
    [OPT_SOURCE_ENVIRONMENT] = "environment",
    [OPT_SOURCE_FILE] = "config_file",
    [OPT_SOURCE_CMDLINE] = "command_line",
    [OPT_SOURCE_SCRIPT] = "script",
    [OPT_SOURCE_DSN] = "dsn",
    [OPT_SOURCE_CLIENT_FILE] = "client_file",
    [OPT_SOURCE_PASSWORD] = "password",
    [OPT_SOURCE_SHORTHAND] = "shorthand",
  };

  return names[source];
}

/* A script can redeclare an option of the program without its flags. */
static bool json_is_secret(const struct opt_entry *e)
{
  return (e->row->flags & OPT_SECRET) ||
         (e->twin && (e->twin->row->flags & OPT_SECRET));
}

static json_t *json_option(const struct opt_entry *e)
{
  struct jobj o = jobj_new();

  if (json_is_secret(e))
    jobj_bool(&o, "secret", true);
  else
    jobj_add(&o, "value", json_option_value(e));
  if (!json_is_secret(e) && secret_is_in(opt_get_string(e)))
    jobj_bool(&o, "redacted", true);
  if (!json_is_secret(e) && json_is_latin(e))
    jobj_bool(&o, "latin1", true);
  jobj_text(&o, "source", json_source_name(e->source));
  if (e->where)
    jobj_text(&o, "where", e->where);
  return jobj_take(&o);
}

/* Each option once: no aliases, and a script's option replaces the
 * program's. */
json_t *json_options(const struct optset *set)
{
  struct jobj o = jobj_new();

  for (size_t i = 0; i < set->n; i++) {
    const struct opt_entry *e = opt_shown(set->entries[i]);

    if (o.j && !json_object_get(o.j, e->row->name))
      jobj_named(&o, e->row->name, json_option(e));
  }
  return jobj_take(&o);
}
