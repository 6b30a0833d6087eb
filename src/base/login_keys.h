/*
 * login_keys.h - keys that logins have computed, for all sessions.
 */
#ifndef BENCH_BASE_LOGIN_KEYS_H
#define BENCH_BASE_LOGIN_KEYS_H

#include <stdatomic.h>
#include <stdint.h>

enum {
  LOGIN_KEYS = 4
};

/* The keys of scram.h, owned by the struct's owner. A place is filled once, in
 * order; its keys then stay. */
struct login_keys {
  _Atomic(void *) of[LOGIN_KEYS];
  _Atomic uint32_t busy; /* futex: a name of the keys that a thread computes,
                            while others that need the same wait; 0: none */
};

#endif
