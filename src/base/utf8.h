/*
 * utf8.h - characters in text that may be anything.
 */
#ifndef BENCH_BASE_UTF8_H
#define BENCH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* The length of the first character of the text, 1 to 4 bytes; 0: the text is
 * empty, or it does not begin with valid UTF-8. */
unsigned utf8_length(const char *text);

/* Is the whole text valid? */
bool utf8_is_valid(const char *text);

/* How many of the first `max` bytes there are, without an incomplete character
 * at their end. */
size_t utf8_cut(const char *text, size_t max);

/* The same for a text that has no terminator and ends after `len` bytes. */
size_t utf8_whole(const char *text, size_t len);

/*
 * Append text from outside the program so that a terminal shows it and does
 * nothing else.  Control characters, those of C1 and marks that reorder what
 * follows become
 * , \x1b or \u202e.  Those in `keep` stay.  Invalid UTF-8 stays as well, unless
 * a terminal may take it for C1.
 */
void utf8_add_shown(struct strbuf *out, const char *text, size_t len,
                    const char *keep);

/* Append a byte as the Latin-1 character that it is.  This is done with text
 * that is not valid. */
void utf8_add_latin1(struct strbuf *out, char byte);

#endif
