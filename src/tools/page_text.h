/*
 * page_text.h - the style and the script of pages, as text that the build puts
 * into the program.
 */
#ifndef BENCH_TOOLS_PAGE_TEXT_H
#define BENCH_TOOLS_PAGE_TEXT_H

extern const char page_style[];  /* page.css */
extern const char page_script[]; /* page.js */

#endif
