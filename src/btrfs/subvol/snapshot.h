#pragma once
#include "btrfs/subvol/catalog.h"

/* With one reference and copies of the names; the rest is zero, to be filled
 * in before anybody else sees it. */
Snapshot *snapshot_new(const char *name, const char *path, const char *leaf_name);
