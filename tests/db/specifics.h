/*
 * specifics.h - the table of what differs between databases.
 */
#ifndef TESTS_DB_SPECIFICS_H
#define TESTS_DB_SPECIFICS_H

#include "suite.h"

/* Ends with a row without a driver. */
extern const struct specifics all_specifics[];

#endif
