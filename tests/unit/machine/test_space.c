/*
 * test_space.c - how much can be written to a folder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/machine/cgroup.h"
#include "base/machine/space.h"
#include "tests/unit/tap.h"

#define NONE SPACE_UNKNOWN

static const struct {
  struct space space;
  uint64_t room;
  const char *words;
} min[] = {
  { { NONE, NONE, NONE, 1 }, NONE, "free" },
  { { 100, NONE, NONE, 1 }, 100, "free" },
  { { 100, 50, NONE, 1 }, 50, "of free memory" },
  { { 100, 50, 20, 1 }, 20, "left of the memory of the control group" },
  { { 10, 50, 20, 1 }, 10, "free" },
  { { NONE, 50, 70, 1 }, 50, "of free memory" },
  { { 100, 0, NONE, 1 }, 0, "of free memory" },
};

static const struct {
  uint64_t block, bytes, takes;
} blocks[] = {
  { 1, 0, 0 },
  { 1, 5, 5 },
  { 4096, 0, 0 },
  { 4096, 1, 4096 },
  { 4096, 4096, 4096 },
  { 4096, 4097, 8192 },
  { 4096, UINT64_MAX - 1, UINT64_MAX },
};

static const struct {
  uint64_t bytes;
  const char *text;
} sizes[] = {
  { 0, "0 bytes" },
  { 1, "1 byte" },
  { 1023, "1023 bytes" },
  { 1024, "1 KiB" },
  { 1536, "1.5 KiB" },
  { UINT64_C(64) << 20, "64 MiB" },
  { (UINT64_C(1) << 30) - 1, "1 GiB" },
  { UINT64_C(1) << 30, "1 GiB" },
  { UINT64_C(1) << 40, "1 TiB" },
  { UINT64_MAX, "16 EiB" },
};

static void test_arithmetic(void)
{
  char text[FMT_SIZE_SIZE];

  for (size_t i = 0; i < sizeof(min) / sizeof(min[0]); i++) {
    OK(space_free(&min[i].space) == min[i].room, "the least of all");
    OK_STR(space_words(&min[i].space), min[i].words, "what that is");
  }
  for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
    const struct space s = { NONE, NONE, NONE, blocks[i].block };

    OK(space_of_file(&s, blocks[i].bytes) == blocks[i].takes, "whole blocks");
  }
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
    OK_STR(fmt_size(text, sizes[i].bytes), sizes[i].text, "a size in words");
}

/* ---- a system made of files ---- */

static char root[64] = "/tmp/test_space.XXXXXX";

static void folder(const char *path)
{
  char full[256];

  (void)snprintf(full, sizeof(full), "%s/%s", root, path);
  for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
    *p = '\0';
    (void)mkdir(full, 0700);
    *p = '/';
  }
  (void)mkdir(full, 0700);
}

static void file(const char *path, const char *text)
{
  char full[256];
  FILE *f;

  (void)snprintf(full, sizeof(full), "%s/%s", root, path);
  f = fopen(full, "w");
  if (!f)
    abort();
  (void)fputs(text, f);
  (void)fclose(f);
}

static void remove_all(void)
{
  char command[128];

  (void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
  if (system(command) != 0)
    abort();
}

static void test_memory(void)
{
  struct space s = { NONE, NONE, NONE, 1 };

  if (!mkdtemp(root))
    abort();
  space_look_memory(root, &s);
  OK(s.memory == NONE && s.group == NONE, "nothing to read: not known");

  folder("proc/self");
  folder("sys/fs/cgroup/a/b");
  file("proc/meminfo", "MemTotal:  1000 kB\nMemAvailable:   300 kB\n");
  file("proc/self/cgroup", "0::/a/b\n");
  file("sys/fs/cgroup/a/b/memory.max", "max\n");
  file("sys/fs/cgroup/a/b/memory.current", "1000\n");
  space_look_memory(root, &s);
  OK(s.memory == UINT64_C(300) * 1024, "memory that is available");
  OK(s.group == NONE, "a group without a limit");

  file("sys/fs/cgroup/a/memory.max", "10000\n");
  file("sys/fs/cgroup/a/memory.current", "9000\n");
  OK(cgroup_memory_left(root) == 1000, "the limit of the parent counts");
  file(
    "sys/fs/cgroup/a/memory.stat",
    "anon 10\nfile 8000\nshmem 5000\nactive_file 1000\ninactive_file 2000\n");
  OK(cgroup_memory_left(root) == 4000, "the page cache makes room");
  file("sys/fs/cgroup/a/memory.current", "20000\n");
  file("sys/fs/cgroup/a/memory.stat", "active_file 0\n");
  OK(cgroup_memory_left(root) == 0, "over the limit: nothing is left");

  folder("sys/fs/cgroup/memory/c");
  file("proc/self/cgroup", "3:cpu,memory:/c\n2:memory:/c\n");
  file("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "5000\n");
  file("sys/fs/cgroup/memory/c/memory.usage_in_bytes", "4000\n");
  file("sys/fs/cgroup/memory/c/memory.stat",
       "total_active_file 100\ntotal_inactive_file 200\n");
  OK(cgroup_memory_left(root) == 1300, "the first version of the interface");
  file("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
  OK(cgroup_memory_left(root) == NONE, "its word for no limit");
  remove_all();
}

static void test_look(void)
{
  const struct space here = space_look_at("", ".");
  const struct space nowhere = space_look_at("", "/nowhere/at/all");
  const struct space proc = space_look_at("", "/proc");

  OK(here.disk != NONE && here.block >= 1, "a folder has free space");
  OK(space_free(&nowhere) == NONE, "a folder that does not exist");
  OK(space_free(&proc) == NONE, "a file system without blocks");
}

int main(void)
{
  test_arithmetic();
  test_memory();
  test_look();
  return TAP_EXIT();
}
