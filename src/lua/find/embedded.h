/*
 * embedded.h - the bundled scripts in the program itself
 * (--enable-static-program), in a folder that exists in no file system.
 */
#ifndef BENCH_LUA_FIND_EMBEDDED_H
#define BENCH_LUA_FIND_EMBEDDED_H

#include <stddef.h>

/* A slash and the path below the folder of the bundled scripts follow. */
#define EMBEDDED_FOLDER "embedded:"

struct embedded_script {
  const char *path; /* relative to the folder */
  const char *text;
  size_t len;
};

/* Empty without --enable-static-program.  `path` of the last entry is NULL. */
extern const struct embedded_script embedded_scripts[];

/* Or NULL. */
const struct embedded_script *embedded_find(const char *path);

#endif
