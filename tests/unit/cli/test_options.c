/* The command line's parser, driven by the real option table. */
#include "tests/unit/cmocka_all.h"

#include "cli/args/options.h"
#include "command/text.h"
#include "command/message.h"
#include "command/program.h"

#define MAX_ARGUMENTS 16
#define RAW           "--cipher aes --bits 128 --mode ctr "

static const struct command *command_named(const char *name)
{
	FOR_EACH_COMMAND(c)
	if (!strcmp(c->name, name))
		return c;
	fail_msg("no command %s", name);
	return NULL;
}

/* Words are separated by one blank; they stay valid until the next call. */
static char line[512];
static char *arguments[MAX_ARGUMENTS];

static int parse(struct options *options, const char *command, const char *words)
{
	int n = 0;

	assert_true(strlen(words) < sizeof line);
	strcpy(line, words);
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
		assert_true(n < MAX_ARGUMENTS);
		arguments[n++] = word;
	}
	*options = OPTIONS_DEFAULT;
	return options_parse(options, command_named(command), n, arguments);
}

TEST(forms)
{
	struct options o;

	assert_int_equal(parse(&o, "enc", "--cipher=aes -fvo out --bits 128 -T4 a -- -b"), 0);
	assert_int_equal(o.plan.cipher, GPUCRYPT_AES);
	assert_string_equal(o.output, "out");
	assert_true(o.force && o.verbose && !o.quiet);
	assert_int_equal(o.plan.key_bits, 128);
	assert_int_equal(o.plan.threads, 4);
	assert_int_equal(o.parsed.n_operands, 2);
	assert_string_equal(o.parsed.operands[0], "a");
	assert_string_equal(o.parsed.operands[1], "-b");
	assert_int_equal(parse(&o, "dec", "a -f -o out -T4 -- -b --rm"), 0);
	assert_string_equal(o.output, "out");
	assert_true(o.force && !o.remove_source);
	assert_int_equal(o.parsed.n_operands, 1);
	assert_int_equal(o.parsed.n_members, 2);
	assert_string_equal(o.parsed.members[1], "--rm");
	assert_int_equal(parse(&o, "key", "list a --json"), 0);
	assert_string_equal(o.parsed.action->name, "list");
	assert_true(o.json && o.parsed.n_operands == 2);
	assert_string_equal(o.parsed.operands[1], "a");
	assert_int_equal(parse(&o, "enc", "-o - -"), 0);
	assert_string_equal(o.output, "-");
	assert_string_equal(o.parsed.operands[0], "-");
	assert_true(o.progress == CHOICE_AUTO);
	assert_int_equal(parse(&o, "enc", "--progress a"), 0);
	assert_true(o.progress == CHOICE_YES);
	assert_int_equal(parse(&o, "enc", "--progress --no-progress a"), 0);
	assert_true(o.progress == CHOICE_NO);
	assert_int_equal(parse(&o, "enc", "--help --nonsense"), 0);
	assert_true(o.parsed.help);
}

TEST(values)
{
	struct options o;

	assert_int_equal(parse(&o, "enc", "--device 0 a"), 0);
	assert_int_equal(o.plan.device, 1);
	assert_int_equal(o.plan.recheck, 0);
	assert_true(o.plan.cipher == 0 && o.plan.mode == 0 && o.plan.engine == 0 && o.plan.kernel.table == 0);
	assert_int_equal(parse(&o, "enc", "--mode xts --engine all --table 11,10,11 --table-space global a"), 0);
	assert_true(o.plan.mode == GPUCRYPT_XTS && o.plan.engine == GPUCRYPT_HYBRID);
	assert_true(o.plan.kernel.table == TABLE_11_10_11 && o.plan.kernel.table_space == MEMORY_GLOBAL);
	assert_int_equal(parse(&o, "enc", "--key-space argument --allow sc2000 --cipher auto a"), 0);
	assert_true(o.plan.kernel.key_space == MEMORY_ARGUMENT && o.allow == GPUCRYPT_SC2000 && o.plan.cipher == 0);
	assert_int_equal(parse(&o, "enc", "--recheck 0 a"), 0);
	assert_int_equal(o.plan.recheck, GPUCRYPT_NO_RECHECK);
	assert_int_equal(parse(&o, "dec", "--recheck 1 a"), 0);
	assert_int_equal(o.plan.recheck, 1);
	assert_int_equal(parse(&o, "dec", "--raw --key-hex 00 --recheck 64 " RAW "a"), 0);
	assert_int_equal(o.plan.recheck, 64);
	assert_int_equal(parse(&o, "info", "a"), 0);
	assert_false(o.show_keys.chosen);
	assert_int_equal(parse(&o, "info", "--show-keys a"), 0);
	assert_true(o.show_keys.chosen && o.show_keys.group == UINT64_MAX);
	assert_int_equal(parse(&o, "info", "--show-keys=3 a"), 0);
	assert_true(o.show_keys.group == 3);
	assert_int_equal(parse(&o, "selftest", ""), 0);
	assert_int_equal(o.shard.count, 1);
	assert_int_equal(parse(&o, "selftest", "--shard 2/5"), 0);
	assert_int_equal(o.shard.index, 2);
	assert_int_equal(o.shard.count, 5);
	assert_int_equal(parse(&o, "enc", "--part 5/5 --align 4M a"), 0);
	assert_int_equal(o.part.index, 5);
	assert_int_equal(o.part.count, 5);
	assert_int_equal(o.part_align, 4 << 20);
	assert_int_equal(parse(&o, "enc", "a"), 0);
	assert_int_equal(o.part.count, 0);
	assert_int_equal(parse(&o, "dec", "--raw --key-hex 00 --offset 128K --iv-start 256 " RAW "a"), 0);
	assert_true(o.raw_options.offset == 131072 && o.raw_options.length == UINT64_MAX);
	assert_true(o.raw_options.iv_start == 256 && option_given(&o, "iv-start"));
	assert_false(option_given(&o, "length"));
	assert_int_equal(parse(&o, "dec", "--identity a --identity b c"), 0);
	assert_int_equal(o.opening.identities.n, 2);
	assert_string_equal(o.opening.identities.texts[1], "b");
	assert_int_equal(parse(&o, "rekey", "--drop-slot 1 --drop-slot 31 --drop-slot 1 c"), 0);
	assert_int_equal(o.drop_slots, 0x80000002);
}

