/*
 * wait.h - sleeps until a word changes or a moment comes.
 */
#ifndef BENCH_BASE_WAIT_H
#define BENCH_BASE_WAIT_H

#include <stdatomic.h>
#include <stdint.h>

#define WAIT_FOREVER UINT64_MAX

/* Sleeps while *word == value, until `until_ns` of clock_now_ns(). Can return
 * early. */
void wait_while(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns);

/* Store the new value before calling. */
void wait_wake_all(_Atomic uint32_t *word);

#endif
