/* The ciphers of ppf/examples/ on the test vectors of their standards. */
#include "tests/unit/cmocka_all.h"

#include "ppf/examples/clefia.c"

/* Appendix A. */
TEST(clefia_128)
{
	static const word key[4] = { 0xffeeddcc, 0xbbaa9988, 0x77665544, 0x33221100 };
	static word table[8 * 256];
	word k[40], s[4] = { 0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f };

	clefia_make_tables(table);
	assert_int_equal(clefia_s0(0), 0x57);
	assert_int_equal(clefia_s0(1), 0x49);
	clefia_expand_key(k, key, table);
	clefia_encrypt(s, k, table);
	assert_int_equal(s[0], 0xde2bf2fd);
	assert_int_equal(s[1], 0x9b74aacd);
	assert_int_equal(s[2], 0xf1298555);
	assert_int_equal(s[3], 0x459494fd);
}
