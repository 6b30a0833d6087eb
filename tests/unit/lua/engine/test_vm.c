/*
 * test_vm.c - clients that share a Lua state share its code and nothing else.
 */
#include "tests/unit/lua/vm_rig.h"

int main(void)
{
  struct rig r;
  char text[256];
  struct err err={""};
  rig_init(&r);
  rig_start(&r, "x = sysbench.tid * 10\nfunction f(t) y = (y or 0) + x + t end print('hi', sysbench.tid, thread_id)", 3);
  for (int i = 0; i < 3; i++) rig_must(&r, i, "f");
  for (int i = 0; i < 3; i++) printf("# %s\n", rig_text(&r, i, "y", text));
  rig_done(&r);
  {
  struct timespec a, b;
  rig_init(&r);
  clock_gettime(CLOCK_MONOTONIC, &a);
  unsigned n = getenv("N") ? atoi(getenv("N")) : 1000;
  int rc = rig_start_file(&r, getenv("S") ? getenv("S"): "/work/wt/luavm/src/lua/scripts/oltp_read_write.lua", n, &err);
  printf("# %d %s\n", rc, err.text);
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("# us per client %f\n", ((b.tv_sec-a.tv_sec)*1e6+(b.tv_nsec-a.tv_nsec)/1e3)/n);
  lua_gc(r.vm->L, LUA_GCCOLLECT, 0);
  printf("# KiB per client %f\n", (lua_gc(r.vm->L, LUA_GCCOUNT, 0))/(double)n);
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (unsigned i = 0; i < n; i++) rig_must(&r, i, "thread_init");
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("# us per thread_init %f\n", ((b.tv_sec-a.tv_sec)*1e6+(b.tv_nsec-a.tv_nsec)/1e3)/n);
  lua_gc(r.vm->L, LUA_GCCOLLECT, 0);
  printf("# KiB per client %f\n", (lua_gc(r.vm->L, LUA_GCCOUNT, 0))/(double)n);
  for (int j = 0; j < 10; j++)
  for (unsigned i = 0; i < n; i++) rig_must(&r, i, "event");
  lua_gc(r.vm->L, LUA_GCCOLLECT, 0);
  printf("# KiB per client %f\n", (lua_gc(r.vm->L, LUA_GCCOUNT, 0))/(double)n);
  rig_done(&r);
  }
  OK(1, "done");
  return TAP_EXIT();
}
