/*
 * fuzz.h - what fuzz targets, the fuzzer and the replay of corpora share.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* The name is libFuzzer's.  Returns 0; a finding is a crash. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that was broken is a finding, also without assert(). */
#define MUST(what) \
  do {             \
    if (!(what))   \
      abort();     \
  } while (0)

/*
 * fake_socket.c - a server that says what the input says: the functions of
 * base/sock.h serve this descriptor without a system call.
 */
enum {
  FAKE_SOCKET = 1 << 30
};

/* What the server says, at most `piece` > 0 bytes at once; then it hangs up. */
void fake_socket_says(const uint8_t *data, size_t size, size_t piece);

/* Read all the bytes, so that those that must not be read are found. */
unsigned fuzz_touch(const void *bytes, size_t len);

#endif
