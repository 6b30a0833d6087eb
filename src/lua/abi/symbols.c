/*
 * symbols.c - the functions in ffi.C of a static program, without a dynamic
 * linker: the script ABI, and usual functions of the C library.  The linker
 * redirects LuaJIT's call to this file (--wrap).
 */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "lua/engine/internal_text.h"

/* clang-format off */
#define FUNCTION(name) { #name, (void (*)(void))(name) }
/* clang-format on */

static const struct internal_function library[] = {
  FUNCTION(abs),       FUNCTION(access),   FUNCTION(calloc),
  FUNCTION(clock),     FUNCTION(close),    FUNCTION(clock_gettime),
  FUNCTION(fclose),    FUNCTION(fflush),   FUNCTION(fopen),
  FUNCTION(fputs),     FUNCTION(fread),    FUNCTION(free),
  FUNCTION(fwrite),    FUNCTION(getenv),   FUNCTION(gethostname),
  FUNCTION(getpid),    FUNCTION(getppid),  FUNCTION(gettimeofday),
  FUNCTION(getuid),    FUNCTION(kill),     FUNCTION(localtime_r),
  FUNCTION(malloc),    FUNCTION(memcmp),   FUNCTION(memcpy),
  FUNCTION(memmove),   FUNCTION(memset),   FUNCTION(mkdir),
  FUNCTION(nanosleep), FUNCTION(poll),     FUNCTION(printf),
  FUNCTION(putenv),    FUNCTION(puts),     FUNCTION(rand),
  FUNCTION(rand_r),    FUNCTION(random),   FUNCTION(read),
  FUNCTION(realloc),   FUNCTION(rmdir),    FUNCTION(setenv),
  FUNCTION(sleep),     FUNCTION(snprintf), FUNCTION(srand),
  FUNCTION(srandom),   FUNCTION(strcmp),   FUNCTION(strerror),
  FUNCTION(strftime),  FUNCTION(strlen),   FUNCTION(strncmp),
  FUNCTION(strtod),    FUNCTION(strtol),   FUNCTION(strtoll),
  FUNCTION(strtoul),   FUNCTION(strtoull), FUNCTION(sysconf),
  FUNCTION(time),      FUNCTION(unlink),   FUNCTION(unsetenv),
  FUNCTION(usleep),    FUNCTION(write),
};

static void (*symbols_find(const struct internal_function *of, size_t n,
                           const char *name))(void)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp(of[i].name, name) == 0)
      return of[i].function;
  return NULL;
}

/* NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's name */
void *__wrap_dlsym(void *handle, const char *name);

void *__wrap_dlsym(void *handle, const char *name)
{
  void (*f)(void) = symbols_find(internal_functions, internal_n_functions,
                                 name);
  void *address;

  (void)handle; /* there is only one library */
  if (!f)
    f = symbols_find(library, ARRAY_SIZE(library), name);
  memcpy(&address, &f, sizeof(address));
  return address;
}

/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
char *__wrap_dlerror(void);

char *__wrap_dlerror(void)
{
  static const char text[] =
    "no such function: a static program opens no libraries, and has the "
    "functions of the script interface and common ones of the C library alone";

  return (char *)(uintptr_t)text; /* callers do not change it */
}
