/*
 * kinds.h - the kinds of files, each in a file of its own.
 */
#ifndef BENCH_VERIFY_KINDS_H
#define BENCH_VERIFY_KINDS_H

#include "verify/verify.h"

extern const struct verify_kind verify_acks, verify_lists, verify_registers;

#endif