TEST(key_is_wiped)
{
	struct options o;

	assert_int_equal(parse(&o, "enc", "--raw --key-hex 00fFaB12 " RAW "a"), 0);
	assert_int_equal(o.opening.key_hex.length, 4);
	assert_hex(o.opening.key_hex.bytes, 4, "00ffab12");
	assert_string_equal(arguments[2], "");
	assert_int_equal(parse(&o, "enc", "--raw --key-hex=00ff " RAW "a"), 0);
	assert_string_equal(arguments[1], "--key-hex=");
	assert_status(parse(&o, "enc", "--passphrase hunter2 a"), GPUCRYPT_USAGE);
	assert_null(strstr(gpucrypt_error(), "hunter2"));
	assert_string_equal(arguments[1], "");
	options_wipe(&o);
}

/* Do all these subcommands, or some of them, take each option of the list? */
static void check_list(const char *list, unsigned bits, bool all)
{
	char names[256];

	snprintf(names, sizeof names, "%s", list);
	for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		unsigned found = 0;

		name[strcspn(name, "=")] = '\0';
		FOR_EACH_ROW(row)
		found |= row->name && !strcmp(row->name, name) ? option_row_bits(row) & bits : 0;
		if (found == 0 || (all && found != bits))
			fail_msg("no option --%s", name);
	}
}

/* A rule would hold for a subcommand that does not take one of its `given` options. */
static void check_names(const struct option_rule *rule)
{
	unsigned bits = rule->native | rule->raw;

	check_list(rule->given, bits, true);
	check_list(rule->others, bits, false);
}

TEST(rules)
{
	FOR_EACH_RULE(rule)
	check_names(rule);
	for (const struct input_rule *rule = gcrypt_input_rules; rule->kinds; rule++)
		check_names(&rule->rule);
}

/* What is said about options of other programs names options that exist. */
TEST(hints)
{
	for (const struct hint *hint = program.hints; hint->words; hint++)
		for (const char *at = strstr(hint->text, "--"); at; at = strstr(at + 2, "--")) {
			char name[32];

			snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 2, " ;:,="), at + 2);
			check_list(name, ~0u, false);
		}
}

TEST(words)
{
	uint8_t bytes[2];
	char digits[5];

	assert_int_equal(edit_distance("", ""), 0);
	assert_int_equal(edit_distance("enc", ""), 3);
	assert_int_equal(edit_distance("kitten", "sitting"), 3);
	assert_int_equal(edit_distance("cipher", "chiper"), 2);
	assert_int_equal(edit_distance("enc", "ecn"), 1);
	assert_int_equal(edit_distance("ca", "abc"), 3); /* unlike the distance of Damerau, which is 2 */
	assert_int_equal(hex_decode(bytes, 2, "0aFg"), false);
	assert_int_equal(hex_decode(bytes, 2, "0aF9"), true);
	hex_encode(digits, bytes, 2);
	assert_string_equal(digits, "0af9");
}

/* Control characters (C0, DEL, C1), and what RFC 3629 excludes. */
TEST(clean_text)
{
	static const struct {
		const char *text, *all, *controls_kept;
	} cases[] = {
		{ "plain", "plain", "plain" },
		{ "a\n\033[31m\x7f", "a??[31m?", "a\n\033[31m\x7f" },
		{ "\xc2\x9b"
		  "31m",
		        "??31m",
		        "\xc2\x9b"
		        "31m" },
		{ "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		        "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80" },
		{ "\xe4\xc3\xa4\xff", "?\xc3\xa4?", "?\xc3\xa4?" },
		{ "\x9b\xc0\x80", "???", "???" },
		{ "\xe0\x80\x80\xed\xa0\x80", "??????", "??????" },
		{ "\xf0\x80\x80\x80\xf4\x90\x80\x80", "????????", "????????" },
		{ "cut \xe2\x82", "cut ??", "cut ??" },
	};
	char text[32];

	for (size_t i = 0; i < N_OF(cases); i++) {
		strcpy(text, cases[i].text);
		message_clean(text, false);
		assert_string_equal(text, cases[i].controls_kept);
		strcpy(text, cases[i].text);
		message_clean(text, true);
		assert_string_equal(text, cases[i].all);
	}
}
