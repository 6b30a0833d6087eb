/* Until src/loop exists. */
#ifndef BENCH_LUA_ENGINE_FIBER_STANDIN_H
#define BENCH_LUA_ENGINE_FIBER_STANDIN_H
#include <stdbool.h>
#include <stdint.h>
static inline bool fiber_allow(bool may)
{
  (void)may;
  return false;
}
static inline uint64_t fiber_switches(void)
{
  return 0;
}
static inline void fiber_yield(void)
{
}
#endif
