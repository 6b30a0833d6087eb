/*
 * abi_kinds.c - for checks: data that json, secondary and tpcc have loaded.
 */
#include <math.h>

#include "base/ffi_api.h"
#include "db/load/kinds/json.h"
#include "db/load/kinds/secondary.h"
#include "db/load/kinds/tpcc.h"

/* Returns the length; 0: no such document.  `param`: documents, groups,
 * length of the body, seed; `to` has 1200 bytes. */
int bench_json_document(const double *param, double id, double n, char *to)
{
  uint64_t value[JSON_PARAMS];

  /* False for NaN. */
  if (!(id >= 1 && id <= param[JSON_DOCUMENTS] &&
        param[JSON_DOCUMENTS] < 0x1p31 && n >= 0 && n < 0x1p53 &&
        param[JSON_GROUPS] >= 1 && param[JSON_GROUPS] < 0x1p31 &&
        param[JSON_BODY] >= 1 && param[JSON_BODY] <= JSON_BODY_MAX &&
        param[JSON_SEED] >= 0 && param[JSON_SEED] < 0x1p63))
    return 0;
  for (unsigned i = 0; i < JSON_PARAMS; i++)
    value[i] = (uint64_t)param[i];
  return (int)json_write(value, (uint64_t)id, (uint64_t)n, to);
}

/* Sums of the ids and of v over all rows with value k of the indexed column;
 * 0: unknown value. */
double bench_secondary_sums(double data_seed, double keys, double rows_per_key,
                            double k, double *ret_v)
{
  uint64_t param[SECONDARY_SEED + 1];
  struct secondary s;
  uint64_t ids = 0, v = 0;

  *ret_v = 0;
  /* False for NaN. */
  if (!(k >= 1 && k <= keys && keys < 0x1p31 && rows_per_key >= 1 &&
        rows_per_key < 0x1p20 && data_seed >= 0 && data_seed < 0x1p63))
    return 0;
  param[SECONDARY_KEYS] = (uint64_t)keys;
  param[SECONDARY_PER_KEY] = (uint64_t)rows_per_key;
  param[SECONDARY_SEED] = (uint64_t)data_seed;
  secondary_init(&s, param);
  for (uint64_t n = 0; n < s.per_key; n++) {
    const uint64_t id = secondary_id(&s, (uint64_t)k, n);

    ids += id;
    v += secondary_v(&s, id);
  }
  *ret_v = (double)v;
  return (double)ids;
}

/* Of row `key` of the table stock, from 1 in the order of the primary key.
 * NaN: no such row, or a seed that a Lua number cannot hold. */
double bench_tpcc_first_quantity(double seed, double key)
{
  if (!(fabs(seed) < 0x1p53 && key >= 1 && key < 0x1p63))
    return NAN;
  return tpcc_first_quantity((uint64_t)(int64_t)seed, (uint64_t)key);
}
