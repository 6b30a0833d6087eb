/*
 * test_writeback.c - what --settle may say, and when a machine is calm.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/machine/proc.h"
#include "run/options.h"
#include "run/writeback.h"
#include "tests/unit/tap.h"

#define MIB (UINT64_C(1) << 20)

static void test_parse(void)
{
  static const struct {
    const char *text;
    enum writeback_kind kind;
    double seconds;
  } good[] = {
    { "", WRITEBACK_NONE, 0 },
    { "60s", WRITEBACK_TIME, 60 },
    { "0.5", WRITEBACK_TIME, 0.5 },
    { "writeback", WRITEBACK_LOW, 300 },
    { "writeback:90s", WRITEBACK_LOW, 90 },
  };
  static const char *const bad[] = { "0",       "-1",         "x",
                                     "90000s",  "writeback:", "writeback:x",
                                     "writeba", "writebacks", "writeback:0" };

  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    struct writeback_wish w = { WRITEBACK_TIME, -1 };

    OK(writeback_wish_parse(good[i].text, &w) == 0 && w.kind == good[i].kind &&
         w.seconds == good[i].seconds,
       good[i].text);
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    struct writeback_wish w = { WRITEBACK_TIME, -1 };

    OK(writeback_wish_parse(bad[i], &w) < 0 && w.seconds == -1, bad[i]);
  }
}

/* The number of readings until it is calm, or 0. */
static unsigned calm_after(const unsigned *mib, unsigned n)
{
  struct writeback c = { .n = 0 };

  for (unsigned i = 0; i < n; i++) {
    if (writeback_add(&c, mib[i] * MIB))
      return i + 1;
  }
  return 0;
}

static void test_calm(void)
{
  static const unsigned calm[] = { 1, 2, 0, 3, 2 };
  static const unsigned falling[] = { 900, 500, 200, 60, 40, 20, 16, 14, 13 };
  static const unsigned high[] = { 70, 70, 70, 70, 70, 70, 70, 70 };
  static const unsigned restless[] = { 1, 20, 1, 20, 1, 20, 1, 20 };
  static const unsigned brief[] = { 1, 1, 1, 1, 30, 1, 1, 1, 1, 1 };

  OK(calm_after(calm, 5) == 5, "five readings that are low and steady");
  OK(calm_after(calm, 4) == 0, "not fewer");
  OK(calm_after(falling, 8) == 0 && calm_after(falling, 9) == 0,
     "not while it still falls");
  OK(calm_after(high, 8) == 0, "steady, but not low");
  OK(calm_after(restless, 8) == 0, "low, but not steady");
  OK(calm_after(brief, 10) == 10, "from the last disturbance on");
}

static void test_meminfo(void)
{
  char root[] = "/tmp/bench-calm-XXXXXX", path[64];
  uint64_t bytes = 7;
  FILE *f;

  MUST(mkdtemp(root));
  OK(!proc_meminfo(root, "Dirty", &bytes) && bytes == 7, "there is no file");
  (void)snprintf(path, sizeof(path), "%s/proc", root);
  MUST(mkdir(path, 0700) == 0);
  (void)snprintf(path, sizeof(path), "%s/proc/meminfo", root);
  f = fopen(path, "w");
  MUST(f);
  (void)fputs("MemFree:  9 kB\nWritebackTmp:  5 kB\nDirty:   12 kB\n"
              "Writeback:       3 kB\n",
              f);
  (void)fclose(f);
  OK(proc_meminfo(root, "Dirty", &bytes) && bytes == 12 * 1024, "in bytes");
  OK(proc_meminfo(root, "Writeback", &bytes) && bytes == 3 * 1024,
     "not one whose name only begins like it");
  OK(!proc_meminfo(root, "NFS_Unstable", &bytes), "a figure that is not there");
  (void)remove(path);
  (void)snprintf(path, sizeof(path), "%s/proc", root);
  (void)remove(path);
  (void)remove(root);
}

int main(void)
{
  test_parse();
  test_calm();
  test_meminfo();
  return TAP_EXIT();
}
