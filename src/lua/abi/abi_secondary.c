/*
 * abi_secondary.c - what the script secondary has loaded, so that it can judge
 * what it reads.
 */
#include "base/ffi_api.h"
#include "load/kinds/secondary.h"

/*
 * Returns the sum of the ids of all rows with value k of the indexed column,
 * and their sum of v.  Both are 0 if there is no such value.
 */
double bench_secondary_sums(double data_seed, double keys, double rows_per_key,
                            double k, double *ret_v)
{
  uint64_t param[SECONDARY_SEED + 1];
  struct secondary s;
  uint64_t ids = 0, v = 0;

  *ret_v = 0;
  /* No comparison holds for NaN. */
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
