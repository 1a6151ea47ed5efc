# A part per folder, lowest layer first.  lib_X is an archive and all it
# stands on; a folder may use those above its line (build-aux/check-layers).
include src/base/local.mk
include src/btrfs/codec/local.mk
include src/btrfs/ondisk/local.mk
include src/btrfs/volume/local.mk
include src/btrfs/tree/local.mk
include src/btrfs/fs/local.mk
include src/btrfs/backref/local.mk
include src/btrfs/extent/local.mk
include src/btrfs/subvol/local.mk
include src/btrfs/inode/local.mk
include src/compare/local.mk
include src/send/wire/local.mk
include src/send/order/local.mk
include src/send/plan/local.mk
include src/send/stream/local.mk
include src/view/local.mk

bin_PROGRAMS += sendfs
sendfs_SOURCES = src/main.c
sendfs_LDADD = $(lib_view)
