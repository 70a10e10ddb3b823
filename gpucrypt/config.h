/* Build and launch parameters of kernels as enums and numbers. Their names are in gpucrypt/crypto/names.h. */
#ifndef GPUCRYPT_CONFIG_H
#define GPUCRYPT_CONFIG_H

#include <stdbool.h>

/* size_t holds the length of any file, and tables and vectors are read as they are in memory. */
#if defined(__SIZEOF_POINTER__) && (__SIZEOF_POINTER__ != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
#error "gcrypt is for 64-bit little-endian processors: build it for x86-64, arm64 or the like"
#endif

/* Layouts of a cipher's substitution tables, by the input bits of each table; not every cipher has each of them.  A new
 * layout gets a line here, and its name in the cipher's descriptor. */
enum table_id {
	TABLE_OPEN,
	TABLE_4,
	TABLE_1,
	TABLE_BITSLICED, /* no table: constant-time */
	TABLE_11_10_11,
	TABLE_6_5_5_5_5_6,
	TABLE_6_10_10_6,
	TABLE_16_16,
	TABLE_INSTRUCTIONS, /* from here on: no table either; forms of the CPU engine alone */
	TABLE_VAES512 = TABLE_INSTRUCTIONS,
	TABLE_VAES256,
	TABLE_AESNI,
	TABLE_GFNI512,
	TABLE_GFNI256,
	TABLE_VBMI512,
	TABLE_VBMI256,
	TABLE_ARMV8,
	N_TABLES
};

/* Location of a kernel's table or round keys: an OpenCL address space, or a kernel argument by value. */
enum memory_space { MEMORY_OPEN, MEMORY_LOCAL, MEMORY_CONSTANT, MEMORY_GLOBAL, MEMORY_ARGUMENT, N_MEMORY_SPACES };

/* Processor that computes chunk tags. TAGS_OPEN: devices other than CPUs. */
enum tag_place { TAGS_OPEN, TAGS_ON_DEVICE, TAGS_ON_HOST };

/* 0 in a field leaves it open. */
struct kernel_config {
	enum table_id table;
	enum memory_space table_space; /* no MEMORY_ARGUMENT; default: local */
	enum memory_space key_space;   /* no MEMORY_GLOBAL; default: local */
	unsigned replicas;             /* interleaved, of the table in local memory; a power of 2 */
	unsigned blocks_per_item;      /* CTR: of 256 neighbouring blocks, whose first rounds' common part a
	                                  work-item computes once; a power of 2 */
	unsigned work_items;           /* per work-group */
	unsigned work_groups;          /* per launch */
	bool portable;                 /* OpenCL C only, where a vendor's assembly would be used */
	unsigned slice_words;          /* 32-bit words of a bitsliced kernel's slice, else 0; set for a device */
};

#endif
