/*
 * kernel_list.c - the kernels of the cpu test, one line each.
 */
#include "tests/cpu/kernel.h"

const struct cpu_kernel *const cpu_kernels[CPU_KERNELS] = {
  &cpu_kernel_int, &cpu_kernel_ilp,    &cpu_kernel_branch, &cpu_kernel_div,
  &cpu_kernel_fp,  &cpu_kernel_lookup, &cpu_kernel_btree,  &cpu_kernel_sort,
  &cpu_kernel_lz,  &cpu_kernel_json,   &cpu_kernel_crc32c, &cpu_kernel_sha256,
  &cpu_kernel_aes, &cpu_kernel_lua,
};

const struct cpu_path *cpu_kernel_path(const struct cpu_kernel *k,
                                       bool baseline)
{
  if (!baseline && k->fast && k->fast->works && k->fast->works())
    return k->fast;
  return &k->portable;
}
