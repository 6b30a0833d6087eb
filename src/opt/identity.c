#include "opt/identity.h"

#include <string.h>

enum identity identity_of(const char *argv0)
{
  const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
  const char *name = slash ? slash + 1 : argv0;

  return name && strcmp(name, "sysbench") == 0 ? IDENTITY_SYSBENCH
                                               : IDENTITY_BENCH;
}

const char *identity_name(enum identity id)
{
  return id == IDENTITY_SYSBENCH ? "sysbench" : "bench";
}

const char *identity_version(enum identity id, enum compat level)
{
  if (id == IDENTITY_BENCH)
    return "bench " PACKAGE_VERSION;
  return level == COMPAT_1_1 ? "sysbench 1.1.0" : "sysbench 1.0.20";
}
