/*
 * env_file.h - one-line files of the kernel.  Only for env_*.c.
 */
#ifndef BENCH_RESULTS_ENV_FILE_H
#define BENCH_RESULTS_ENV_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The first line, without its end; false: there is none, and ret is "". */
bool env_line(const char *root, const char *name, char *ret, size_t size);

/*
 * From a file of lines "KEY : VALUE" or "KEY = VALUE": the value of the first
 * line with this key.
 */
bool env_field(const char *root, const char *name, const char *key, char *ret,
               size_t size);

#endif
