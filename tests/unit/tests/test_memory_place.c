/*
 * test_memory_place.c - processors, caches, nodes and memory as the system
 * describes them.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "tests/memory/pages.h"
#include "tests/place.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/bench-place-XXXXXX";

/* Writes a file below the root, with its folders. */
static void put(const char *text, const char *path, ...)
{
  char name[256], full[512];
  va_list ap;
  FILE *f;

  va_start(ap, path);
  (void)vsnprintf(name, sizeof(name), path, ap);
  va_end(ap);
  (void)snprintf(full, sizeof(full), "%s/%s", root, name);
  for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
    *at = '\0';
    (void)mkdir(full, 0700);
    *at = '/';
  }
  f = fopen(full, "w");
  MUST(f);
  (void)fputs(text, f);
  MUST(fclose(f) == 0);
}

static void put_cache(int cpu, int index, const char *type, const char *level,
                      const char *size, const char *shared)
{
  static const char base[] = "sys/devices/system/cpu/cpu%d/cache/index%d/%s";

  put(type, base, cpu, index, "type");
  put(level, base, cpu, index, "level");
  put(size, base, cpu, index, "size");
  put(shared, base, cpu, index, "shared_cpu_list");
  put("128\n", base, cpu, index, "coherency_line_size");
}

static void test_lists(void)
{
  OK(place_list_has("0-3,8\n", 2) && place_list_has("0-3,8", 8) &&
       place_list_has("5", 5),
     "numbers of a list");
  OK(!place_list_has("0-3,8", 4) && !place_list_has("", 0) &&
       !place_list_has("nonsense", 0),
     "numbers that are not in it");
}

static void test_caches(void)
{
  static const struct place_cpus cpus = { 4, { 0, 1, 2, 3 } };
  struct place_caches c;

  place_find_caches(root, 0, &c);
  OK(c.n == 0 && c.line_bytes == 64 && place_last_caches(root, &cpus) == 0,
     "a system that says nothing");
  for (int cpu = 0; cpu < 4; cpu++) {
    put_cache(cpu, 0, "Unified\n", "3\n", "8192K\n", cpu < 2 ? "0-1" : "2-3");
    put_cache(cpu, 1, "Instruction\n", "1\n", "64K\n", "0");
    put_cache(cpu, 2, "Data\n", "1\n", "48K\n", "0");
  }
  place_find_caches(root, 0, &c);
  OK(c.n == 2 && c.of[0].level == 1 && c.of[0].bytes == 48 << 10 &&
       c.of[1].bytes == 8 << 20 && c.line_bytes == 128,
     "data caches, the smallest first");
  OK(place_last_caches(root, &cpus) == 16 << 20,
     "a cache that processors share counts once");
}

static void test_nodes(void)
{
  static const struct place_cpus cpus = { 2, { 1, 5 } };
  struct place_nodes nodes;

  place_find_nodes(root, &cpus, &nodes);
  OK(nodes.n == 0, "no nodes");
  put("0-2\n", "sys/devices/system/node/has_memory");
  put("0-3\n", "sys/devices/system/node/node0/cpulist");
  put("4-7\n", "sys/devices/system/node/node1/cpulist");
  put("\n", "sys/devices/system/node/node2/cpulist");
  place_find_nodes(root, &cpus, &nodes);
  OK(nodes.n == 3 && nodes.of[0].cpu == 1 && nodes.of[1].cpu == 5 &&
       nodes.of[2].id == 2 && nodes.of[2].cpu == -1,
     "nodes with memory, and a processor of each");
}

static void test_relations(void)
{
  static const char base[] = "sys/devices/system/cpu/cpu%d/topology/%s";

  OK(place_relate(root, 0, 1) == PLACE_SAME_SOCKET, "nothing is known");
  for (int cpu = 0; cpu < 4; cpu++) {
    put(cpu < 2    ? "0-1\n"
        : cpu == 2 ? "2\n"
                   : "3\n",
        base, cpu, "thread_siblings_list");
    put(cpu < 3 ? "0\n" : "1\n", base, cpu, "physical_package_id");
  }
  OK(place_relate(root, 0, 1) == PLACE_SAME_CORE &&
       place_relate(root, 1, 2) == PLACE_SAME_SOCKET &&
       place_relate(root, 2, 3) == PLACE_OTHER_SOCKET,
     "siblings, neighbours, and other sockets");
}

