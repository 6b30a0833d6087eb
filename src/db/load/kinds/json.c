/*
 * json.c - the table of the script json: a key and a document.
 */
#include "db/load/kinds/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "db/load/kinds/kind_list.h"
#include "stats/rand/rng.h"

enum {
  DOCUMENTS_MAX = 100 * 1000 * 1000,
};

static const char *const params[] = { "documents", "groups", "body",
                                      "data_seed", NULL };
static const char *const columns[] = { "id", "doc" };

size_t json_write(const uint64_t *param, uint64_t id, uint64_t n,
                  char to[JSON_TEXT_MAX])
{
  const uint64_t seed = rng_mix(param[JSON_SEED] + RNG_GAMMA);
  const uint64_t tags = rng_mix(seed - id * RNG_GAMMA);
  uint64_t digits = 0;
  int len = snprintf(to, JSON_TEXT_MAX,
                     "{\"k\": %" PRIu64 ", \"n\": %" PRIu64 ", \"id\": %" PRIu64
                     ", \"body\": \"",
                     (id - 1 + n) % param[JSON_GROUPS] + 1, n, id);

  for (uint64_t i = 0; i < param[JSON_BODY]; i++, digits >>= 4) {
    if (i % 16 == 0)
      digits = rng_mix(seed + (id * JSON_BODY_MAX + i) * RNG_GAMMA);
    to[len++] = "0123456789abcdef"[digits & 15];
  }
  len += snprintf(to + len, (size_t)(JSON_TEXT_MAX - len),
                  "\", \"tags\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]}",
                  tags % 1000, tags / 1000 % 1000, tags / 1000000 % 1000);
  return (size_t)len;
}

static int json_check(const struct kind_args *args, struct err *err)
{
  const uint64_t documents = args->value[JSON_DOCUMENTS];
  const uint64_t groups = args->value[JSON_GROUPS];
  const uint64_t body = args->value[JSON_BODY];

  if (documents < 1 || documents > DOCUMENTS_MAX)
    return err_set(err, -EINVAL, "--documents must be from 1 to %d",
                   DOCUMENTS_MAX);
  if (groups < 1 || groups > documents)
    return err_set(err, -EINVAL,
                   "--groups is %" PRIu64 ", but must be from 1 to the "
                   "number of --documents, %" PRIu64,
                   groups, documents);
  if (body < 1 || body > JSON_BODY_MAX)
    return err_set(err, -EINVAL, "--body must be from 1 to %d", JSON_BODY_MAX);
  return 0;
}

static void json_describe(const struct kind_args *args, uint64_t number,
                          struct kind_table *ret)
{
  const unsigned body = (unsigned)args->value[JSON_BODY];

  (void)number;
  (void)snprintf(ret->name, sizeof(ret->name), "json_docs");
  ret->columns = columns;
  ret->n = 2;
  ret->types = "it";
  ret->key[0] = (struct kind_key){
    .name = "id",
    .first = 1,
    .count = args->value[JSON_DOCUMENTS],
  };
  ret->keys = 1;
  ret->bytes_max = ROW_HEAD + ROW_INT_MAX + ROW_TEXT_HEAD + JSON_TEXT_MAX;
  kind_set_disk(ret, 210 + body, 153 + body, 104 + body);
  ret->plain = true;
}

static size_t json_put(struct maker *m, enum rows_form form, uint64_t key,
                       char *to)
{
  char text[JSON_TEXT_MAX];
  const size_t len = json_write(m->args.value, key, 0, text);
  struct row row;

  row_begin(&row, form, m->table.n, to);
  row_int(&row, (int64_t)key);
  row_text(&row, text, len);
  return (size_t)(row_end(&row) - to);
}

const struct kind kind_json = {
  .name = "json",
  .params = params,
  .tables = 1,
  .check = json_check,
  .describe = json_describe,
  .put = json_put,
  .depends = "--documents, --groups, --body and --data-seed",
  .size_option = "--documents",
  .fewer = "fewer --documents",
};
