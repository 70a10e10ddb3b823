/* The figures, in the order in which they are run and shown. */
#include "ppf/study/figures.h"

const struct study_figure study_figures[] = {
	{ "4.8", "AES-128-ECB by granularity and placement (tables 4.6, 4.7, figure 4.8)", 60, figure_granularity },
	{ "5.1", "Throughput over the size of the plaintext, 128-bit keys, ECB", 40, figure_throughput },
	{ "5.2", "The most throughput, 128-bit keys, ECB", 40, figure_maxima },
	{ "5.3", "Threads of the CPU, its own code, 128-bit keys, ECB", 20, figure_threads },
	{ "5.4", "AES instructions of the CPU, 128-bit keys, ECB", 10, figure_instructions },
	{ "6.4", "Latency of a batch: arithmetic", 10, figure_latency_arithmetic },
	{ "6.5", "Latency of a batch: local memory at random", 10, figure_latency_random },
	{ "6.6", "Latency of a batch: local memory, the same word", 10, figure_latency_regular },
	{ "6.7", "Latency of a batch: global memory", 10, figure_latency_global },
	{ "6.8a", "AES-128 by the policy: predicted and measured", 10, figure_bounds_aes },
	{ "6.8b", "Camellia-128 by the policy: predicted and measured", 10, figure_bounds_camellia },
	{ "6.8c", "SC2000-128 by the policy: predicted and measured", 10, figure_bounds_sc2000 },
	{ "6.9a", "AES-128 as the model chooses: predicted and measured", 10, figure_chosen_aes },
	{ "6.9b", "Camellia-128 as the model chooses: predicted and measured", 10, figure_chosen_camellia },
	{ "6.9c", "SC2000-128 as the model chooses: predicted and measured", 10, figure_chosen_sc2000 },
	{ "6.10", "How far predictions are from measurements, at the largest size", 10, figure_errors },
	{ "6.12", "Camellia's design stages: predicted and measured", 20, figure_stages },
	{ "gkrypt-enc", "AES-256 encryption, gKrypt's ladder", 40, figure_gkrypt_encryption },
	{ "gkrypt-dec", "AES-256 decryption, gKrypt's ladder", 40, figure_gkrypt_decryption },
	{ "rsa", "RSA with e = 65537, a message for each work-item (the RSA paper's tables I to V)", 60, figure_rsa },
	{ 0 },
};
