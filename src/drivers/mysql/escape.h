/*
 * escape.h - escapes text for a literal, without the client library.
 */
#ifndef BENCH_DRIVERS_MYSQL_ESCAPE_H
#define BENCH_DRIVERS_MYSQL_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * As mysql_real_escape_string() inside '...', for utf8, latin1, ascii and
 * binary. `plain`: NO_BACKSLASH_ESCAPES.  `to` has twice the length; returns
 * the bytes written.
 */
size_t mysqld_escape(bool plain, char *to, const char *text, size_t len);

/* One of these character sets? */
bool mysqld_escape_fits(const char *charset);

#endif
