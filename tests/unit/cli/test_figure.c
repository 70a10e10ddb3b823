/* Figures in words. */
#include "tests/unit/cmocka_all.h"

#include "command/text.h"

TEST(test_size_words)
{
	char text[32];

	size_text(text, 1);
	assert_string_equal(text, "1 bytes");
	size_text(text, 256 << 10);
	assert_string_equal(text, "256 KiB");
	size_text(text, UINT64_C(16) << 30);
	assert_string_equal(text, "16 GiB");
	size_text(text, UINT64_C(3) << 29);
	assert_string_equal(text, "1.5 GiB");
	size_text(text, 5000);
	assert_string_equal(text, "5000 bytes");
	size_text(text, UINT64_C(1) << 60);
	assert_string_equal(text, "1 EiB");
}
