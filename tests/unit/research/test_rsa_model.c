/* RSA predicted: counts of the source, and costs of the records. */
#include "research/rsa.h"
#include "tests/unit/builtin.h"

TEST(products_of_exponents)
{
	assert_int_equal(rsa_products(3), 3); /* conversion, square, product */
	assert_int_equal(rsa_products(17), 6);
	assert_int_equal(rsa_products(65537), 18);
	assert_int_equal(rsa_products(UINT64_MAX), 1 + 63 + 63);
}

/* FIOS: two products of words for each pair of words (Koç, Acar, Kaliski 1996, table 1). */
TEST(products_of_words)
{
	for (unsigned bits = 1024; bits <= 4096; bits += 1024) {
		const struct profile *product = profile_rsa_product(bits);
		unsigned words = bits / 32;

		assert_int_equal(product->operators[OPERATOR_WIDE], 2 * words * words);
		assert_true(product->operators[OPERATOR_MUL] >= words);
		/* A longer number is loaded and stored again for each part of the other
		 * (research/kernels/rsa.cl). */
		if (words <= 64)
			assert_int_equal(product->n_ct, words);
		else
			assert_true(product->n_ct > words && product->n_ct < words * words / 8);
	}
	assert_null(profile_rsa_product(1536));
}

static struct rsa_prediction product_of(const struct device_record *record, bool chains)
{
	const struct rsa_shape shape = { .chains = chains, .work_items = 128 };
	const struct rsa_key key = { .bits = 1024, .exponent = 65537 };
	struct rsa_prediction prediction;

	assert_true(predict_rsa(&prediction, record, &key, &shape, 1 << 20));
	return prediction;
}

/* Measured costs of wide products are used; otherwise a product costs two half products and the additions. */
TEST(costs)
{
	struct device_record record = builtin("gtx580");
	const double n = 2 * 32 * 32;
	struct rsa_prediction chained, by_pairs;

	assert_true(record.operator_cycles[OPERATOR_WIDE] == 0);
	record.launch_s = 1e-5;
	chained = product_of(&record, true);
	by_pairs = product_of(&record, false);
	assert_true(chained.cycles[BOUND_MUL] >= 2 * n * record.operator_cycles[OPERATOR_MUL]);
	assert_true(by_pairs.cycles[BOUND_MUL] == chained.cycles[BOUND_MUL]);
	assert_true(by_pairs.cycles[BOUND_LOGIC] >
	            chained.cycles[BOUND_LOGIC] + 2.9 * n * record.operator_cycles[OPERATOR_LOGIC]);
	record.operator_cycles[OPERATOR_WIDE] = 700;
	record.fusion_cycles[FUSION_CHAIN] = 500;
	by_pairs = product_of(&record, false);
	assert_true(fabs(by_pairs.cycles[BOUND_MUL] / (700 * n) - 1) < 0.1);
	assert_true(by_pairs.cycles[BOUND_LOGIC] == chained.cycles[BOUND_LOGIC]);
	chained = product_of(&record, true);
	assert_true(fabs(chained.cycles[BOUND_MUL] / (500 * n) - 1) < 0.1);
}

/* A number of twice the length costs four times as much; twice as many messages twice. */
TEST(what_it_depends_on)
{
	static const char *const names[] = { "h200", "cpu" };

	for (unsigned i = 0; i < N_OF(names); i++) {
		const struct device_record record = builtin(names[i]);
		const struct rsa_shape shape = { .chains = true, .work_items = 128 };
		struct rsa_key key = { .bits = 1024, .exponent = 65537 };
		struct rsa_prediction one, two, longer, other;

		assert_true(predict_rsa(&one, &record, &key, &shape, 1 << 20));
		assert_true(predict_rsa(&two, &record, &key, &shape, 1 << 21));
		assert_true(fabs(two.seconds / one.seconds - 2) < 0.05);
		key.exponent = 3;
		assert_true(predict_rsa(&other, &record, &key, &shape, 1 << 20));
		assert_true(fabs(one.seconds / other.seconds - 6) < 0.05);
		key = (struct rsa_key){ .bits = 2048, .exponent = 65537 };
		assert_true(predict_rsa(&longer, &record, &key, &shape, 1 << 20));
		assert_true(fabs(longer.seconds / one.seconds - 4) < 0.2);
		assert_true(one.batch_cycles >= one.cycles[one.bound]);
		key.bits = 512;
		assert_false(predict_rsa(&one, &record, &key, &shape, 1));
	}
}
