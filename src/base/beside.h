/*
 * beside.h - files that are found from where the program itself is.
 */
#ifndef BENCH_BASE_BESIDE_H
#define BENCH_BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/*
 * Write the folder of the running program, with links resolved, and append
 * `below` as it is: "" or a path that begins with a slash.  The caller finds
 * out whether there is such a file.  Returns false, and buf is "", if the
 * system does not say where the program is, or if the path is too long.
 */
bool beside_program(char buf[PATH_MAX], const char *below);

#endif
