/*
 * test_cpu_kernels.c - the kernels of the cpu test compute what they should, in
 * all ways that work on this processor, again and again.
 *
 * With names as arguments, only the other kernels are tested: for machines that
 * have no library for one.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/err.h"
#include "tests/cpu/kernel.h"
#include "tests/unit/tap.h"

static void *new_memory(const struct cpu_kernel *k)
{
  const size_t bytes = (k->bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  void *mem = aligned_alloc(CACHE_LINE, bytes);
  struct err err = { "" };

  MUST(mem);
  memset(mem, 0, bytes);
  MUST(k->prepare(mem, &err) == 0);
  return mem;
}

static void free_memory(const struct cpu_kernel *k, void *mem)
{
  if (k->done)
    k->done(mem);
  free(mem);
}

/* All ways use the same memory, one after another. */
static void test_results(const struct cpu_kernel *k)
{
  const struct cpu_path *fast = cpu_kernel_path(k, false);
  void *mem = new_memory(k);
  uint64_t got[4];
  char what[128];

  got[0] = k->portable.run(mem);
  got[1] = fast->run(mem);
  got[2] = fast->run(mem);
  got[3] = k->portable.run(mem);
  (void)snprintf(what, sizeof(what), "%s computes the same as %s and as ever",
                 k->name, fast->name);
  OK(got[0] == k->result && got[1] == k->result && got[2] == k->result &&
       got[3] == k->result,
     what);
  for (int i = 0; i < 4; i++) {
    if (got[i] != k->result)
      printf("# %d: 0x%llx\n", i, (unsigned long long)got[i]);
  }
  free_memory(k, mem);
}

static const struct cpu_kernel *cpu_kernel_find(const char *name)
{
  for (size_t i = 0; i < CPU_KERNELS; i++) {
    if (strcmp(cpu_kernels[i]->name, name) == 0)
      return cpu_kernels[i];
  }
  return NULL;
}

/* Changes one bit of the data, as faulty memory would. */
static void test_damage(const char *name, size_t offset)
{
  const struct cpu_kernel *k = cpu_kernel_find(name);
  unsigned char *mem = new_memory(k);
  char what[128];

  mem[offset] ^= 1;
  (void)snprintf(what, sizeof(what), "%s notices a wrong bit", name);
  OK(k->portable.run(mem) != k->result &&
       cpu_kernel_path(k, false)->run(mem) != k->result,
     what);
  free_memory(k, mem);
}

static void test_table(void)
{
  bool complete = true, first = true;

  for (size_t i = 0; i < CPU_KERNELS; i++) {
    const struct cpu_kernel *k = cpu_kernels[i];

    complete = complete && k->name && k->unit && k->operations > 0 &&
               k->result != 0 && k->bytes > 0 && k->prepare &&
               k->portable.name && k->portable.run;
    first = first && cpu_kernel_find(k->name) == k;
  }
  OK(complete, "each row of the table is complete");
  OK(first && !cpu_kernel_find("all"), "each name is there once");
}

static bool never(void)
{
  return false;
}

static bool always(void)
{
  return true;
}

static void test_paths(void)
{
  const struct cpu_path yes = { .name = "yes", .works = always };
  const struct cpu_path no = { .name = "no", .works = never };
  const struct cpu_path none = { .name = "none" };
  struct cpu_kernel k = { .fast = &yes };

  OK(cpu_kernel_path(&k, false) == &yes, "what works is used");
  OK(cpu_kernel_path(&k, true) == &k.portable, "not if it is not wanted");
  k.fast = &no;
  OK(cpu_kernel_path(&k, false) == &k.portable, "nor if it does not work");
  k.fast = &none;
  OK(cpu_kernel_path(&k, false) == &k.portable, "nor where there is none");
}

/* The number of operations agrees with an independent count. */
static void test_divisions(void)
{
  const uint64_t first = (UINT64_C(1) << 40) + 1;
  uint64_t n = 0;

  for (uint64_t x = first; x < first + 1024; x += 2) {
    uint64_t d = 3;

    for (; d <= 1023; d += 2) {
      n++;
      if (x % d == 0)
        break;
    }
  }
  OK(cpu_kernel_find("div")->operations == n, "div does so many divisions");
}

/* Computes it bit by bit, as the definition does. */
static void test_crc(void)
{
  const struct cpu_kernel *k = cpu_kernel_find("crc32c");
  struct crc_data *d = new_memory(k);
  uint32_t crc = UINT32_MAX;

  for (unsigned t = 0; t < CRC_TIMES; t++) {
    for (unsigned i = 0; i < CRC_BYTES; i++) {
      crc ^= d->bytes[i];
      for (unsigned bit = 0; bit < 8; bit++)
        crc = (crc >> 1) ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
    }
  }
  OK(k->result == (uint32_t)~crc, "crc32c is that of the definition");
  free_memory(k, d);
}

/* `head -c 262144 /dev/zero | sha256sum` begins with this. */
static void test_sha(void)
{
  const struct cpu_kernel *k = cpu_kernel_find("sha256");
  struct sha_data *d = new_memory(k);

  memset(d->bytes, 0, sizeof(d->bytes));
  OK(k->portable.run(d) == UINT64_C(0x8a39d2abd3999ab7) &&
       cpu_kernel_path(k, false)->run(d) == UINT64_C(0x8a39d2abd3999ab7),
     "sha256 is that of other programs");
  free_memory(k, d);
}

/*
 * The result of the kernel was also computed once with openssl.  These are the
 * examples of FIPS 197.
 */
static void test_aes(void)
{
  const struct cpu_kernel *k = cpu_kernel_find("aes");
  struct aes_data *d = new_memory(k);

  OK(d->box[0x00] == 0x63 && d->box[0x53] == 0xed && d->box[0xff] == 0x16,
     "aes has the box of the standard");
  free_memory(k, d);
}

static bool is_left_out(const char *name, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], name) == 0)
      return true;
  }
  return false;
}

int main(int argc, char **argv)
{
  test_table();
  test_paths();
  for (size_t i = 0; i < CPU_KERNELS; i++) {
    if (!is_left_out(cpu_kernels[i]->name, argc, argv))
      test_results(cpu_kernels[i]);
  }
  test_damage("int", 0);
  test_damage("ilp", 8);
  test_damage("branch", 0);
  test_damage("div", 1);
  test_damage("btree", 11);
  test_damage("sort", 4096);
  test_damage("lz", 4096);
  test_damage("json", 4096);
  test_damage("crc32c", 4096);
  test_damage("sha256", 4096);
  test_damage("aes", 4096);
  test_divisions();
  test_crc();
  test_sha();
  test_aes();
  return TAP_EXIT();
}
