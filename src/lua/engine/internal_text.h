/*
 * internal_text.h - the program's own Lua modules and the script ABI: text that
 * the build generates.
 */
#ifndef BENCH_LUA_ENGINE_INTERNAL_TEXT_H
#define BENCH_LUA_ENGINE_INTERNAL_TEXT_H

#include <stddef.h>

enum {
  INTERNAL_MODULES = 24,
  INTERNAL_DECLARATIONS = 256,
};

struct internal_module {
  const char *name;
  const char *text;
  size_t len;
  const unsigned char *needs;
  size_t n_needs;
};

extern const struct internal_module internal_modules[INTERNAL_MODULES];

/* Of base/ffi_api.h, for ffi.cdef; each needs only earlier ones. */
struct internal_declaration {
  const char *name;
  const char *text;
};

extern const struct internal_declaration internal_declarations[];
extern const size_t internal_n_declarations;

/* This list links the functions for scripts into every program that creates
 * Lua states. */
struct internal_function {
  const char *name;
  void (*function)(void);
};

extern const struct internal_function internal_functions[];
extern const size_t internal_n_functions;

#endif
