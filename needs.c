#include "types.h"
void f(const word *a, const word *b, word *c) { for (int i = 0; i < ROUNDS; i++) c[0] = a[0] ^ b[i]; }
