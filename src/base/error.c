#include "base/error.h"
#include <errno.h>
#include <glib.h>
#include <stddef.h>

static const struct {
	int err;
	const char *text;
} error_texts[] = {
	{ -ENOENT, "not found" },
	{ -EUCLEAN, "a structure on disk is not as the format demands" },
	{ -EBADMSG, "no copy matches its checksum" },
	{ -EIO, "a device could not be read" },
	{ -ESTALE, "a block is of another commit than its pointer: changed meanwhile, or damaged" },
	{ -EOPNOTSUPP, "a format feature is not supported" },
	{ -ENOMEM, "out of memory" },
	{ -ECANCELED, "called off because nobody waits for it" },
};

bool error_may_be_overtaken(int err)
{
	return err == -ESTALE || err == -EUCLEAN || err == -EBADMSG || err == -EIO;
}

const char *error_text(int err)
{
	for (size_t i = 0; i < G_N_ELEMENTS(error_texts); i++)
		if (error_texts[i].err == err)
			return error_texts[i].text;
	return g_strerror(err < 0 ? (int)(0u - (unsigned)err) : err);
}
