/*
 * test_topology.c - cores and hardware threads as the system describes
 * them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/place.h"
#include "tests/unit/tap.h"

static char root[] = "/tmp/bench-topology-XXXXXX";

static void put_siblings(int cpu, const char *list)
{
  char path[256];
  FILE *f;

  (void)snprintf(path, sizeof(path),
                 "mkdir -p '%s/sys/devices/system/cpu/cpu%d/topology'", root,
                 cpu);
  MUST(system(path) == 0);
  (void)snprintf(path, sizeof(path),
                 "%s/sys/devices/system/cpu/cpu%d/topology/"
                 "thread_siblings_list",
                 root, cpu);
  f = fopen(path, "w");
  MUST(f);
  (void)fputs(list, f);
  MUST(fclose(f) == 0);
}

static bool is_order(const struct topology *t, const int *want)
{
  return memcmp(t->cpu, want, t->cpus * sizeof(*want)) == 0;
}

/* Two cores with neighbouring numbers, one with distant ones, one that is
 * unknown. */
static void test_of(void)
{
  static const int all[] = { 0, 1, 2, 3, 4, 7, 9 };
  static const int order[] = { 0, 2, 4, 9, 1, 3, 7 };
  static const int some[] = { 1, 3 };
  static const int one[] = { 2, 3 };
  struct topology t;

  put_siblings(0, "0-1\n");
  put_siblings(1, "0-1\n");
  put_siblings(2, "2,3\n");
  put_siblings(3, "2,3\n");
  put_siblings(4, "4,7\n");
  put_siblings(7, "4,7\n");
  topology_of(root, all, 7, &t);
  OK(t.cpus == 7 && t.cores == 4, "cores are counted once");
  OK(is_order(&t, order), "the first threads of all cores come first");
  topology_of(root, some, 2, &t);
  OK(t.cpus == 2 && t.cores == 2 && is_order(&t, some),
     "a sibling that may not be used does not count");
  topology_of(root, one, 2, &t);
  OK(t.cpus == 2 && t.cores == 1 && is_order(&t, one), "both on one core");
}

static void test_find(void)
{
  struct topology t;

  topology_find(&t);
  OK(t.cpus >= 1 && t.cores >= 1 && t.cores <= t.cpus, "those of this machine");
}

int main(void)
{
  char command[64];

  MUST(mkdtemp(root));
  test_of();
  test_find();
  (void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
  MUST(system(command) == 0);
  return TAP_EXIT();
}
