/*
 * marks.h - what the experimenter did during a run: moments with a text, on the
 * time axis of all outputs.
 *
 * One thread adds marks; any thread may read those that marks_count() has
 * counted.  All functions accept NULL, which has no marks.
 */
#ifndef BENCH_REPORT_MARKS_H
#define BENCH_REPORT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct marks;

enum {
  MARKS_MAX = 1000, /* further ones are only counted */
  MARK_TEXT = 256,  /* bytes, with the terminator; longer texts are cut */
};

struct marks *marks_new(void); /* NULL: not enough memory */
void marks_free(struct marks *m);

/* Times count from here on.  Called before the first mark. */
void marks_begin(struct marks *m, uint64_t base_ns);

/* Add what was written in one line.  The text becomes valid UTF-8 without
 * control characters.  A line of blanks is no mark; false: none was kept. */
bool marks_add(struct marks *m, const char *line, size_t len, uint64_t now_ns);

/* Mark i is older than mark i + 1. */
unsigned marks_count(const struct marks *m);
const char *mark_text(const struct marks *m, unsigned i);
/* Since the measured start; below 0: in the warm-up. */
double mark_at_s(const struct marks *m, unsigned i);
/* The number of marks up to this moment of the program's clock. */
unsigned marks_until(const struct marks *m, uint64_t at_ns);

/* Those that were not kept, because there were too many. */
uint64_t marks_lost(const struct marks *m);

#endif
