/*
 * beside.h - files found from where the program itself is.
 */
#ifndef BENCH_BASE_BESIDE_H
#define BENCH_BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/*
 * The folder of the running program, links resolved, with `below` appended: ""
 * or a path that begins with a slash. False, and buf "": unknown, or too long.
 */
bool beside_program(char buf[PATH_MAX], const char *below);

#endif
