/*
 * place.h - finds out where a thread runs, and which caches and nodes exist.
 *
 * Files are read below `root`, which is "" for the real system.
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

/*
 * What the system reports about the data caches of a processor, the smallest
 * first.
 */
struct place_caches {
  unsigned n; /* 0: nothing is reported */
  struct {
    unsigned level;
    uint64_t bytes;
  } of[PLACE_LEVELS_MAX];
  unsigned line_bytes; /* 64 if nothing is reported */
};

/* Nodes that have memory. */
struct place_nodes {
  unsigned n; /* 0: the system has no nodes */
  struct {
    int id;
    int cpu; /* first allowed one of the node; -1: none */
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

/*
 * Processors about which the system reports nothing count as on the same
 * socket.
 */
enum place_relation place_relate(const char *root, int cpu, int other);

/* Sum of the last caches of these processors; 0: not known. */
uint64_t place_last_caches(const char *root, const struct place_cpus *cpus);

/* Is `n` in a list such as "0-3,8"? */
bool place_list_has(const char *list, int n);

/* Pin the calling thread to that processor. */
int place_pin(int cpu, struct err *err);

/* How often the calling thread had to leave its processor; 0 if the system does
 * not report it. */
long place_switches(void);

#endif
