/*
 * merge_classes.h - adds up classes of operations of several ranks, by name.
 */
#ifndef BENCH_CLUSTER_MERGE_CLASSES_H
#define BENCH_CLUSTER_MERGE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

struct class_report;
struct unpack;

/* {0} is empty. */
struct merge_classes {
  unsigned n, room;
  struct class_report *of; /* owned; name and hist are owned, too */
};

void merge_classes_done(struct merge_classes *s);

/* Set all numbers to 0.  Names and memory are kept, because the next report has
 * the same classes. */
void merge_classes_clear(struct merge_classes *s);

/* Add the classes that were packed.  Returns 0 or -ENOMEM. */
int merge_classes_add(struct merge_classes *s, struct unpack *u);

/* Add the smallest and largest value; 0 events have neither. */
static inline void merge_limits(uint64_t *min_ns, uint64_t *max_ns, bool first,
                                uint64_t min, uint64_t max)
{
  if (first || min < *min_ns)
    *min_ns = min;
  if (max > *max_ns)
    *max_ns = max;
}

#endif
