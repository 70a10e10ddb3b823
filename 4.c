static const unsigned box[256] = { 1 };
void f(const unsigned *in, unsigned *out, const unsigned *rk)
{
for (int i = 0; i < 4; i++)
out[i] = box[in[i] & 0xff] ^ rk[i];
}
