/*
 * logins.c - a library that is loaded before libpq, and says when libpq logs
 * in.
 */
#include <dlfcn.h>
#include <unistd.h>

typedef void *connect_start(const char *const *keys, const char *const *values,
                            int expand);

__attribute__((visibility("default"))) connect_start PQconnectStartParams;

void *PQconnectStartParams(const char *const *keys, const char *const *values,
                           int expand)
{
  static const char line[] = "libpq logs in\n";
  connect_start *const real = (connect_start *)dlsym(RTLD_NEXT,
                                                     "PQconnectStartParams");

  (void)!write(STDERR_FILENO, line, sizeof(line) - 1);
  return real ? real(keys, values, expand) : NULL;
}
