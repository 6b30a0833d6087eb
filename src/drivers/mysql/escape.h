/*
 * escape.h - escapes text for a literal, without the client library.
 */
#ifndef BENCH_DRIVERS_MYSQL_ESCAPE_H
#define BENCH_DRIVERS_MYSQL_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Escape for text inside '...', as mysql_real_escape_string() does for valid
 * text in a character set in which no byte of a longer character is a quote or
 * a backslash: utf8, latin1, ascii, binary.  `plain`: the server reads a
 * backslash as a character (NO_BACKSLASH_ESCAPES).  `to` has room for twice the
 * length; returns what was written.
 */
size_t mysqld_escape(bool plain, char *to, const char *text, size_t len);

/* Is this the name of such a character set? */
bool mysqld_escape_fits(const char *charset);

#endif
