/*
 * kind_list.c - the kinds of files that `bench verify` judges.
 */
#include "verify/verify.h"

const struct verify_kind *const verify_kinds[] = { &verify_lists,
                                                   &verify_registers, NULL };
