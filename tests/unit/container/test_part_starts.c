/* Where the parts of a container begin (gcrypt(5), "Parts"). */
#include "tests/unit/cmocka_all.h"

#include "gpucrypt/container/layout.h"

/* Parts begin at multiples of the alignment, follow each other, and have all groups. */
TEST(part_starts)
{
	for (unsigned group_log2 = 12; group_log2 <= 23; group_log2 += 11) {
		for (uint64_t align = 4096; align <= 1 << 22; align *= 16) {
			const uint64_t n_groups = 3000, n_parts = 7;
			uint64_t before = 0;

			for (uint64_t part = 0; part <= n_parts; part++) {
				uint64_t at = layout_part_start(group_log2, n_groups, part, n_parts, align);

				assert_true(at >= before && at <= n_groups);
				assert_true(part > 0 || at == 0);
				assert_true(part < n_parts || at == n_groups);
				assert_true(at == 0 || at == n_groups ||
				            (16384 + at * (4096 + (UINT64_C(1) << group_log2))) % align == 0);
				before = at;
			}
		}
	}
}
