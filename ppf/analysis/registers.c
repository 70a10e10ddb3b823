#include "ppf/analysis/graph.h"

#include <stdlib.h>

#include "ppf/analysis/tree.h"

#define NEVER (~0u)

/* A value: the step that takes it next, and whether memory has it. */
struct value_state {
	unsigned next;
	bool in_memory, seen;
};

struct file {
	struct value_state *values;        /* owned */
	unsigned (*next)[MAX_STEP_INPUTS]; /* owned: after each step, the next one that takes its
	                                      input */
	unsigned registers[MAX_REGISTERS]; /* values; 0: free */
	unsigned n_registers, moves;
};

/* From the last step to the first: who takes each input next, and who takes each value first. */
static void look_ahead(struct file *file, const struct register_step *steps, unsigned n_steps)
{
	for (unsigned i = n_steps; i-- > 0;) {
		const unsigned *inputs = steps[i].inputs;
		for (unsigned j = 0; j < MAX_STEP_INPUTS; j++)
			file->next[i][j] = file->values[inputs[j]].next;
		for (unsigned j = 0; j < MAX_STEP_INPUTS; j++)
			file->values[inputs[j]].next = i;
	}
}

static unsigned *find(struct file *file, unsigned value)
{
	for (unsigned i = 0; i < file->n_registers; i++)
		if (file->registers[i] == value)
			return &file->registers[i];
	return NULL;
}

/* A free one, or the one whose value is needed last. */
static unsigned *make_room(struct file *file)
{
	unsigned *last = &file->registers[0];

	for (unsigned i = 0; i < file->n_registers; i++) {
		unsigned *at = &file->registers[i];
		if (*at == 0 || file->values[*at].next == NEVER)
			return at;
		if (file->values[*at].next > file->values[*last].next)
			last = at;
	}
	file->moves += !file->values[*last].in_memory;
	file->values[*last].in_memory = true;
	return last;
}

static void take_inputs(struct file *file, const struct register_step *step, const unsigned *next)
{
	for (unsigned j = 0; j < MAX_STEP_INPUTS; j++) {
		struct value_state *value = &file->values[step->inputs[j]];
		if (step->inputs[j] != 0 && find(file, step->inputs[j]) == NULL) {
			file->moves += value->seen;
			*make_room(file) = step->inputs[j];
		}
		value->seen = true;
	}
	for (unsigned j = 0; j < MAX_STEP_INPUTS; j++)
		file->values[step->inputs[j]].next = next[j];
}

static void simulate_registers(struct file *file, const struct register_step *steps, unsigned n_steps)
{
	for (unsigned i = 0; i < n_steps; i++) {
		struct value_state *result = &file->values[steps[i].result];
		take_inputs(file, &steps[i], file->next[i]);
		if (result->next == NEVER)
			continue;
		*make_room(file) = steps[i].result;
		result->in_memory = false;
		result->seen = true;
	}
}

unsigned registers_moves(const struct register_step *steps, unsigned n_steps, unsigned n_values, unsigned n_registers)
{
	struct file file = { .values = tree_array(n_values + 1, sizeof *file.values),
		.next = tree_array(n_steps + 1, sizeof *file.next),
		.n_registers = n_registers < MAX_REGISTERS ? n_registers : MAX_REGISTERS };

	for (unsigned i = 0; i <= n_values; i++)
		file.values[i] = (struct value_state){ NEVER, true, false };
	look_ahead(&file, steps, n_steps);
	simulate_registers(&file, steps, n_steps);
	free(file.values);
	free(file.next);
	return file.moves;
}
