/*
 * page_text.h - style and scripts of pages, which the build puts into the
 * program.
 */
#ifndef BENCH_RESULTS_PAGE_TEXT_H
#define BENCH_RESULTS_PAGE_TEXT_H

extern const char page_style[];  /* page.css */
extern const char page_charts[]; /* charts.js */
extern const char page_script[]; /* page.js */
extern const char page_live[];   /* live.js */

#endif
