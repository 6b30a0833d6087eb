/*
 * beside.h - files that are found from where the program itself is.
 */
#ifndef BENCH_BASE_BESIDE_H
#define BENCH_BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Write the folder of the running program, links resolved, and `below` behind
 * it as it is: "" or a path that begins with a slash.  Whether there is such a
 * file is for the caller to see.  False, and buf is "": the system does not say
 * where the program is, or the path is too long.
 */
bool beside_program(char buf[PATH_MAX], const char *below);

#endif
