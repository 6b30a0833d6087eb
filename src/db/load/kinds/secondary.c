/*
 * secondary.c - the table of the script secondary: id, k, v and a text.
 */
#include "db/load/kinds/secondary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "db/load/kinds/kind_list.h"
#include "stats/rand/rng.h"

enum {
  KEYS_MAX = 100 * 1000 * 1000,
  ROWS_LIMIT = 1000 * 1000 * 1000,
  V_COUNT = 1000 * 1000, /* values of v */
  WORDS = 4,             /* of 16 digits in the text */
  TEXT_MAX = WORDS * 16,
};

static const char *const params[] = { "keys", "rows_per_key", "data_seed",
                                      NULL };
static const char *const columns[] = { "id", "k", "v", "c" };

void secondary_init(struct secondary *s, const uint64_t *param)
{
  s->seed = rng_mix(param[SECONDARY_SEED] + RNG_GAMMA);
  s->per_key = param[SECONDARY_PER_KEY];
  scramble_init(&s->order, s->seed, param[SECONDARY_KEYS] * s->per_key);
}

uint64_t secondary_k(const struct secondary *s, uint64_t id)
{
  return scramble(&s->order, id - 1) / s->per_key + 1;
}

uint64_t secondary_id(const struct secondary *s, uint64_t k, uint64_t n)
{
  return scramble_back(&s->order, (k - 1) * s->per_key + n) + 1;
}

uint64_t secondary_v(const struct secondary *s, uint64_t id)
{
  return rng_mix(s->seed + id * RNG_GAMMA) % V_COUNT;
}

static int secondary_check(const struct kind_args *args, struct err *err)
{
  const uint64_t keys = args->value[SECONDARY_KEYS];
  const uint64_t per_key = args->value[SECONDARY_PER_KEY];

  if (keys >= 1 && keys <= KEYS_MAX && per_key >= 1 &&
      per_key <= ROWS_LIMIT / keys)
    return 0;
  return err_set(err, -EINVAL,
                 "--keys must be from 1 to %d, and --keys times "
                 "--rows-per-key from 1 to %d",
                 KEYS_MAX, ROWS_LIMIT);
}

static void secondary_describe(const struct kind_args *args, uint64_t number,
                               struct kind_table *ret)
{
  (void)number;
  (void)snprintf(ret->name, sizeof(ret->name), "secondary_rows");
  ret->columns = columns;
  ret->n = 4;
  ret->types = "iiit";
  ret->key[0] = (struct kind_key){
    .name = "id",
    .first = 1,
    .count = args->value[SECONDARY_KEYS] * args->value[SECONDARY_PER_KEY],
  };
  ret->keys = 1;
  ret->bytes_max = ROW_HEAD + 3 * ROW_INT_MAX + ROW_TEXT_HEAD + TEXT_MAX;
  kind_set_disk(ret, 161, 127, 98);
}

static void secondary_begin(struct maker *m)
{
  secondary_init(m->state, m->args.value);
}

static size_t secondary_put(struct maker *m, enum rows_form form, uint64_t key,
                            char *to)
{
  const struct secondary *s = m->state;
  char text[TEXT_MAX + 1];
  struct row row;

  for (unsigned i = 0; i < WORDS; i++) {
    (void)snprintf(text + i * 16, 17, "%016" PRIx64,
                   rng_mix(s->seed - (key * WORDS + i) * RNG_GAMMA));
  }
  row_begin(&row, form, m->table.n, to);
  row_int(&row, (int64_t)key);
  row_int(&row, (int64_t)secondary_k(s, key));
  row_int(&row, (int64_t)secondary_v(s, key));
  row_text(&row, text, TEXT_MAX);
  return (size_t)(row_end(&row) - to);
}

const struct kind kind_secondary = {
  .name = "secondary",
  .params = params,
  .tables = 1,
  .check = secondary_check,
  .describe = secondary_describe,
  .state_size = sizeof(struct secondary),
  .begin = secondary_begin,
  .put = secondary_put,
  .depends = "--keys, --rows-per-key and --data-seed",
  .size_option = "--keys",
  .fewer = "fewer --keys or --rows-per-key",
};
