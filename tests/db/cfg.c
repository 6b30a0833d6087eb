/*
 * cfg.c - a driver's config struct from its option rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/parse.h"
#include "opt/value.h"
#include "suite.h"

static struct opt_list split(const char *text)
{
  struct opt_list list = { 0 };
  const char **items = calloc(strlen(text) + 1, sizeof(*items));

  while (*text) {
    const size_t len = strcspn(text, ",");

    items[list.n++] = strndup(text, len);
    text += len + (text[len] == ',');
  }
  list.items = items;
  return list;
}

static int word_index(const struct opt *o, const char *text)
{
  for (int i = 0; o->words && o->words[i]; i++) {
    if (strcasecmp(o->words[i], text) == 0)
      return i;
  }
  return -1;
}

static bool set(void *cfg, const struct opt *o, const char *text)
{
  void *field = (char *)cfg + o->off;
  const struct opt_given given = { .text = text };
  struct opt_value v;
  struct err err;

  switch (o->type) {
  case OPT_TYPE_BOOL:
    return parse_bool(text, field) == 0;
  case OPT_TYPE_INT:
    if (opt_value_read(o, &given, &v, &err) < 0)
      return false;
    opt_value_store(o, &v, cfg);
    opt_value_done(&v);
    return true;
  case OPT_TYPE_SIZE:
    return parse_size(text, field) == 0;
  case OPT_TYPE_DOUBLE:
    return parse_double(text, field) == 0;
  case OPT_TYPE_STRING:
  case OPT_TYPE_FILE:
    *(const char **)field = text;
    return true;
  case OPT_TYPE_WORD:
    *(int *)field = word_index(o, text);
    return *(int *)field >= 0;
  case OPT_TYPE_LIST:
    *(struct opt_list *)field = split(text);
    return true;
  default:
    return false;
  }
}

/* `--name=value` sets this row: the value, or NULL. */
static const char *value_for(const struct opt *o, const char *arg)
{
  const size_t len = strlen(o->name);

  if (strncmp(arg, "--", 2) != 0 || strncmp(arg + 2, o->name, len) != 0 ||
      arg[2 + len] != '=')
    return NULL;
  return arg + 2 + len + 1;
}

static bool set_row(void *cfg, const struct opt *o, int argc, char **argv,
                    const char *const *more)
{
  const char *text = o->def ? o->def : "";

  for (int i = 1; i < argc; i++) {
    const char *value = value_for(o, argv[i]);

    text = value ? value : text;
  }
  for (; more && *more; more++) {
    const char *value = value_for(o, *more);

    text = value ? value : text;
  }
  if (!*text && o->type != OPT_TYPE_STRING && o->type != OPT_TYPE_LIST)
    return true; /* unset */
  return set(cfg, o, text);
}

void *cfg_make(const struct driver *d, int argc, char **argv,
               const char *const *more)
{
  void *cfg = calloc(1, d->cfg_size ? d->cfg_size : 1);

  for (const struct opt *o = d->opts; o && o->type != OPT_TYPE_END; o++) {
    if (!set_row(cfg, o, argc, argv, more)) {
      printf("Bail out! bad value of --%s\n", o->name);
      exit(1);
    }
  }
  return cfg;
}

void cfg_free(const struct driver *d, void *cfg)
{
  for (const struct opt *o = d->opts; o && o->type != OPT_TYPE_END; o++) {
    const struct opt_list *l = (void *)((char *)cfg + o->off);

    if (o->type != OPT_TYPE_LIST)
      continue;
    for (size_t i = 0; i < l->n; i++)
      free((void *)(uintptr_t)l->items[i]);
    free((void *)(uintptr_t)l->items);
  }
  free(cfg);
}
