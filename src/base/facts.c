#include "base/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

void facts_done(struct facts *f)
{
  if (!f)
    return;
  for (size_t i = 0; i < f->n; i++) {
    free(f->of[i].key);
    free(f->of[i].text);
  }
  free(f->of);
  memset(f, 0, sizeof(*f));
}

struct fact *facts_find(const struct facts *f, const char *key)
{
  for (size_t i = 0; i < f->n; i++) {
    if (strcmp(f->of[i].key, key) == 0)
      return &f->of[i];
  }
  return NULL;
}

static bool facts_grow(struct facts *f)
{
  const size_t room = f->room ? 2 * f->room : 16;
  struct fact *of = realloc(f->of, room * sizeof(*of));

  if (!of)
    return false;
  f->of = of;
  f->room = room;
  return true;
}

/* Also frees the old text. NULL: no memory. */
static struct fact *facts_place(struct facts *f, const char *key,
                                enum fact_type type)
{
  struct fact *fact = facts_find(f, key);

  if (!fact) {
    char *copy = mem_strdup(key);

    if (!copy || (f->n == f->room && !facts_grow(f))) {
      free(copy);
      f->failed = true;
      return NULL;
    }
    fact = &f->of[f->n++];
    *fact = (struct fact){ .key = copy };
  }
  free(fact->text);
  fact->text = NULL;
  fact->type = type;
  return fact;
}

void facts_text(struct facts *f, const char *key, const char *value)
{
  char *copy = mem_strdup(value);
  struct fact *fact = copy ? facts_place(f, key, FACT_TEXT) : NULL;

  if (fact) {
    fact->text = copy;
  } else {
    free(copy);
    f->failed = true;
  }
}

void facts_int(struct facts *f, const char *key, int64_t value)
{
  struct fact *fact = facts_place(f, key, FACT_INT);

  if (fact)
    fact->integer = value;
}

void facts_real(struct facts *f, const char *key, double value)
{
  struct fact *fact = facts_place(f, key, FACT_REAL);

  if (fact)
    fact->real = value;
}

void facts_bool(struct facts *f, const char *key, bool value)
{
  struct fact *fact = facts_place(f, key, FACT_BOOL);

  if (fact)
    fact->integer = value;
}

void facts_merge_as(struct facts *f, const char *key, enum fact_merge merge)
{
  for (size_t i = 0; i < f->n; i++) {
    if (strncmp(f->of[i].key, key, strlen(key)) == 0)
      f->of[i].merge = merge;
  }
}

void facts_merge(struct facts *f, const struct fact *other)
{
  struct fact *to = facts_find(f, other->key);

  if (!to || to->type != other->type)
    return;
  if (to->merge == FACT_SUM) {
    to->integer += other->integer;
    to->real += other->real;
  } else if (to->merge == FACT_MOST) {
    if (other->integer > to->integer)
      to->integer = other->integer;
    if (other->real > to->real)
      to->real = other->real;
  }
}

void facts_server_name(const char *driver, const char *version,
                       struct strbuf *out)
{
  static const char *const names[][2] = { { "mysql", "MySQL" },
                                          { "pgsql", "PostgreSQL" },
                                          { "sqlite", "SQLite" } };
  const char *fork = strcasestr(version, "-mariadb");
  size_t len = strcspn(version, " ");

  if (fork) {
    driver = "MariaDB";
    len = (size_t)(fork - version);
  }
  for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
    if (strcmp(driver, names[i][0]) == 0)
      driver = names[i][1];
  }
  strbuf_addf(out, "%s%s%.*s", driver, len > 0 ? " " : "", (int)len, version);
}
