/*
 * utf8.h - characters in text that may be invalid.
 */
#ifndef BENCH_BASE_UTF8_H
#define BENCH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* Of the first character, 1 to 4; 0: invalid, or an empty text. */
unsigned utf8_length(const char *text);

bool utf8_is_valid(const char *text);

/* How many of the first `max` bytes, without an incomplete character at their
 * end. */
size_t utf8_cut(const char *text, size_t max);

/* The same for `len` bytes without a terminator. */
size_t utf8_whole(const char *text, size_t len);

/*
 * Appends text so that a terminal only shows it: control characters, also those
 * of C1, and marks that reorder text become escapes (\n, \x1b, \u202e), but
 * those in `keep`. Invalid UTF-8 stays, unless a terminal could take it for C1.
 */
void utf8_add_shown(struct strbuf *out, const char *text, size_t len,
                    const char *keep);

/* For invalid text. */
void utf8_add_latin1(struct strbuf *out, char byte);

#endif
