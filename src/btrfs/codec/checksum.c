#include "btrfs/codec/checksum.h"
#include <gcrypt.h>
#include <glib.h>
#include <isa-l/crc.h>
#include <limits.h>
#include <linux/btrfs_tree.h>
#include <pthread.h>
#include <xxhash.h>

static const struct {
	const char *name;
	unsigned len;
} checksums[] = {
	[BTRFS_CSUM_TYPE_CRC32] = { "crc32c", 4 },
	[BTRFS_CSUM_TYPE_XXHASH] = { "xxhash64", 8 },
	[BTRFS_CSUM_TYPE_SHA256] = { "sha256", 32 },
	[BTRFS_CSUM_TYPE_BLAKE2] = { "blake2b", 32 },
};

unsigned checksum_len(uint16_t type)
{
	return type < G_N_ELEMENTS(checksums) ? checksums[type].len : 0;
}

const char *checksum_name(uint16_t type)
{
	return type < G_N_ELEMENTS(checksums) ? checksums[type].name : NULL;
}

uint32_t crc32c_bare(uint32_t crc, const void *data, size_t len)
{
	/* ISA-L neither changes the data nor takes more than an int of it. */
	unsigned char *at = (unsigned char *)(uintptr_t)data;

	while (len > 0) {
		int step = (int)MIN(len, (size_t)INT_MAX & ~(size_t)63);

		crc = crc32_iscsi(at, step, crc);
		at += step;
		len -= (size_t)step;
	}
	return crc;
}

static void gcrypt_begin(void)
{
#if GCRYPT_VERSION_NUMBER >= 0x010a00
	/* These digests guard against damage, not against people: that some of
	 * them are not approved for cryptography must not make them fail. */
	gcry_control(GCRYCTL_NO_FIPS_MODE);
#endif
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

static void gcrypt_digest(int algorithm, const void *data, size_t len, uint8_t *ret)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, gcrypt_begin);
	gcry_md_hash_buffer(algorithm, ret, data, len);
}

void checksum_compute(uint16_t type, const void *data, size_t len, uint8_t ret[CHECKSUM_MAX_LEN])
{
	switch ((enum btrfs_csum_type)type) {
	case BTRFS_CSUM_TYPE_CRC32:
		store_le32(ret, ~crc32c_bare(UINT32_MAX, data, len));
		return;
	case BTRFS_CSUM_TYPE_XXHASH:
		store_le64(ret, XXH64(data, len, 0));
		return;
	case BTRFS_CSUM_TYPE_SHA256:
		gcrypt_digest(GCRY_MD_SHA256, data, len, ret);
		return;
	case BTRFS_CSUM_TYPE_BLAKE2:
		gcrypt_digest(GCRY_MD_BLAKE2B_256, data, len, ret);
		return;
	}
	g_assert_not_reached();
}
