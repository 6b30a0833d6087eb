/*
 * live_text.h - the page of --live, as text that the build puts into the
 * program.
 */
#ifndef BENCH_RESULTS_LIVE_TEXT_H
#define BENCH_RESULTS_LIVE_TEXT_H

extern const char live_page[]; /* live.html */

#endif
