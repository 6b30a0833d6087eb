/*
 * script_opts.h - the options of all scripts.
 */
#ifndef BENCH_LUA_ENGINE_SCRIPT_OPTS_H
#define BENCH_LUA_ENGINE_SCRIPT_OPTS_H

#include "opt/opt.h"

struct script_cfg {
  const char *luajit_cmd; /* "": none was given */
};

extern const struct opt script_opts[];

#endif
