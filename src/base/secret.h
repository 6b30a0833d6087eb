/*
 * secret.h - replaces passwords by "***" in text that is shown.
 *
 * Passwords are recognized in:
 *
 *   - a URL anywhere in the text: scheme://user:PASSWORD@host,
 *     and parameters of a URL: ?password=PASSWORD;
 *   - a keyword anywhere that ends with "password", "passwd" or "pwd", with `=`
 *     and a value, quoted or not: password=PASSWORD, sslpassword = 'PASS WORD';
 *   - a text that is user:PASSWORD@host and nothing else.
 *
 * When it is unclear where a password ends, too much is hidden.
 */
#ifndef BENCH_BASE_SECRET_H
#define BENCH_BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

#define SECRET_SHOWN "***"

/* Appends `text` without its passwords. */
void secret_redact(const char *text, struct strbuf *out);

bool secret_is_in(const char *text);

/* The first line, without its end; text[len] must be writable. NULL: empty, or
 * with a zero byte. */
char *secret_first_line(char *text, size_t len);

#endif
