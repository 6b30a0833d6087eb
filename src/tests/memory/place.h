/*
 * place.h - where a thread runs, and which caches and nodes are there.
 *
 * Files are read below `root`, which is "" for the system itself.
 */
#ifndef BENCH_TESTS_MEMORY_PLACE_H
#define BENCH_TESTS_MEMORY_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum {
  PLACE_CPUS_MAX = 1024,
  PLACE_LEVELS_MAX = 5,
  PLACE_NODES_MAX = 64,
};

/* Processors on which the process may run, in ascending order. */
struct place_cpus {
  unsigned n; /* at least 1 */
  int of[PLACE_CPUS_MAX];
};

/* What the system says about the data caches of a processor, the smallest
 * first. */
struct place_caches {
  unsigned n; /* 0: it says nothing */
  struct {
    unsigned level;
    uint64_t bytes;
  } of[PLACE_LEVELS_MAX];
  unsigned line_bytes; /* 64 if it says nothing */
};

/* Nodes that have memory. */
struct place_nodes {
  unsigned n; /* 0: the system has no nodes */
  struct {
    int id;
    int cpu; /* the first allowed one of the node; -1: none */
  } of[PLACE_NODES_MAX];
};

/* How near two processors are to each other. */
enum place_relation {
  PLACE_SAME_CORE, /* hardware threads */
  PLACE_SAME_SOCKET,
  PLACE_OTHER_SOCKET,
  PLACE_RELATIONS,
};

void place_find_cpus(struct place_cpus *ret);
void place_find_caches(const char *root, int cpu, struct place_caches *ret);
void place_find_nodes(const char *root, const struct place_cpus *cpus,
                      struct place_nodes *ret);

/* What the system does not say counts as the same socket. */
enum place_relation place_relate(const char *root, int cpu, int other);

/* Sum of the last caches that these processors have; 0: not known. */
uint64_t place_last_caches(const char *root, const struct place_cpus *cpus);

/* Numbers of a list such as "0-3,8": is `n` among them? */
bool place_list_has(const char *list, int n);

/* The calling thread runs on that processor alone from now on. */
int place_pin(int cpu, struct err *err);

#endif
