/*
 * beside.h - finds files relative to the running program.
 */
#ifndef BENCH_BASE_BESIDE_H
#define BENCH_BASE_BESIDE_H

#include <limits.h>
#include <stdbool.h>

/* The program's folder, links resolved, with `below` ("" or a path that begins
 * with a slash) appended. False, and buf "": unknown, or too long. */
bool beside_program(char buf[PATH_MAX], const char *below);

#endif
