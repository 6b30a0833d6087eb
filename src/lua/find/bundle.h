/*
 * bundle.h - a script and the modules that it has loaded, as text, so that a
 * process can run the script without its files.
 */
#ifndef BENCH_LUA_FIND_BUNDLE_H
#define BENCH_LUA_FIND_BUNDLE_H

#include <stddef.h>

#include "base/strbuf.h"

struct bundle_module {
  char *name; /* owned; the name for require() */
  char *path; /* owned; for messages */
  struct strbuf text;
};

/* {0} is empty. */
struct bundle {
  struct strbuf script; /* the first line is as source_read() returns it */
  size_t n;
  struct bundle_module *of; /* owned */
};

void bundle_done(struct bundle *b);

/*
 * Add a module, unless it is there; reads the file unless `text` is given.
 * Returns 0 or a negative errno value.
 */
int bundle_add(struct bundle *b, const char *name, const char *path,
               const char *text, size_t len);

/* Find a module; NULL: it is not there. */
const struct bundle_module *bundle_find(const struct bundle *b,
                                        const char *name);

#endif
