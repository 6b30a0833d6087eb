/*
 * kernel_crc32c_fast.c - crc32c with special instructions.
 */
#include "os/os.h"
#include "tests/cpu/kernel.h"
#include "tests/cpu/kernel_crc32c.h"
#include "tests/cpu/kernel_data.h"

#if defined(__x86_64__)

#include <nmmintrin.h>

/* Newer clang counts these instructions as a feature of their own. */
#if defined(__clang__) && __clang_major__ >= 15
#define TARGET __attribute__((target("sse4.2,crc32")))
#else
#define TARGET __attribute__((target("sse4.2")))
#endif
#define STEP(crc, x) ((uint32_t)_mm_crc32_u64(crc, x))
#define NAME "sse4.2"

static bool works(void)
{
  return __builtin_cpu_supports("sse4.2");
}

#elif defined(CPU_FAST_ON_ARM)

#define TARGET __attribute__((target("+crc")))
#ifdef __clang__
#define STEP(crc, x) __builtin_arm_crc32cd(crc, x)
#else
#define STEP(crc, x) __builtin_aarch64_crc32cx(crc, x)
#endif
#define NAME "crc"

static bool works(void)
{
  return os_arm_has(OS_ARM_CRC32);
}

#endif

#ifdef TARGET

TARGET static uint64_t run(void *mem)
{
  const struct crc_data *d = mem;
  uint32_t crc = UINT32_MAX;

  for (unsigned t = 0; t < CRC_TIMES; t++) {
    for (unsigned i = 0; i < CRC_BYTES; i += 8)
      crc = STEP(crc, cpu_load_le64(d->bytes + i));
  }
  return ~crc;
}

const struct cpu_path cpu_crc32c_fast = { NAME, works, run };

#else

const struct cpu_path cpu_crc32c_fast = { .name = "none" };

#endif
