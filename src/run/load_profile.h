/*
 * load_profile.h - the curve that --load-profile stands for: a text, or a file.
 */
#ifndef BENCH_RUN_LOAD_PROFILE_H
#define BENCH_RUN_LOAD_PROFILE_H

struct err;
struct load_curve;
struct optset;
struct run_cfg;

/* -EINVAL: `err` says what was expected; -ENOMEM.  load_curve_free() frees
 * *ret. */
int load_profile_read(struct load_curve **ret, const char *value,
                      struct err *err);

/* Check --load-profile.  Without --time, a run is as long as the profile.
 * -EINVAL, -ENOMEM: `err` has the message. */
int load_profile_settle(const struct run_cfg *cfg, struct optset *set,
                        struct err *err);

#endif
