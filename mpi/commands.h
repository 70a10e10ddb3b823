/* The subcommands of gcrypt-mpi, which rank 0 runs. */
#ifndef MPI_COMMANDS_H
#define MPI_COMMANDS_H

#include "cli/args/options.h"

int mpi_enc(const struct options *options);
int mpi_dec(const struct options *options);
int mpi_verify(const struct options *options);
int mpi_rekey(const struct options *options);

#endif
