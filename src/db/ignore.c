/*
 * ignore.c - which errors are ignorable: lists given as options.
 */
#include "db/ignore.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "db/outcome.h"

static bool has_only(const char *text, int (*is)(int))
{
  for (; *text; text++) {
    if (!is((unsigned char)*text))
      return false;
  }
  return true;
}

/* Room for one more item at the end of *array. */
static void *grown(void *array, size_t n, size_t size)
{
  return realloc(array, (n + 1) * size); /* a few items, once per process */
}

static int add_code(struct ignore_list *l, int code, const int *connection)
{
  int *codes = grown(l->codes, l->n_codes, sizeof(*codes));

  if (!codes)
    return -ENOMEM;
  l->codes = codes;
  l->codes[l->n_codes++] = code;
  for (; connection && *connection; connection++)
    l->connection |= *connection == code;
  return 0;
}

static void upper(char *to, const char *from)
{
  while ((*to++ = (char)toupper((unsigned char)*from++)) != '\0') {
  }
}

static int add_state(struct ignore_list *l, const char *text)
{
  char(*states)[6] = grown(l->states, l->n_states, sizeof(*states));

  if (!states)
    return -ENOMEM;
  l->states = states;
  upper(l->states[l->n_states++], text);
  return 0;
}

static int add_class(struct ignore_list *l, const char *text)
{
  char(*classes)[3] = grown(l->classes, l->n_classes, sizeof(*classes));

  if (!classes)
    return -ENOMEM;
  l->classes = classes;
  upper(l->classes[l->n_classes++], text);
  return 0;
}

/* -EINVAL: not an item. */
static int add_item(struct ignore_list *l, const char *text,
                    enum ignore_kind kind, const int *connection)
{
  const size_t len = strlen(text);
  const bool digits = has_only(text, isdigit);
  int64_t number;
  int rc = 0;

  if (strcasecmp(text, "all") == 0) {
    l->all = true;
    return 0;
  }
  if (strcasecmp(text, "connection") == 0) {
    l->connection = true;
    return 0;
  }
  if (strcasecmp(text, "failover") == 0) {
    l->connection = true;
    l->failover = true;
    return 0;
  }
  if (len > 0 && digits && (kind == IGNORE_NUMBERS || len <= 4)) {
    if (parse_int(text, &number) < 0 || number > 65535)
      return -EINVAL;
    rc = add_code(l, (int)number, connection);
    /* "23" can only be meant as a class where codes have no two digits, and
     * as a code where they have; no driver uses both. */
    if (rc < 0 || kind == IGNORE_NUMBERS || len != 2)
      return rc;
  }
  if (!has_only(text, isalnum))
    return -EINVAL;
  if (len == 5)
    return add_state(l, text);
  if (len == 2)
    return add_class(l, text);
  return -EINVAL;
}

int ignore_add(struct ignore_list *l, const struct opt_list *items,
               enum ignore_kind kind, const int *connection_codes,
               struct err *err)
{
  for (size_t i = 0; i < items->n; i++) {
    const int rc = add_item(l, items->items[i], kind, connection_codes);

    if (rc == -ENOMEM)
      return err_set(err, rc, "not enough memory");
    if (rc < 0)
      return err_set(err, rc,
                     "Invalid value for --db-ignore-errors: '%s' (expected "
                     "error numbers, SQLSTATEs of five characters, classes of "
                     "two characters, 'connection', 'failover' or 'all')",
                     items->items[i]);
  }
  return 0;
}

void ignore_done(struct ignore_list *l)
{
  free(l->codes);
  free(l->states);
  free(l->classes);
  memset(l, 0, sizeof(*l));
}

bool ignore_text_ok(const char *text)
{
  char item[16];

  while (*text) {
    struct ignore_list l = { 0 };
    const size_t len = strcspn(text, ",");
    int rc;

    if (len >= sizeof(item))
      return false;
    memcpy(item, text, len);
    item[len] = '\0';
    rc = add_item(&l, item, IGNORE_ANY, NULL);
    ignore_done(&l);
    if (rc < 0)
      return false;
    text += len + (text[len] == ',');
  }
  return true;
}

bool ignore_has(const struct ignore_list *l, const struct outcome *out)
{
  if (l->all || (out->lost && l->connection))
    return true;
  for (size_t i = 0; i < l->n_codes; i++) {
    if (l->codes[i] != 0 &&
        (l->codes[i] == out->code || l->codes[i] == out->base_code))
      return true;
  }
  for (size_t i = 0; i < l->n_states; i++) {
    if (strcmp(l->states[i], out->state) == 0)
      return true;
  }
  for (size_t i = 0; i < l->n_classes; i++) {
    if (strncmp(l->classes[i], out->state, 2) == 0)
      return true;
  }
  return false;
}
