/*
 * bundle.h - a script and the modules that it has loaded, as text, so that a
 * process can run the script without files.
 */
#ifndef BENCH_LUA_FIND_BUNDLE_H
#define BENCH_LUA_FIND_BUNDLE_H

#include <stddef.h>

#include "base/strbuf.h"

struct bundle_module {
  char *name; /* owned; for require() */
  char *path; /* owned; for messages */
  struct strbuf text;
};

/* {0} is empty. */
struct bundle {
  struct strbuf script; /* as source_read() returns it */
  size_t n;
  struct bundle_module *of; /* owned */
};

void bundle_done(struct bundle *b);

/*
 * Unless the module is there; reads the file unless `text` is given.  0 or a
 * negative errno value.
 */
int bundle_add(struct bundle *b, const char *name, const char *path,
               const char *text, size_t len);

/* Or NULL. */
const struct bundle_module *bundle_find(const struct bundle *b,
                                        const char *name);

#endif
