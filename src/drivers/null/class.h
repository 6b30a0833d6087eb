/*
 * class.h - what kind of statement a text is.
 */
#ifndef BENCH_DRIVERS_NULL_CLASS_H
#define BENCH_DRIVERS_NULL_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "db/driver.h"

struct null_word {
  char text[9]; /* in capitals, followed by zeroes */
  uint8_t len;
  bool sets_trx;
  enum trx_state trx;
  enum counter counter;
};

/* Classify by the first word, skipping comments; never NULL. */
const struct null_word *null_classify(const char *sql, size_t len);

#endif
