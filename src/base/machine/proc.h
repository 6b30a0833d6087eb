/*
 * proc.h - reads files of /proc and /sys. On false, *ret is unchanged.
 */
#ifndef BENCH_MACHINE_PROC_H
#define BENCH_MACHINE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"

/* NULL: missing. */
FILE *proc_open(const char *root, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* The number at the start of a file. */
bool proc_number(uint64_t *ret, const char *root, const char *fmt, ...)
  PRINTF_LIKE(3, 4);

/* The first line. False, and ret "": missing or empty. */
bool proc_line(char *ret, size_t size, const char *root, const char *fmt, ...)
  PRINTF_LIKE(4, 5);

/* Of the first line "KEY : VALUE" or "KEY = VALUE". False, and ret "":
 * missing. */
bool proc_field(const char *root, const char *name, const char *key, char *ret,
                size_t size);

/* Of the first line "KEY NUMBER". */
bool proc_counter(const char *root, const char *name, const char *key,
                  uint64_t *ret);

/* In bytes, of a value in kB such as "Dirty". */
bool proc_meminfo(const char *root, const char *name, uint64_t *ret);

#endif
