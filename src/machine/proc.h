/*
 * proc.h - reads files of /proc and /sys.
 *
 * `root` is put before each path: "" except in tests.
 */
#ifndef BENCH_MACHINE_PROC_H
#define BENCH_MACHINE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

/* Open a file for reading; NULL: there is none. */
FILE *proc_open(const char *root, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Read the number at the start of a file.  False: *ret is left alone. */
bool proc_number(uint64_t *ret, const char *root, const char *fmt, ...)
  PRINTF_LIKE(3, 4);

/* Read the first line without its end; false: it is missing or empty, and ret
 * is "". */
bool proc_line(char *ret, size_t size, const char *root, const char *fmt, ...)
  PRINTF_LIKE(4, 5);

/* Read the value of the first line "KEY : VALUE" or "KEY = VALUE" with this
 * key; false: there is none, and ret is "". */
bool proc_field(const char *root, const char *name, const char *key, char *ret,
                size_t size);

/* Read the number of the first line "KEY NUMBER" with this key.  False: *ret is
 * left alone. */
bool proc_counter(const char *root, const char *name, const char *key,
                  uint64_t *ret);

/* Read a value of /proc/meminfo that is in kB, such as "Dirty", as bytes.
 * False: *ret is left alone. */
bool proc_meminfo(const char *root, const char *name, uint64_t *ret);

#endif
