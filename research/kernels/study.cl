/*
 * Before all other files of this folder, which are kernels of experiments: `ppf study` builds them,
 * the product does not.  Each result is stored through PLANTED: a test plants an error there.
 */
#ifdef PLANT
#define PLANTED(x) ((x) ^ 1)
#else
#define PLANTED(x) (x)
#endif
