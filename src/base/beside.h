/*
 * beside.h - files found from where the program itself is.
 */
#ifndef BENCH_BASE_BESIDE_H
#define BENCH_BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Write the folder of the running program, links resolved, and append `below`:
 * "" or a path that begins with a slash. The file need not exist. False, and
 * buf "": the folder is unknown, or the path too long.
 */
bool beside_program(char buf[PATH_MAX], const char *below);

#endif