static void test_budget(void)
{
  struct err err = { "" };
  uint64_t bytes = 0;

  put("MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\n", "proc/meminfo");
  OK(pages_budget(root, 0, 1 << 20, &bytes, &err) == 0 && bytes == 1 << 20,
     "what the caches ask for");
  OK(pages_budget(root, 0, UINT64_C(1) << 40, &bytes, &err) == 0 &&
       bytes <= UINT64_C(409600000) && bytes > UINT64_C(409000000),
     "at most 40 % of what is available");
  OK(pages_budget(root, 600 << 20, 0, &bytes, &err) == 0 && bytes == 600 << 20,
     "more if it is asked for");
  OK(pages_budget(root, 1 << 30, 0, &bytes, &err) == -ENOMEM,
     "more than there is");
  OK_STR(err.text,
         "--memory-size asks for 1 GiB, but only 976.6 MiB of memory are "
         "available; choose a smaller --memory-size",
         "is refused with both sizes");
  put("0::/box\n", "proc/self/cgroup");
  put("104857600\n", "sys/fs/cgroup/box/memory.max");
  put("52428800\n", "sys/fs/cgroup/box/memory.current");
  put("anon 1\n", "sys/fs/cgroup/box/memory.stat");
  OK(pages_budget(root, 60 << 20, 0, &bytes, &err) == -ENOMEM &&
       strstr(err.text, "but only 50 MiB are left of the memory of the "
                        "control group"),
     "so is more than the control group has left");
}

static void test_pages(void)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct err err = { "" };
  struct strbuf text = { 0 };
  struct pages p;

  MUST(pages_map(&p, 4 << 20, false, -1, &err) == 0);
  pages_touch(&p);
  OK((uintptr_t)p.at % PAGES_ALIGN == 0 && p.in_huge == 0,
     "small pages, aligned as huge ones");
  pages_describe(&p, false, &text);
  OK(p.look_failed || strcmp(strbuf_str(&text), "4 MiB in small pages") == 0,
     "described as such");
  pages_unmap(&p);
  OK(!p.at, "given back");
  MUST(pages_map(&p, UINT64_C(600) << 20, true, -1, &err) == 0);
  OK((uintptr_t)p.at % (page * page / 8) == 0,
     "many are aligned as huge pages of this processor are");
  pages_unmap(&p);
  put("HugePages_Free: 3\nHugepagesize: 524288 kB\n", "proc/meminfo");
  OK(pages_pool_page(root) == UINT64_C(512) << 20, "huge pages of 512 MiB");
  put("MemTotal: 2000000 kB\n", "proc/meminfo");
  OK(pages_pool_page(root) == PAGES_ALIGN, "2 MiB if the system tells none");
  strbuf_clear(&text);
  p = (struct pages){ .bytes = 8 << 20, .in_huge = 2 << 20 };
  pages_describe(&p, true, &text);
  OK_STR(strbuf_str(&text),
         "2 MiB of 8 MiB in huge pages, the rest in small ones",
         "what was really given is said");
  strbuf_done(&text);
}

static void test_smaps(void)
{
  char path[256];
  uint64_t bytes = 7;

  put("10000-20000 rw-p 0 0:0 0\nAnonHugePages: 64 kB\n"
      "20000-40000 rw-p 0 0:0 0\nAnonHugePages: 4 kB\n"
      "Private_Hugetlb: 8 kB\n50000-60000 rw-p 0 0:0 0\nAnonHugePages: 1 kB\n",
      "smaps");
  (void)snprintf(path, sizeof(path), "%s/smaps", root);
  OK(pages_in_smaps(path, (void *)0x21000, (void *)0x30000, &bytes) &&
       bytes == 12 * 1024,
     "huge pages of a mapping");
  OK(!pages_in_smaps(path, (void *)0x70000, (void *)0x80000, &bytes) &&
       !pages_in_smaps("/nonexistent", NULL, path, &bytes) &&
       bytes == 12 * 1024,
     "a mapping that is not there");
}

int main(void)
{
  char command[64];

  MUST(mkdtemp(root));
  test_lists();
  test_caches();
  test_nodes();
  test_relations();
  test_budget();
  test_pages();
  test_smaps();
  (void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
  MUST(system(command) == 0);
  return TAP_EXIT();
}
