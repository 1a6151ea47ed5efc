#pragma once
#include "btrfs/tree/node_store.h"

/*
 * Holds the format->node_size bytes of @block against the format and against
 * what the pointer to it says.  Any thread.
 *   -EBADMSG   wrong checksum
 *   -ESTALE    a block of this file system and address, of another generation
 *   -EUCLEAN   anything else that is not as it must be
 */
int node_verify(const struct node_format *format, const struct node_want *want,
		const uint8_t *block);

/* In words, why node_verify() refuses the block.  Static. */
const char *node_fault(const struct node_format *format, const struct node_want *want,
		       const uint8_t *block);

/* The generation that the block's header claims. */
uint64_t node_block_generation(const uint8_t *block);

/* Whether a block that is sound in itself is the one that is wanted:
 * -EUCLEAN if its level or first key are others. */
int node_match(const Node *node, const struct node_want *want);
