/* Data in memory: where it comes from, and which of its bits are zero. */
#include "ppf/analysis/count.h"

static struct cell *find(struct counter *counter, const struct value *at)
{
	if (!at->known || !at->root)
		return NULL;
	for (unsigned i = 0; i < MAX_CELLS && i < counter->n_cells; i++)
		if (counter->cells[i].root == at->root && counter->cells[i].at == at->bits)
			return &counter->cells[i];
	return NULL;
}

/* One that was forgotten, or a new one, or else the one that was taken first. */
static struct cell *take(struct counter *counter)
{
	for (unsigned i = 0; i < MAX_CELLS && i < counter->n_cells; i++)
		if (!counter->cells[i].root)
			return &counter->cells[i];
	return &counter->cells[counter->n_cells++ % MAX_CELLS];
}

/* Data read for the first time comes from outside; reading the same place again gives the same value. */
struct value cell_load(struct counter *counter, const struct value *at)
{
	struct value value = count_result(counter, GRAPH_SOURCE, NULL, NULL);
	const struct cell *cell = find(counter, at);

	if (cell)
		return (struct value){ .flow = cell->flow, .zeros = cell->zeros };
	cell_store(counter, at, &value);
	return value;
}

void cell_store(struct counter *counter, const struct value *at, const struct value *value)
{
	struct cell *cell = find(counter, at);

	if (!at->root)
		return;
	if (!at->known || counter->uncertain > 0) { /* it may be any of them, or none */
		cell_forget(counter, at->root);
		return;
	}
	if (!cell)
		cell = take(counter);
	*cell = (struct cell){ at->root, at->bits, value->flow, value->zeros };
}

void cell_forget(struct counter *counter, const struct symbol *symbol)
{
	for (unsigned i = 0; i < MAX_CELLS && i < counter->n_cells; i++)
		if (counter->cells[i].root == symbol)
			counter->cells[i].root = NULL;
}
