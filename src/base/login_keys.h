/*
 * login_keys.h - keys that logins have computed, for all sessions.
 */
#ifndef BENCH_BASE_LOGIN_KEYS_H
#define BENCH_BASE_LOGIN_KEYS_H

#include <stdatomic.h>
#include <stdint.h>

enum {
  LOGIN_KEYS = 4 /* of servers, passwords */
};

/*
 * The keys are those of scram.h.  A place is filled once, from the first one
 * on; its keys then stay as they are.  Whoever owns the places frees them.
 */
struct login_keys {
  _Atomic(void *) of[LOGIN_KEYS];
  _Atomic uint32_t busy; /* futex: a name of the keys that somebody computes,
                          * for those who wait for the same; 0: nobody does */
};

#endif
