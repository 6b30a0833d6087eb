/*
 * place.h - CPUs on which threads can run, caches and nodes. `root` is put
 * before paths: "" except in tests.
 */
#ifndef BENCH_TESTS_PLACE_H
#define BENCH_TESTS_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum {
  PLACE_CPUS_MAX = 1024,
  PLACE_LEVELS_MAX = 5,
  PLACE_NODES_MAX = 64,
};

/* Where the process may run, in ascending order. */
struct place_cpus {
  unsigned n;
  int of[PLACE_CPUS_MAX];
};

/* The data caches of a CPU, smallest first. */
struct place_caches {
  unsigned n; /* 0: unknown */
  struct {
    unsigned level;
    uint64_t bytes;
  } of[PLACE_LEVELS_MAX];
  unsigned line_bytes; /* 64 if unknown */
};

struct place_nodes {
  unsigned n; /* 0: the system has no nodes */
  struct {
    int id;
    int cpu; /* the first allowed one; -1: none */
  } of[PLACE_NODES_MAX];
};

enum place_relation {
  PLACE_SAME_CORE,
  PLACE_SAME_SOCKET,
  PLACE_OTHER_SOCKET,
  PLACE_RELATIONS,
};

void place_find_cpus(struct place_cpus *ret);
void place_find_caches(const char *root, int cpu, struct place_caches *ret);
void place_find_nodes(const char *root, const struct place_cpus *cpus,
                      struct place_nodes *ret);

/* Unknown CPUs count as on the same socket. */
enum place_relation place_relate(const char *root, int cpu, int other);

/* The sum of the last caches; 0: unknown. */
uint64_t place_last_caches(const char *root, const struct place_cpus *cpus);

/* Is `n` in a list such as "0-3,8"? */
bool place_list_has(const char *list, int n);

/* Pins the calling thread, as `option` needs. */
int place_pin(int cpu, const char *option, struct err *err);

/* How often the calling thread lost its CPU; 0 if unknown. */
long place_switches(void);

/* Cores and their hardware threads: the first of all cores, then the second
 * ones, and so on. */
struct topology {
  unsigned cpus;
  unsigned cores;
  int cpu[PLACE_CPUS_MAX]; /* the first `cores` are on different cores */
};

/* `cpu` is in ascending order. An unknown CPU counts as a core. */
void topology_of(const char *root, const int *cpu, unsigned n,
                 struct topology *ret);

/* Of all on which the process may run. */
void topology_find(struct topology *ret);

#endif
