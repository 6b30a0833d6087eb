/*
 * utf8.h - characters in text that may be anything.
 */
#ifndef BENCH_BASE_UTF8_H
#define BENCH_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* The length of the character that the text begins with, 1 to 4 bytes; 0: it
 * ends here, or this is no valid UTF-8. */
unsigned utf8_length(const char *text);

/* Is all of it valid? */
bool utf8_is_valid(const char *text);

/* How many of the first `max` bytes there are, without the beginning of a
 * character that goes on behind them. */
size_t utf8_cut(const char *text, size_t max);

/* The same where the text has no terminator and ends after `len` bytes: how
 * many there are without the beginning of a character at their end. */
size_t utf8_whole(const char *text, size_t len);

/*
 * Appends text of others so that a terminal shows it and does nothing else:
 * control characters, those of C1 and marks that reorder what follows become
 * \n, \x1b or \u202e.  Those in `keep` stay; what is no valid UTF-8 does, too,
 * unless a terminal may take it for C1.
 */
void utf8_add_shown(struct strbuf *out, const char *text, size_t len,
                    const char *keep);

/* Appends a byte as the character of Latin-1 that it is: what becomes of text
 * that is not valid. */
void utf8_add_latin1(struct strbuf *out, char byte);

#endif
