/*
 * abi_tpcc.c - what the script tpcc has loaded, so that its check can judge
 * what runs have made of it.
 */
#include <math.h>

#include "base/ffi_api.h"
#include "load/kinds/tpcc.h"

/*
 * Returns s_quantity of row number `key` of the table stock, from 1 on in the
 * order of its primary key, as prepare has made it.  NaN: there is no such row,
 * or the seed is none that a Lua number has exactly.
 */
double bench_tpcc_first_quantity(double seed, double key)
{
  if (!(fabs(seed) < 0x1p53 && key >= 1 && key < 0x1p63))
    return NAN;
  return tpcc_first_quantity((uint64_t)(int64_t)seed, (uint64_t)key);
}
