/*
 * script_opts.c - the options of all scripts.
 */
#include "lua/engine/script_opts.h"

const struct opt script_opts[] = {
  {
    OPT_STRING(struct script_cfg, luajit_cmd),
    .name = "luajit-cmd",
    .help = "LuaJIT engine control command, as for luajit -j",
    .man = "The option is for Lua scripts only. Other tests have no LuaJIT and "
           "ignore it with a warning.",
  },
  OPT_END,
};
