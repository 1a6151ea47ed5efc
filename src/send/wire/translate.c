#include "send/wire/translate.h"

/* OTIME: docs/stream.md, section 7. */
#define OTIME_LEN (4u + 12u)

size_t utimes_len_in_protocol_1(size_t len)
{
	return len - OTIME_LEN;
}

/* The command that @commands begins with. */
static struct span first_command(struct span commands)
{
	return span_of(commands.data, COMMAND_HEADER_LEN + (size_t)load_le32(commands.data));
}

static struct span rest(struct span commands, size_t len)
{
	return span_of(commands.data + len, commands.len - len);
}

static bool is_utimes(struct span command)
{
	return load_le16(command.data + 4) == CMD_UTIMES;
}

int commands_len_in_protocol_1(struct span commands, uint64_t *ret)
{
	uint64_t len = 0;

	while (commands.len > 0) {
		struct span command;

		if (commands.len < COMMAND_HEADER_LEN)
			return -EUCLEAN;
		command = first_command(commands);
		if (command.len > commands.len)
			return -EUCLEAN;
		if (is_utimes(command) && command.len < COMMAND_HEADER_LEN + OTIME_LEN)
			return -EUCLEAN;
		len += is_utimes(command) ? utimes_len_in_protocol_1(command.len) : command.len;
		commands = rest(commands, command.len);
	}
	*ret = len;
	return 0;
}

static uint8_t *put_utimes(struct span command, uint8_t *at)
{
	const size_t len = utimes_len_in_protocol_1(command.len);

	memcpy(at, command.data, len);
	store_le32(at, (uint32_t)(len - COMMAND_HEADER_LEN));
	command_finish(at);
	return at + len;
}

static uint8_t *put_as_is(const uint8_t *begin, const uint8_t *end, uint8_t *at)
{
	if (end > begin) /* nothing may stand for nothing */
		memcpy(at, begin, (size_t)(end - begin));
	return at + (end - begin);
}

uint8_t *commands_put_in_protocol_1(struct span commands, uint8_t *at)
{
	const uint8_t *same = commands.data; /* what is still to be copied as it is */

	while (commands.len > 0) {
		const struct span command = first_command(commands);

		commands = rest(commands, command.len);
		if (!is_utimes(command))
			continue;
		at = put_as_is(same, command.data, at);
		at = put_utimes(command, at);
		same = commands.data;
	}
	return put_as_is(same, commands.data, at);
}
