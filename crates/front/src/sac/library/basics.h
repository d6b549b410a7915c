/* What every element type has: see module ArrayBasics. */

#define BASICS(T) \
int dim(T[*] a) { return _dim_A_(a); } \
int[.] shape(T[*] a) { return _shape_A_(a); } \
T[*] sel(int[.] v, T[*] a) { return a[v]; } \
T[*] sel(int i, T[*] a) { return a[i]; } \
T[*] reshape(int[.] s, T[*] a) { return _reshape_VxA_(s, a); } \
T[*] genarray(int[.] s, T[*] cell) { return with { } : genarray(s, cell); } \
T[*] genarray(int n, T[*] cell) { return with { } : genarray([n], cell); } \
T[*] modarray(T[*] a, int[.] v, T[*] cell) { a[v] = cell; return a; } \
T[*] modarray(T[*] a, int i, T[*] cell) { a[i] = cell; return a; }
