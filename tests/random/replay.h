#pragma once
#include <stdbool.h>

/*
 * Carries out histories.  A history is text, an operation a line, words
 * separated by single spaces; paths are relative to the subvolume at hand
 * ("in NAME"), special characters as %XX.  An operation that fails is passed
 * over, so that any part of a history is a history.
 */
struct replay_options {
	const char *dir; /* where the top of a btrfs is mounted */
	bool verbose;	 /* say which operations failed */
};

/* 0, or a negative errno where nothing can go on (said on stderr): a subvolume
 * cannot be made or entered, the file system not mounted again. */
int replay(const struct replay_options *options, const char *history);
