/*
 * coincide_turns.h - by which distances series are turned in a circle: a part
 * of coincide.h.
 */
#ifndef BENCH_STATS_COINCIDE_TURNS_H
#define BENCH_STATS_COINCIDE_TURNS_H

#include <stddef.h>

enum {
  COINCIDE_TURNS = 2048 /* at most */
};

/*
 * The distances from `first` to `last`, which is not below it: all of them, or
 * COINCIDE_TURNS that are spread over them, at no even distances.  `first` is
 * the first one, and none is there twice.  Returns how many they are; `ret` has
 * room for them.
 */
size_t coincide_turns(size_t first, size_t last, size_t *ret);

#endif
