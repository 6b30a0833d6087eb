/*
 * json_model.h - a second reader of JSON, which compares what it reads with a
 * tree.
 */
#ifndef TESTS_FUZZ_JSON_MODEL_H
#define TESTS_FUZZ_JSON_MODEL_H

#include <jansson.h>
#include <stdbool.h>

/* The text is valid JSON and says what the tree says: members in any order,
 * real numbers to 14 digits. */
bool json_model_same(const char *text, const json_t *tree);

#endif
